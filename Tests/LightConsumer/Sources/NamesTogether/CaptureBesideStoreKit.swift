import ClickstreamCapture
import StoreKitNames

/// Types of both modules, without a module before a name: the file compiles only if no name is ambiguous.
func captureBesideStoreKit() -> [Any.Type] {
    [
        AutoEventType.self, AutoTrackableEventData.self, Capture.self, Capture.Currency.self, Capture.Element.self,
        Capture.ElementPath.self, Capture.ElementType.self, Capture.Frame.self, Capture.Masking.self,
        Capture.Page.self, Capture.Point.self, Capture.ScrollPosition.self, Capture.Touch.self,
        Capture.Transaction.self, CaptureConfiguration.self, ClassRules.self,
        CustomVariable.self, DynamicVariable.self, InstanceID.self, OptBehavior.self,
        RecognizedGesture.self, RevenueKind.self, VisibleItems.self,
        (any AutoTrackableElement).self, (any AutoTrackableEventDataSource).self, (any ItemsViewDataSource).self,
        AppStore.self, AppTransaction.self, ExternalPurchase.self, Message.self, Product.self, ProductView.self,
        StoreKitError.self, StoreView.self, Storefront.self, SubscriptionStoreView.self, Transaction.self,
        VerificationResult.self,
    ]
}
