/// One reading of the clocks: what a person's clock shows, and a clock that nobody can set.
public struct Moment: Sendable, Hashable {
    /// The wall clock, in milliseconds since 1970 (UTC). It may jump either way.
    public var wall: Timestamp

    /// Milliseconds of a clock that never runs backwards and goes on through suspend (`CLOCK_BOOTTIME` on Linux).
    ///
    /// Only differences within one process mean anything.
    public var steady: Int64

    public init(wall: Timestamp, steady: Int64) {
        self.wall = wall
        self.steady = steady
    }
}
