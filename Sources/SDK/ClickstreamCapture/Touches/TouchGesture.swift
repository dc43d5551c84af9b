/// Gesture of one finger, from down to up.
package struct TouchGesture: Sendable, Hashable {
    package var kind: Kind
    /// The down point.
    package var start: Capture.Point
    /// The greatest straight distance from the down point, in logical pixels.
    package var distance: Double
    /// The length of the path divided by the duration, in logical pixels per second.
    package var velocity: Double
    package var direction: Direction
    /// From down to up, in milliseconds.
    package var duration: Int64

    /// Class of a touch gesture. The raw value is the event action (`ea`) of document 002.
    package enum Kind: Int, Sendable, Hashable, CaseIterable {
        case tap = 6
        case longPress = 8
        case drag = 9
        case flick = 10
        /// Too long for a press and too short for a swipe; counted, never recorded.
        case unclassified = 0

        /// The name in the clickstream format.
        package var name: String {
            switch self {
            case .tap: "tap"
            case .longPress: "long_press"
            case .drag: "drag"
            case .flick: "flick"
            case .unclassified: "unclassified"
            }
        }
    }

    /// Direction of the finger. The raw value is the `fd` of document 002.
    package enum Direction: Int, Sendable, Hashable, CaseIterable {
        case up = 1
        case down = 2
        case left = 3
        case right = 4
        /// The path is much longer than the straight line.
        case complex = 5

        /// The name in the clickstream format.
        package var name: String {
            switch self {
            case .up: "up"
            case .down: "down"
            case .left: "left"
            case .right: "right"
            case .complex: "complex"
            }
        }
    }

    package init(
        kind: Kind,
        start: Capture.Point,
        distance: Double,
        velocity: Double,
        direction: Direction,
        duration: Int64
    ) {
        self.kind = kind
        self.start = start
        self.distance = distance
        self.velocity = velocity
        self.direction = direction
        self.duration = duration
    }
}
