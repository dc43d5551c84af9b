package import ClickstreamCore

/// State machine of one-finger gestures. Pure: every input carries its time. Constant size, no allocation.
///
/// A sequence starts with a finger down while no other finger is down. It ends with that finger's up, which completes a
/// gesture, or without one: by a second finger, a cancel, leaving the window, or ``reset()``. The next sequence starts
/// once every finger was lifted.
package struct TouchMachine: Sendable, Equatable {
    /// The distance in logical pixels below which a gesture is a press.
    package static let pressDistance: Double = 24
    /// The distance in logical pixels above which a gesture is a swipe.
    package static let swipeDistance: Double = 48
    /// The longest tap, in milliseconds.
    package static let tapDuration: Int64 = 500
    /// The lowest velocity of a flick, in logical pixels per second.
    package static let flickVelocity: Double = 100
    /// The length of a path, relative to the straight line, above which its direction is complex.
    package static let complexity: Double = 1.5

    /// The fingers on the screen, one bit for each slot.
    private var fingers: UInt64 = 0
    /// The gesture in progress.
    ///
    /// Transitions: the first finger's down starts it. Its moves extend it. All other inputs of ``receive(_:at:)`` end
    /// it, except for moves and ends of other fingers, and so does ``reset()``.
    private var sequence: Sequence?

    private struct Sequence: Sendable, Equatable {
        var finger: UInt8
        var start: Capture.Point
        /// The monotonic time of the down.
        var began: Int64
        var last: Capture.Point
        /// The square of the greatest distance from the start.
        var squaredDistance: Double = 0
        /// The sum of the lengths of all moves.
        var path: Double = 0

        mutating func move(to point: Capture.Point) {
            squaredDistance = max(squaredDistance, start.squaredDistance(to: point))
            path += last.distance(to: point)
            last = point
        }
    }

    package init() {}

    /// Handles a touch event.
    /// - Returns: the gesture that it completes.
    package mutating func receive(_ touch: Capture.Touch, at moment: Moment) -> TouchGesture? {
        let finger = UInt64(1) << UInt64(touch.finger & 63)
        switch touch.phase {
        case .down:
            // The same finger again: its end was not reported.
            let isFirst = fingers & ~finger == 0
            fingers |= finger
            sequence =
                isFirst
                ? Sequence(finger: touch.finger, start: touch.point, began: moment.steady, last: touch.point) : nil
            return nil
        case .move:
            if sequence?.finger == touch.finger { sequence?.move(to: touch.point) }
            return nil
        case .cancel, .leave:
            fingers &= ~finger
            if sequence?.finger == touch.finger { sequence = nil }
            return nil
        case .up:
            fingers &= ~finger
            guard var ended = sequence, ended.finger == touch.finger else { return nil }
            sequence = nil
            ended.move(to: touch.point)
            return Self.gesture(ended, at: moment)
        }
    }

    /// Ends the sequence without a gesture, and lifts all fingers: the app is not visible any more.
    package mutating func reset() {
        self = TouchMachine()
    }

    private static func gesture(_ sequence: Sequence, at moment: Moment) -> TouchGesture {
        let duration = max(1, moment.steady &- sequence.began)
        let distance = sequence.squaredDistance.squareRoot()
        let velocity = sequence.path * 1_000 / Double(duration)
        return TouchGesture(
            kind: kind(distance: distance, duration: duration, velocity: velocity),
            start: sequence.start,
            distance: distance,
            velocity: velocity,
            direction: direction(sequence),
            duration: duration
        )
    }

    private static func kind(distance: Double, duration: Int64, velocity: Double) -> TouchGesture.Kind {
        if distance < pressDistance { return duration > tapDuration ? .longPress : .tap }
        guard distance > swipeDistance else { return .unclassified }
        return velocity < flickVelocity ? .drag : .flick
    }

    private static func direction(_ sequence: Sequence) -> TouchGesture.Direction {
        guard sequence.path <= complexity * sequence.start.distance(to: sequence.last) else { return .complex }
        let (right, down) = (sequence.last.x - sequence.start.x, sequence.last.y - sequence.start.y)
        if abs(right) > abs(down) { return right < 0 ? .left : .right }
        return down > 0 ? .down : .up
    }
}
