import ClickstreamReplay
import Synchronization

/// Progress of a replay with rate and time left. Callable from any thread.
final class ReplayProgress: Sendable {
    private let line: ProgressLine
    private let all: Script.Extent
    private let isTimed: Bool
    private let played = Mutex(Script.Extent())

    /// - Parameters:
    ///   - all: the total amount of work.
    ///   - isTimed: true if the script's clock determines the duration, false if the number of steps does.
    /// - Returns: `nil` if progress is not shown.
    init?(all: Script.Extent, isTimed: Bool) {
        guard let line = ProgressLine("step", of: all.steps) else { return nil }
        self.line = line
        self.all = all
        self.isTimed = isTimed
    }

    func advance(by extent: Script.Extent) {
        let played = played.withLock { played in
            played = played + extent
            return played
        }
        let share = Double(played.milliseconds) / Double(max(1, all.milliseconds))
        line.advance(by: extent.steps, share: isTimed ? share : nil)
    }

    /// Removes the progress line.
    func end() {
        line.end()
    }
}
