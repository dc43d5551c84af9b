import ClickstreamCore
import ClickstreamReplay

/// The session, and the clock.
extension SecondOpinion {
    // MARK: Looking back: the session

    var lastUse: Entry? { past.dropLast().last { $0.isUse } }

    /// "A stored session continues when now - lastActive < timeout (strict)."
    func startsAnew(gap: Int64?) -> Bool {
        guard let gap else { return true }
        if case .integer(let timeout)? = value("sessionTimeoutDuration") { return gap >= timeout }
        return gap >= 1_800_000
    }

    /// The session that was started last, also if its start waited for consent in vain.
    var currentStretch: Stretch { past.lazy.compactMap(\.began).last ?? nextStretch }

    var nextStretch: Stretch {
        let starts = past.count { $0.began != nil }
        return Stretch(
            number: Int64(starts + 1),
            person: profile(before: now).person,
            start: past[now].wall,
            steady: past[now].steady,
            launch: launch(before: past.count)
        )
    }

    /// By the steady clock within a process; the earlier part of a session by the wall clock at the launch.
    func duration(of stretch: Stretch) -> Int64 {
        let launch = launch(before: past.count)
        if stretch.launch == launch { return past[now].steady - stretch.steady }
        return max(0, past[launch].wall - start(of: stretch)) + past[now].steady - past[launch].steady
    }

    func isStartForgotten(of stretch: Stretch) -> Bool {
        !past.contains {
            $0.reported.contains { $0.name == "_session_start" && $0["_session_id"] == .sessionID(stretch) }
        }
    }

    // MARK: Looking back: the clock

    /// "If the wall clock moves forward against the boot clock by at least the timeout within a process", or back.
    func jump(noticedBy action: Step.Action) -> Int64 {
        switch action {
        // No call, or one without a time.
        case .launch, .kill, .crash, .wait, .sleep, .clock, .flush, .network, .input, .repeat: return 0
        case .consent(let steps) where steps.isEmpty: return 0
        default: break
        }
        let since = life.last { $0.jump != 0 } ?? past[launch(before: past.count)]
        let jump = wall - since.wall - (steady - since.steady)
        var timeout: Int64 = 1_800_000
        if case .integer(let number)? = value("sessionTimeoutDuration") { timeout = number }
        return abs(jump) >= max(timeout, 1_000) ? jump : 0
    }

    /// "The next foreground begins a new session": since the last one that decided.
    var wasClockWrong: Bool {
        if past[now].jump > 0 { return true }
        for entry in life.dropLast().reversed() {
            if case .foreground = entry.action, entry.wasOn, !entry.wasSeen { return false }
            if entry.jump > 0 { return true }
        }
        return false
    }

    /// By how much a time of the step `index` is corrected up to the step `end`, by jumps in the same process.
    func correction(of index: Int, through end: Int) -> Int64 {
        var sum: Int64 = 0
        for entry in past.prefix(end + 1).dropFirst(index + 1) {
            if case .launch = entry.action { break }
            sum += entry.jump
        }
        return sum
    }

    func start(of stretch: Stretch) -> Int64 {
        let began = past.firstIndex { $0.began == stretch }
        return stretch.start + (began.map { correction(of: $0, through: now) } ?? 0)
    }
}
