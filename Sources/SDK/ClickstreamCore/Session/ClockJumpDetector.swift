/// Detector of jumps of the wall clock, such as those of a machine whose clock is set after its start. Pure: every input
/// carries its time.
package struct ClockJumpDetector: Sendable, Equatable {
    /// The minimum jump, in milliseconds: a shorter one is an adjustment.
    package static let shortestJump: Int64 = 1_000

    /// The launch, or the input that revealed the latest jump.
    private var reference: Moment

    package init(at moment: Moment) {
        reference = moment
    }

    /// The movement of the wall clock against the monotonic clock since the reference; negative if it was set back.
    @inline(__always)
    private func movement(at moment: Moment) -> Int64 {
        (moment.wall - reference.wall) &- (moment.steady &- reference.steady)
    }

    /// True if ``receive(_:timeout:)`` may find a jump.
    @inline(__always)
    package func isPossible(at moment: Moment) -> Bool {
        movement(at: moment).magnitude >= UInt64(Self.shortestJump)
    }

    /// Handles an input. One that is older than the reference has no effect.
    /// - Returns: the jump in milliseconds, if the clock has moved by the timeout or more since the reference.
    package mutating func receive(_ moment: Moment, timeout: Int64) -> Int64? {
        let movement = movement(at: moment)
        guard moment.steady >= reference.steady,
            movement.magnitude >= UInt64(max(timeout, Self.shortestJump))
        else { return nil }
        reference = moment
        return movement
    }
}
