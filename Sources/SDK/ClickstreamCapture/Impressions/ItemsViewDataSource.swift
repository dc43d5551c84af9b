public import ClickstreamCore

/// Source of the data of items in a table or collection.
///
/// The methods are called by ``Capture/show(_:in:source:)``, on its thread: once for each item that becomes visible.
public protocol ItemsViewDataSource: AnyObject {
    /// Returns additional data of the whole event.
    func eventData() -> Attributes?

    /// Returns the data of the item at a position among all items.
    func itemData(for index: Int) -> Attributes?
}

extension ItemsViewDataSource {
    /// Returns no data.
    public func eventData() -> Attributes? { nil }
    /// Returns no data.
    public func itemData(for index: Int) -> Attributes? { nil }
}
