import ClickstreamCore
import ClickstreamReplay
import Synchronization

/// Progress of a replay with rate and time left, on standard error.
///
/// Shown on a terminal only, after the first second. Callable from any thread.
final class ReplayProgress: Sendable {
    private struct State: Sendable {
        var done = Script.Extent()
        var shownAt: Int64?
    }

    private static let firstAfter: Int64 = 1_000
    private static let interval: Int64 = 200

    private let all: Script.Extent
    private let isTimed: Bool
    private let start = SystemDependencies.time.now().steady
    private let state = Mutex(State())

    /// - Parameters:
    ///   - all: the total amount of work.
    ///   - isTimed: true if the script's clock determines the duration, false if the number of steps does.
    /// - Returns: `nil` if progress is not shown.
    init?(all: Script.Extent, isTimed: Bool) {
        guard Console.showsProgress else { return nil }
        self.all = all
        self.isTimed = isTimed
    }

    func advance(by extent: Script.Extent) {
        let now = SystemDependencies.time.now().steady
        let line: String? = state.withLock { state in
            state.done = state.done + extent
            guard now - start >= Self.firstAfter, now - (state.shownAt ?? 0) >= Self.interval else { return nil }
            state.shownAt = now
            return Self.line(done: state.done, of: all, isTimed: isTimed, after: now - start)
        }
        if let line { Console.showProgress(line) }
    }

    /// Removes the progress line.
    func end() {
        if state.withLock({ $0.shownAt != nil }) { Console.showProgress("") }
    }

    /// `45 %, 310000 steps/s, 12 s left`
    static func line(done: Script.Extent, of all: Script.Extent, isTimed: Bool, after milliseconds: Int64) -> String {
        let share =
            isTimed
            ? Double(done.milliseconds) / Double(max(1, all.milliseconds))
            : Double(done.steps) / Double(max(1, all.steps))
        let rate = Double(done.steps) * 1_000 / Double(max(1, milliseconds))
        let left = share > 0 ? Double(milliseconds) / 1_000 * (1 - share) / share : 0
        return "\(Int(min(1, share) * 100)) %, \(Int(rate)) steps/s, \(Int(max(0, min(left, 1e9)).rounded(.up))) s left"
    }
}
