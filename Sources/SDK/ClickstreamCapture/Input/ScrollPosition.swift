/// Position of a scroll view, in logical pixels.
public struct ScrollPosition: Sendable, Hashable {
    public var horizontal: Axis
    public var vertical: Axis

    /// Position along one axis.
    public struct Axis: Sendable, Hashable {
        public var offset: Double
        /// The visible extent.
        public var visible: Double
        /// The extent of the whole content.
        public var content: Double

        public init(offset: Double, visible: Double, content: Double) {
            self.offset = offset
            self.visible = visible
            self.content = content
        }
    }

    public init(horizontal: Axis, vertical: Axis) {
        self.horizontal = horizontal
        self.vertical = vertical
    }
}
