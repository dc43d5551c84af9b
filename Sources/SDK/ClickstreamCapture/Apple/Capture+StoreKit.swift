#if canImport(StoreKit)
import ClickstreamCore
public import StoreKit

extension Capture {
    /// Reports the verified transactions that StoreKit announces as revenue, until the task is canceled.
    ///
    /// StoreKit announces purchases of other devices, renewals, refunds and unfinished transactions; the result of
    /// `purchase()` is to be passed to ``revenue(of:)``. Not compiled on Linux, where this repository is built.
    public func observeStoreKit() -> Task<Void, Never> {
        Task {
            for await case .verified(let transaction) in StoreKit.Transaction.updates { revenue(of: transaction) }
        }
    }

    /// Reports the revenue of a transaction. The token of the app's account is not captured.
    public func revenue(of transaction: StoreKit.Transaction) {
        var properties: Attributes = [
            "product_id": transaction.productID,
            "transaction_id": String(transaction.id),
            "original_transaction_id": String(transaction.originalID),
            "quantity": transaction.purchasedQuantity,
        ]
        if let price = transaction.price { properties.set("price", to: price.attributeValue) }
        if let currency = transaction.currency { properties.set("currency", to: .string(currency.identifier)) }
        revenue(RevenueKind(transaction), properties: properties)
    }
}

extension RevenueKind {
    fileprivate init(_ transaction: StoreKit.Transaction) {
        if transaction.revocationDate != nil {
            self = .refund
        } else {
            switch transaction.productType {
            case .autoRenewable, .nonRenewable: self = .subscription
            default: self = .purchase
            }
        }
    }
}
#endif
