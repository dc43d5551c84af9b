/// Simultaneous reading of the wall clock and of a monotonic clock.
public struct Moment: Sendable, Hashable {
    /// The wall clock, in milliseconds since 1970 (UTC). It may jump in either direction.
    public var wall: Timestamp

    /// Milliseconds of a monotonic clock that includes suspended time (`CLOCK_BOOTTIME` on Linux).
    ///
    /// Only differences within one process are meaningful.
    public var steady: Int64

    /// Creates a reading; `steady` in milliseconds.
    public init(wall: Timestamp, steady: Int64) {
        self.wall = wall
        self.steady = steady
    }
}
