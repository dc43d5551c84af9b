/// Duration in texts for a person: `2h 03m`, `12m 31s`, `4.2s`; of a negative number of milliseconds, `0.0s`.
package struct ReadableDuration: Sendable, CustomStringConvertible {
    private let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = max(0, milliseconds)
    }

    package var description: String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = milliseconds / 1_000
        if seconds >= 3_600 { return "\(seconds / 3_600)h \(two(seconds / 60 % 60))m" }
        if seconds >= 60 { return "\(seconds / 60)m \(two(seconds % 60))s" }
        return "\(seconds).\(milliseconds % 1_000 / 100)s"
    }
}
