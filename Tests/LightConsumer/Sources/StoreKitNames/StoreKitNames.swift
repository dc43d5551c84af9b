// Names that StoreKit exports.
// The module is not called StoreKit: `canImport` in the SDK would find it.

public struct AppStore {}
public struct AppTransaction {}
public struct ExternalPurchase {}
public struct Message {}
public struct Product {}
public struct ProductView {}
public struct StoreKitError {}
public struct StoreView {}
public struct Storefront {}
public struct SubscriptionStoreView {}
public struct Transaction {}
public struct VerificationResult {}
