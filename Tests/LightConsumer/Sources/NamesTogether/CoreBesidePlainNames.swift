import ClickstreamCore
import PlainNames

/// Types of both modules, without a module before a name: the file compiles only if no name is ambiguous.
func coreBesidePlainNames() -> [Any.Type] {
    [
        AttributeValue.self, Attributes.self, ClickstreamClient.self, ClickstreamClient.Configuration.self,
        ClickstreamClient.Device.self, ClickstreamClient.World.self, ConsentDecision.self, ConsentPurpose.self,
        DecimalNumber.self, DraftEvent.self, ErrorCode.self, FileError.self, FlushError.self, FlushReport.self,
        Notice.self, NoticeObserver.self, StoreError.self, Timestamp.self, TransportError.self, UniqueID.self,
        UploadRequest.self, UploadResponse.self, Violation.self, (any AttributeValueConvertible).self,
        (any ClickstreamClient.Transport).self, (any ClickstreamEvent).self,
        Configuration.self, Currency.self, Device.self, Element.self, ElementPath.self, ElementType.self,
        Events.self, Frame.self, Item.self, Masking.self, Page.self, Point.self, Rule.self, Scope.self, Screen.self,
        ScrollPosition.self, Session.self, Touch.self, Transaction.self, Transport.self,
    ]
}
