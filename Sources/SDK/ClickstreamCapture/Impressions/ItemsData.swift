package import ClickstreamCore

/// Data of an app for the impressions of one list.
package struct ItemsData: Sendable, Equatable {
    /// Data of the whole event.
    package var event: Attributes
    /// Data of items, by their positions among all items of the list.
    package var items: [Int: Attributes]

    package init(event: Attributes = [:], items: [Int: Attributes] = [:]) {
        self.event = event
        self.items = items
    }

    /// Replaces the data of the event, and adds that of items.
    mutating func merge(_ newer: ItemsData) {
        event = newer.event
        items.merge(newer.items) { $1 }
    }
}
