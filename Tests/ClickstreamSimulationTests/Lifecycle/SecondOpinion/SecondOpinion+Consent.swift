import ClickstreamCore
import ClickstreamReplay

/// Consent, and the events that wait for it.
extension SecondOpinion {
    /// Consent at a moment.
    struct Gate: Equatable {
        enum Way {
            case open
            case waiting
            case closed
        }

        var way: Way
        /// True if events carry the user.
        var isPersonal: Bool
    }

    /// Consent before the step `end`: the latest decisions under the configured policy.
    func gate(before end: Int) -> Gate {
        var decisions: [ConsentPurpose: ConsentDecision] = [:]
        for index in past.indices.prefix(end) where !undone.contains(index) {
            guard case .consent(let steps) = past[index].action else { continue }
            for step in steps { decisions[step.purpose] = step.decision }
        }
        var policy = "notRequired"
        if case .text(let word)? = value("consent") { policy = word }
        let way: Gate.Way =
            switch decisions[.analytics] ?? .undecided {
            case .granted: .open
            case .denied: .closed
            case .undecided: policy == "hold" ? .waiting : policy == "drop" ? .closed : .open
            }
        let personal = decisions[.personalization] ?? .undecided
        return Gate(way: way, isPersonal: personal == .granted || personal == .undecided && policy == "notRequired")
    }

    /// A decision, after which consent is `next`.
    mutating func decide(after next: Gate) {
        let before = gate
        let losesUser = before.isPersonal && !next.isPersonal
        let withdraws =
            switch before.way {
            case .open: next.way != .open || losesUser
            case .waiting: next.way == .closed || losesUser
            case .closed: false
            }
        if withdraws {
            outcomes.consentDropped += outcomes.stored.count + waiting.count
            outcomes.stored = []
            waiting = []
        } else if next.way == .open {
            keep(waiting)
            waiting = []
        }
        if next.way == .waiting, before.way != .waiting { waitingSince = now }
        if next.way != .waiting { waitingSince = nil }
        past[now].opens = before.way == .closed && next.way != .closed
        gate = next
        guard past[now].wasSwitchedOn, next.way != .closed, next.isPersonal else { return }
        let hasProfile = profile(before: now).traits.count > 1
        let isOther = before.way == .closed && profile(before: refusedSince) != profile(before: now)
        if !before.isPersonal && hasProfile || isOther { report("_profile_set") }
    }

    /// Events reach the disk.
    private mutating func keep(_ events: [Sighting]) {
        recorded[now] += events
        outcomes.stored += events.map(\.position)
    }

    /// What becomes of the events of the step.
    mutating func settle() {
        for number in past[now].reported.indices {
            past[now].reported[number].position = .init(step: now, number: number)
        }
        let reported = past[now].reported
        switch gate.way {
        case .open: keep(reported)
        case .closed: outcomes.consentDropped += reported.count
        case .waiting:
            var limit = 1_000
            if case .integer(let number)? = value("maxHeldEvents") { limit = Int(number) }
            let fitting = reported.prefix(max(0, limit - waiting.count))
            waiting += fitting
            outcomes.consentDropped += reported.count - fitting.count
        }
        guard past[now].isDeparture else { return }
        if case .terminate = past[now].action { outcomes.consentDropped += waiting.count }
        waiting = []
        guard let since = waitingSince else { return }
        for index in since...now {
            past[index].forgotten = past[index].reported
            past[index].reported = []
        }
        waitingSince = nil
    }
}
