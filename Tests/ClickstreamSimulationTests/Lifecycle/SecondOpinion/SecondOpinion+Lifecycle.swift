import ClickstreamCore
import ClickstreamReplay

/// The process: launch, foreground, background, and what its steps configure.
extension SecondOpinion {
    /// L1, L9, L10, L13, V1, V2, X1.
    mutating func launch() {
        let isNew = startsAnew(gap: lastUse.map { max(0, past[now].wall - $0.wall) })
        let stretch = isNew ? nextStretch : currentStretch
        let left = past.indices.dropLast().last { past[$0].isDeparture }
        if let withheld = left.flatMap({ past[$0].withheld }) { past[now].reported.append(withheld) }
        if let version = updated(\.app.version, "_app_update") {
            report("_app_update", ["_previous_app_version": .text(version)], in: stretch)
        }
        if let version = updated(\.device.osVersion, "_os_update") {
            report("_os_update", ["_previous_os_version": .text(version)], in: stretch)
        }
        if !hasHappened("_first_open") { report("_first_open", in: stretch) }
        report("_app_start", ["_is_first_time": .flag(true)], in: stretch)
        if isNew { past[now].began = stretch }
        if isNew || isStartForgotten(of: stretch) { report("_session_start", in: stretch) }
        for case .refused(let code) in configuredGlobals.map({ Verdict(onEvent: $0) }) { complain(code) }
    }

    /// L2, L8, L11, L14.
    mutating func comeBack(from entry: Entry) {
        guard entry.wasOn, !entry.wasSeen else { return }
        let isNew = startsAnew(gap: lastUse.map { past[now].steady - $0.steady }) || wasClockWrong
        let stretch = isNew ? nextStretch : currentStretch
        let shown = shown
        report("_app_start", ["_is_first_time": .flag(false)], in: stretch)
        guard isNew else { return }
        past[now].began = stretch
        report("_session_start", in: stretch)
        if let shown { report("_screen_view", shown.attributes.merging(["_entrances": .whole(1)]) { $1 }) }
    }

    /// L7, L12.
    mutating func leave() {
        let stay = stay
        if stay >= 1_000, isSet("isTrackUserEngagementEvents", otherwise: true) {
            report("_user_engagement", ["_engagement_time_msec": .whole(stay)])
        }
        report("_app_end")
    }

    /// True unless all events of that name waited for consent in vain.
    private func hasHappened(_ name: String) -> Bool {
        past.contains { $0.reported.contains { $0.name == name } }
    }

    // MARK: Looking back

    /// Where the current process began.
    func launch(before end: Int) -> Int {
        past[..<end].lastIndex { if case .launch = $0.action { true } else { false } } ?? 0
    }

    /// Steps of this process, including the present one.
    var life: ArraySlice<Entry> { past[launch(before: past.count)...] }

    enum Signal {
        case launch
        case foreground
        case background
    }

    var lastSignal: Signal? {
        for entry in past.reversed() {
            switch entry.action {
            case .launch: return .launch
            case .foreground: return .foreground
            case .background: return .background
            default: continue
            }
        }
        return nil
    }

    func isOn(before end: Int) -> Bool {
        for entry in past[..<end].reversed() {
            switch entry.action {
            case .launch, .enable: return true
            case .disable: return false
            default: continue
            }
        }
        return true
    }

    /// The step since which nothing is recorded: since recording is switched off, closed by consent, or one after the other.
    var refusedSince: Int {
        past.indices.dropLast().last { index in
            if case .launch = past[index].action { true } else { past[index].wasOn }
        } ?? 0
    }

    /// The value of a configuration key: of the process's `configure` steps, else of the launches, else of the script.
    func value(_ key: String) -> ConfigurationKey.Value? {
        for entry in life.reversed() {
            if case .configure(let entries, _) = entry.action, let found = entries.last(where: { $0.key == key }) {
                return found.value
            }
        }
        for entry in past.reversed() {
            if case .launch(let facts) = entry.action, let found = facts.configuration.last(where: { $0.key == key }) {
                return found.value
            }
        }
        return script.facts.configuration.last { $0.key == key }?.value
    }

    func isSet(_ key: String, otherwise fallback: Bool) -> Bool {
        if case .boolean(let flag)? = value(key) { flag } else { fallback }
    }

    /// Last value of a fact in the launches up to `end`.
    func stated(_ fact: KeyPath<LaunchFacts, String?>, before end: Int) -> String? {
        for entry in past[..<end].reversed() {
            if case .launch(let facts) = entry.action, let text = facts[keyPath: fact] { return text }
        }
        return script.facts[keyPath: fact]
    }

    /// Version of the last launch, if it differs from that of this launch.
    private func updated(_ fact: KeyPath<LaunchFacts, String?>, _ event: String) -> String? {
        guard hasHappened("_first_open") else { return nil }
        guard let version = stated(fact, before: now + 1), !version.isEmpty else { return nil }
        for index in past.indices.dropLast().reversed() {
            guard case .launch = past[index].action else { continue }
            // An installation or update whose event waited in vain is reported again.
            if past[index].forgotten.contains(where: { $0.name == event || $0.name == "_first_open" }) { continue }
            guard let known = stated(fact, before: index + 1), !known.isEmpty else { continue }
            return known == version ? nil : known
        }
        return nil
    }
}
