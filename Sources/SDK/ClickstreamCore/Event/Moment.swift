/// Simultaneous reading of the wall clock and of two monotonic clocks.
package struct Moment: Sendable, Hashable {
    /// The wall clock, in milliseconds since 1970 (UTC). It may jump in either direction.
    package var wall: Timestamp

    /// Milliseconds of a monotonic clock that includes suspended time (`CLOCK_BOOTTIME` on Linux).
    ///
    /// Only differences within one process are meaningful.
    package var steady: Int64

    /// Milliseconds of a monotonic clock that stops while the machine is suspended (`CLOCK_MONOTONIC` on Linux).
    ///
    /// Only differences within one process are meaningful.
    package var awake: Int64

    /// Creates a reading; `steady` and `awake` in milliseconds. Without `awake`, the machine is never suspended.
    package init(wall: Timestamp, steady: Int64, awake: Int64? = nil) {
        self.wall = wall
        self.steady = steady
        self.awake = awake ?? steady
    }

    /// The time for which the machine was suspended, in milliseconds from an arbitrary origin.
    @inline(__always)
    package var asleep: Int64 { steady &- awake }

    /// Returns the moment that is `milliseconds` later on all clocks.
    package func advanced(by milliseconds: Int64) -> Moment {
        Moment(wall: wall + milliseconds, steady: steady &+ milliseconds, awake: awake &+ milliseconds)
    }
}
