public import ClickstreamCore

/// Source of the data of items in a table or collection. Its methods are called when an impressions event is created.
public protocol ItemsViewDataSource: AnyObject {
    /// Returns additional data of the whole event.
    func eventData() -> Attributes?

    /// Returns the data of the item at a position among all items.
    func itemData(for index: Int) -> Attributes?
}

extension ItemsViewDataSource {
    public func eventData() -> Attributes? { nil }
    public func itemData(for index: Int) -> Attributes? { nil }
}
