/// Unit that a number probably has where a time in milliseconds since 1970 is expected.
package enum TimeUnit: String, Sendable, Hashable, CaseIterable {
    case seconds, microseconds, nanoseconds
    /// Before 1973 in any of the units, as from a clock that was not set, or before 1970.
    case unknown

    /// Times that count as milliseconds: from 1973-03-03 to 5138-11-16. In seconds, microseconds and nanoseconds the
    /// same years have other numbers.
    package static let milliseconds: Range<Int64> = 100_000_000_000..<100_000_000_000_000

    /// Returns `nil` for a time in milliseconds.
    package init?(of time: Int64) {
        guard !Self.milliseconds.contains(time) else { return nil }
        self =
            switch time {
            case 100_000_000_000_000_000...: .nanoseconds
            case Self.milliseconds.upperBound...: .microseconds
            case 100_000_000...: .seconds
            default: .unknown
            }
    }

    /// The meaning of a finding, in the documents.
    static let meaning = """
        A time is outside the range of milliseconds since 1970: below \(milliseconds.lowerBound) (1973-03-03) or at \
        least \(milliseconds.upperBound) (5138-11-16). It is probably in seconds, microseconds or nanoseconds; the \
        message names the unit.
        """

    /// The remedy, in the documents.
    static let fix = """
        Multiply seconds by 1000, divide microseconds by 1000 and nanoseconds by 1000000. A time of 1970 comes from a \
        clock that was not set.
        """

    /// The end of a sentence: "the field is …".
    package var mismatch: String {
        self == .unknown
            ? "not a time in milliseconds since 1970: it is before 1973-03-03, as from a clock that was not set"
            : "probably in \(rawValue), not in milliseconds since 1970"
    }
}
