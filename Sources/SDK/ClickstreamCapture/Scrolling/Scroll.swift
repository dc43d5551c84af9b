/// Completed scroll. Lengths are truncated to whole logical pixels.
package struct Scroll: Sendable, Hashable {
    package var distance: Int
    /// In pixels per second.
    package var speed: Int
    package var direction: Direction
    /// The percentage of the content above or left of the end of the visible part.
    package var depth: Int
    package var start: Int
    package var end: Int
    /// From the first to the last change, in milliseconds, at least 1.
    package var duration: Int64

    /// Direction in which the content moves.
    package enum Direction: String, Sendable, Hashable {
        case up
        case down
        case left
        case right
    }

    package init(
        distance: Int,
        speed: Int,
        direction: Direction,
        depth: Int,
        start: Int,
        end: Int,
        duration: Int64
    ) {
        self.distance = distance
        self.speed = speed
        self.direction = direction
        self.depth = depth
        self.start = start
        self.end = end
        self.duration = duration
    }
}
