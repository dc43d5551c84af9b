/// Position of a scroll view, in logical pixels.
package struct ScrollPosition: Sendable, Hashable {
    package var horizontal: Axis
    package var vertical: Axis

    /// Position along one axis.
    package struct Axis: Sendable, Hashable {
        package var offset: Double
        /// The visible extent.
        package var visible: Double
        /// The extent of the whole content.
        package var content: Double

        package init(offset: Double, visible: Double, content: Double) {
            self.offset = offset
            self.visible = visible
            self.content = content
        }
    }

    package init(horizontal: Axis, vertical: Axis) {
        self.horizontal = horizontal
        self.vertical = vertical
    }
}
