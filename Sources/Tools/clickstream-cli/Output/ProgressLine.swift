import ClickstreamCore
import Synchronization

/// Progress of a long command with rate and time left, as a line on standard error.
///
/// Shown on a terminal only, after the first second, five times a second at most. Callable from any thread.
final class ProgressLine: Sendable {
    private struct State: Sendable {
        var done = 0
        var shownAt: Int64?
    }

    private static let firstAfter: Int64 = 1_000
    private static let interval: Int64 = 200
    /// Smallest share of the work, and shortest time in milliseconds, after either of which the time left is estimated.
    private static let sample: (share: Double, milliseconds: Int64) = (0.01, 10_000)
    /// Longest estimate, in seconds: 100 hours.
    private static let longestEstimate = 360_000.0

    private let unit: String
    private let total: Int?
    private let time: any TimeSource
    private let show: @Sendable (String) -> Void
    private let start: Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - unit: noun of what is counted, in the singular.
    ///   - total: number of units of all the work; `nil` if it is unknown.
    /// - Returns: `nil` if progress is not shown.
    convenience init?(_ unit: String, of total: Int? = nil) {
        guard Console.showsProgress else { return nil }
        self.init(unit, of: total, time: SystemDependencies.time) { Console.showProgress($0) }
    }

    /// - Parameter show: replaces the line; an empty text removes it.
    init(_ unit: String, of total: Int?, time: any TimeSource, show: @escaping @Sendable (String) -> Void) {
        self.unit = unit
        self.total = total
        self.time = time
        self.show = show
        start = time.now().steady
    }

    /// Counts completed units.
    /// - Parameter share: the completed share of all the work, if not that of the units.
    func advance(by count: Int = 1, share: Double? = nil) {
        let now = time.now().steady
        let line: String? = state.withLock { state in
            state.done += count
            guard now - start >= Self.firstAfter, state.shownAt.map({ now - $0 >= Self.interval }) ?? true else {
                return nil
            }
            state.shownAt = now
            let share = share ?? total.map { Double(state.done) / Double(max(1, $0)) }
            return Self.text(state.done, unit, share: share, after: now - start)
        }
        if let line { show(line) }
    }

    /// Removes the line.
    func end() {
        if state.withLock({ $0.shownAt != nil }) { show("") }
    }

    // MARK: - Text

    /// `45 %, 310000 lines/s, 12 s left`; without a share `8200 lines, 310000 lines/s`.
    static func text(_ done: Int, _ unit: String, share: Double?, after milliseconds: Int64) -> String {
        let amount = share.map { "\(Int(max(0, min(1, $0)) * 100)) %" } ?? Plural.count(done, unit)
        let left = share.flatMap { secondsLeft(share: $0, after: milliseconds) }.flatMap { timeLeft($0) }
        return [amount, rate(done, unit, after: milliseconds), left].compactMap(\.self).joined(separator: ", ")
    }

    /// `310000 lines/s`, `1 step/s`, `20 steps/min`; `nil` below one an hour.
    static func rate(_ done: Int, _ unit: String, after milliseconds: Int64) -> String? {
        for (length, period) in [(1_000.0, "s"), (60_000, "min"), (3_600_000, "h")] {
            let rate = Double(done) * length / Double(max(1, milliseconds))
            if rate >= 1 { return "\(Plural.count(Int(rate), unit))/\(period)" }
        }
        return nil
    }

    /// Estimated rest of the work in seconds; `nil` at its end, and while too little of it is done for an estimate.
    static func secondsLeft(share: Double, after milliseconds: Int64) -> Double? {
        guard share > 0, share < 1, share >= sample.share || milliseconds >= sample.milliseconds else { return nil }
        return Double(milliseconds) / 1_000 * (1 - share) / share
    }

    /// `12 s left`, `3 min 20 s left`, `11 h 50 min left`; `nil` for more than a hundred hours.
    static func timeLeft(_ seconds: Double) -> String? {
        guard seconds < longestEstimate else { return nil }
        let seconds = max(0, Int(seconds.rounded(.up)))
        let parts =
            seconds < 3_600
            ? [(seconds / 60, "min"), (seconds % 60, "s")] : [(seconds / 3_600, "h"), (seconds % 3_600 / 60, "min")]
        let shown = parts.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        return (shown.isEmpty ? ["0 s"] : shown).joined(separator: " ") + " left"
    }
}
