/// Parameters of a recognized gesture in whole pixels, percent or degrees, truncated towards zero.
package enum GestureParameters: Sendable, Hashable {
    case tap(x: Int, y: Int, fingers: Int)
    case longPress(x: Int, y: Int, fingers: Int)
    /// - change: end minus start.
    case scale(start: Int, end: Int, change: Int)
    case rotate(start: Int, end: Int, change: Int)
    case move(Move)

    /// The type in all formats.
    package var name: String {
        switch self {
        case .tap: "tap"
        case .longPress: "long_press"
        case .scale: "scale"
        case .rotate: "rotate"
        case .move: "move"
        }
    }

    package struct Move: Sendable, Hashable {
        package var startX: Int
        package var startY: Int
        package var endX: Int
        package var endY: Int
        /// The absolute horizontal distance.
        package var distanceX: Int
        /// The absolute vertical distance.
        package var distanceY: Int

        package init(startX: Int, startY: Int, endX: Int, endY: Int, distanceX: Int, distanceY: Int) {
            self.startX = startX
            self.startY = startY
            self.endX = endX
            self.endY = endY
            self.distanceX = distanceX
            self.distanceY = distanceY
        }
    }
}
