/// Layout of the items in a table or collection. Items that are not listed are invisible.
public struct VisibleItems: Sendable, Hashable {
    /// The part of the window in which items are visible.
    public var viewport: Frame
    public var items: [Item]

    public struct Item: Sendable, Hashable {
        /// The position among all items of the container.
        public var index: Int
        public var frame: Frame

        public init(index: Int, frame: Frame) {
            self.index = index
            self.frame = frame
        }
    }

    public init(viewport: Frame, items: [Item]) {
        self.viewport = viewport
        self.items = items
    }
}
