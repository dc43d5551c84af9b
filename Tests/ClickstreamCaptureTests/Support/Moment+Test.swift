import ClickstreamCore

extension Moment {
    /// A moment of tests, in milliseconds after their start. The wall clock started a million milliseconds before.
    static func at(_ milliseconds: Int64) -> Moment {
        Moment(wall: Timestamp(milliseconds: 1_000_000 + milliseconds), steady: milliseconds)
    }
}
