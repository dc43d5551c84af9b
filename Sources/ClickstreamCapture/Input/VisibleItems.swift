/// Layout of the items in a table or collection. Items that are not listed are invisible.
package struct VisibleItems: Sendable, Hashable {
    /// The part of the window in which items are visible.
    package var viewport: Frame
    package var items: [Item]

    package struct Item: Sendable, Hashable {
        /// The position among all items of the container.
        package var index: Int
        package var frame: Frame

        package init(index: Int, frame: Frame) {
            self.index = index
            self.frame = frame
        }
    }

    package init(viewport: Frame, items: [Item]) {
        self.viewport = viewport
        self.items = items
    }
}
