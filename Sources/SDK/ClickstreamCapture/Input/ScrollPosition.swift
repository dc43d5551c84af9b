extension Capture {
    /// Position of a scroll view, in logical pixels.
    public struct ScrollPosition: Sendable, Hashable {
        package var horizontal: Axis
        package var vertical: Axis

        /// Position along one axis.
        public struct Axis: Sendable, Hashable {
            package var offset: Double
            package var visible: Double
            package var content: Double

            /// Creates a position along one axis.
            /// - Parameters:
            ///   - offset: the extent of the content before the visible part.
            ///   - visible: the visible extent.
            ///   - content: the extent of the whole content.
            public init(offset: Double, visible: Double, content: Double) {
                self.offset = offset
                self.visible = visible
                self.content = content
            }
        }

        /// Creates a position from those along the two axes.
        public init(horizontal: Axis, vertical: Axis) {
            self.horizontal = horizontal
            self.vertical = vertical
        }
    }
}
