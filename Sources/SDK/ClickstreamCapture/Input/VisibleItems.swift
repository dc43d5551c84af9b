/// Layout of the items in a table or collection. Items that are not listed are invisible.
public struct VisibleItems: Sendable, Hashable {
    package var viewport: Capture.Frame
    package var items: [Item]

    /// Visible item.
    public struct Item: Sendable, Hashable {
        package var index: Int
        package var frame: Capture.Frame

        /// Creates a visible item.
        /// - Parameters:
        ///   - index: the position among all items of the container.
        ///   - frame: the rectangle in the window.
        public init(index: Int, frame: Capture.Frame) {
            self.index = index
            self.frame = frame
        }
    }

    /// Creates a layout.
    /// - Parameters:
    ///   - viewport: the part of the window in which items are visible.
    ///   - items: the items that are at least partly visible, in any order.
    public init(viewport: Capture.Frame, items: [Item]) {
        self.viewport = viewport
        self.items = items
    }
}
