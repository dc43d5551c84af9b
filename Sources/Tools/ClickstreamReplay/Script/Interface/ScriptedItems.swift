import ClickstreamCapture
import ClickstreamCore

/// Data source of a scripted list. Immutable.
final class ScriptedItems: ItemsViewDataSource, Sendable {
    private let items: ScriptedView.Items

    init(_ items: ScriptedView.Items) {
        self.items = items
    }

    func eventData() -> Attributes? { items.eventData }

    func itemData(for index: Int) -> Attributes? {
        items.data.indices.contains(index) ? items.data[index] : nil
    }
}

extension ScriptedItems: Equatable {
    static func == (left: ScriptedItems, right: ScriptedItems) -> Bool { left.items == right.items }
}
