import ClickstreamCapture
import PlainNames

/// Types of both modules, without a module before a name: the file compiles only if no name is ambiguous.
func captureBesidePlainNames() -> [Any.Type] {
    [
        AutoEventType.self, AutoTrackableEventData.self, Capture.self, Capture.Currency.self, Capture.Element.self,
        Capture.ElementPath.self, Capture.ElementType.self, Capture.Frame.self, Capture.Masking.self,
        Capture.Page.self, Capture.Point.self, Capture.ScrollPosition.self, Capture.Touch.self,
        Capture.Transaction.self, CaptureConfiguration.self, ClassRules.self,
        CustomVariable.self, DynamicVariable.self, InstanceID.self, OptBehavior.self,
        RecognizedGesture.self, RevenueKind.self, VisibleItems.self,
        (any AutoTrackableElement).self, (any AutoTrackableEventDataSource).self, (any ItemsViewDataSource).self,
        Configuration.self, Currency.self, Device.self, Element.self, ElementPath.self, ElementType.self,
        Events.self, Frame.self, Item.self, Masking.self, Page.self, Point.self, Rule.self, Scope.self, Screen.self,
        ScrollPosition.self, Session.self, Touch.self, Transaction.self, Transport.self,
    ]
}
