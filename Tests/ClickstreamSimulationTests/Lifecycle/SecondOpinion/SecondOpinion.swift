import ClickstreamCore
import ClickstreamReplay

/// Predicts the events of a script from the lifecycle's table alone: a second opinion on what the library does.
///
/// Written as differently from the library as could be. There are no machines and there is no state but the past: the
/// list of what happened and what was recorded of it. Every question ("which session is this?", "since when is the
/// screen shown?") is answered by looking back over that list, so that a rule is in one place with its words from
/// the table. Costs a walk over the history for every answer; histories are short.
struct SecondOpinion {
    /// Executed step, with the clocks at that moment and the state just before it.
    private struct Entry {
        var action: Step.Action
        var wall: Int64
        var steady: Int64
        /// True if the app was visible just before.
        var wasSeen: Bool
        /// True if the platform's last signal before was foreground.
        var wasInFront: Bool
        /// True if recording was switched on just before.
        var wasSwitchedOn: Bool
        /// What became of an event just before.
        var gate: Gate
        /// True if events were recorded, or waited for consent, just before.
        var wasOn: Bool { wasSwitchedOn && gate.way != .closed }
        /// Jump of the wall clock that the step notices, just before it.
        var jump: Int64
        /// Session that the step starts.
        var began: Stretch?
        /// True if a decision ends the time without consent.
        var opens = false
        /// Recorded events, in order.
        var told: [Sighting] = []
        /// Crash event to be recorded by the next launch.
        var withheld: Sighting?
        /// Events that waited for consent when their process ended: they never happened.
        var forgotten: [Sighting] = []

        /// True if the step is use of the app: the moment of background, an event in the foreground, a crash there.
        var isUse: Bool {
            switch action {
            case .background, .terminate: wasSeen
            case .launch: true
            case .crash: wasSeen && withheld != nil
            // By its first event the app is visible again.
            case .foreground: !told.isEmpty || began != nil
            default: wasSeen && !told.isEmpty
            }
        }

        var isDeparture: Bool {
            switch action {
            case .terminate, .kill, .crash: true
            default: false
            }
        }
    }

    private let script: Script
    private var past: [Entry] = []
    private var wall: Int64
    private var steady: Int64 = 0
    private let deviceID: String
    /// Steps whose decision was lost with the process, before it was stored.
    private let undone: Set<Int>
    private var outcomes = Outcomes()
    /// Consent as it applies to events now.
    private var gate = Gate(way: .open, isPersonal: true)
    /// Events that wait for consent.
    private var waiting: [Sighting] = []
    /// The steps since which events wait, or are dropped for lack of consent.
    private var waitingSince: Int?
    private var closedSince = 0
    /// The events of each step that reach the disk in it: of the step, or of earlier ones that waited.
    private var recorded: [[Sighting]] = []

    /// What becomes of the events besides those on the disk.
    struct Outcomes: Equatable {
        var consentDropped = 0
        var sampledOut = 0
        /// The events on the disk.
        var stored: [Sighting.Place] = []
    }

    /// Consent at a moment.
    private struct Gate: Equatable {
        enum Way {
            case open
            case waiting
            case closed
        }

        var way: Way
        /// True if events carry the user.
        var isPersonal: Bool
    }

    private init(of script: Script, start: Int64, deviceID: String, undone: Set<Int>) {
        self.script = script
        wall = start
        self.deviceID = deviceID
        self.undone = undone
    }

    /// The events that each step of `script` must record, and what becomes of all. The script has no `repeat`.
    /// - Parameters:
    ///   - deviceID: the device's id, which decides on sampled events.
    ///   - undone: consent steps whose decision was not stored, since the process was killed in them.
    static func predictions(
        for script: Script,
        start: Int64,
        deviceID: String = "",
        undone: Set<Int> = []
    ) -> (events: [[Sighting]], outcomes: Outcomes) {
        var opinion = SecondOpinion(of: script, start: start, deviceID: deviceID, undone: undone)
        for step in script.steps { opinion.take(step.action) }
        return (opinion.recorded, opinion.outcomes)
    }

    private mutating func take(_ action: Step.Action) {
        let isLaunch = if case .launch = action { true } else { false }
        gate = gate(before: past.count)
        if isLaunch {
            waitingSince = gate.way == .waiting ? past.count : nil
            closedSince = past.count
        }
        past.append(
            Entry(
                action: action,
                wall: wall,
                steady: steady,
                wasSeen: !isLaunch && lastSignal != .background,
                wasInFront: !isLaunch && lastSignal == .foreground,
                wasSwitchedOn: isLaunch || isOn(before: past.count),
                gate: gate,
                jump: jump(noticedBy: action)
            )
        )
        recorded.append([])
        happen(action)
        settle()
        switch action {
        case .wait(let milliseconds):
            wall += milliseconds
            steady += milliseconds
        case .clock(.by(let milliseconds)): wall += milliseconds
        case .clock(.to(let time)): wall = time.milliseconds
        default: break
        }
    }

    private var now: Int { past.count - 1 }

    // MARK: What a step records

    private mutating func happen(_ action: Step.Action) {
        let entry = past[now]
        switch action {
        case .launch:
            launch()
        case .foreground:
            comeBack(from: entry)
        case .background, .terminate:
            if entry.wasSeen, entry.wasOn { leave() }
        case .crash(let message, let stack)
        where entry.wasOn && entry.gate.way == .open && isSet("isTrackAppExceptionEvents", otherwise: false):
            past[now].withheld = sighting(
                "_app_exception",
                ["_exception_message": .text(message), "_exception_stack": .text(stack)]
            )
        case .screen(let name, let id, let uniqueID, _):
            guard entry.wasOn, isSet("isTrackScreenViewEvents", otherwise: true) else { return }
            view(
                Shown(
                    name: .text(name),
                    id: id.map { .text($0) },
                    uniqueID: uniqueID.map { .text($0) } ?? .derived(from: name)
                )
            )
        case .record where !entry.wasOn:
            if entry.wasSwitchedOn { outcomes.consentDropped += 1 }
        case .record("_screen_view", let attributes, let items):
            viewByHand(attributes, items)
        case .record(let name, let attributes, let items):
            record(name, attributes, items)
        case .userID(let id):
            if entry.wasOn { login(id) }
        case .addUserAttributes(let attributes):
            guard entry.wasOn else { return }
            for case .refused(let code) in attributes.map({ Verdict(onUser: $0) }) { complain(code) }
            tell("_profile_set")
        case .addGlobalAttributes(let attributes):
            guard entry.wasOn else { return }
            for case .refused(let code) in attributes.map({ Verdict(onEvent: $0) }) { complain(code) }
        case .enable:
            if !entry.wasSwitchedOn, entry.gate.way != .closed, profile(before: offSince) != profile(before: now) {
                tell("_profile_set")
            }
        case .consent:
            if !undone.contains(now) { decide(after: gate(before: now + 1)) }
        // Histories have no sleeps.
        case .crash, .kill, .disable, .configure, .deleteGlobalAttributes, .wait, .sleep, .clock, .flush, .network,
            .input, .repeat:
            break
        }
    }

    /// L1, L9, L10, L13, V1, V2, X1.
    private mutating func launch() {
        let isNew = startsAnew(gap: lastUse.map { max(0, past[now].wall - $0.wall) })
        let stretch = isNew ? nextStretch : currentStretch
        let left = past.indices.dropLast().last { past[$0].isDeparture }
        if let withheld = left.flatMap({ past[$0].withheld }) { past[now].told.append(withheld) }
        if let version = updated(\.app.version, "_app_update") {
            tell("_app_update", ["_previous_app_version": .text(version)], in: stretch)
        }
        if let version = updated(\.device.osVersion, "_os_update") {
            tell("_os_update", ["_previous_os_version": .text(version)], in: stretch)
        }
        if !hasHappened("_first_open") { tell("_first_open", in: stretch) }
        tell("_app_start", ["_is_first_time": .flag(true)], in: stretch)
        if isNew { past[now].began = stretch }
        if isNew || isStartForgotten(of: stretch) { tell("_session_start", in: stretch) }
        for case .refused(let code) in configuredGlobals.map({ Verdict(onEvent: $0) }) { complain(code) }
    }

    /// L2, L8, L11, L14.
    private mutating func comeBack(from entry: Entry) {
        guard entry.wasOn, !entry.wasSeen else { return }
        let isNew = startsAnew(gap: lastUse.map { past[now].steady - $0.steady }) || wasClockWrong
        let stretch = isNew ? nextStretch : currentStretch
        let shown = shown
        tell("_app_start", ["_is_first_time": .flag(false)], in: stretch)
        guard isNew else { return }
        past[now].began = stretch
        tell("_session_start", in: stretch)
        if let shown { tell("_screen_view", shown.attributes.merging(["_entrances": .whole(1)]) { $1 }) }
    }

    /// L7, L12.
    private mutating func leave() {
        let stay = stay
        if stay >= 1_000, isSet("isTrackUserEngagementEvents", otherwise: true) {
            tell("_user_engagement", ["_engagement_time_msec": .whole(stay)])
        }
        tell("_app_end")
    }

    /// L3 to L6, M1: `own` are the caller's attributes in addition to the screen.
    private mutating func view(
        _ screen: Shown,
        own: [String: Sighting.Value] = [:],
        without names: [String] = [],
        items: [String] = []
    ) {
        let before = shown
        guard before != screen else { return }
        let stay = before == nil ? 0 : stay
        if stay >= 1_000, isSet("isTrackUserEngagementEvents", otherwise: true) {
            tell("_user_engagement", ["_engagement_time_msec": .whole(stay)])
        }
        let earlier = viewsOfSession.last
        var attributes = screen.attributes
        attributes["_entrances"] = .whole(earlier == nil ? 1 : 0)
        attributes["_previous_screen_name"] = before?.name
        attributes["_previous_screen_id"] = before?.id
        attributes["_previous_screen_unique_id"] = before?.uniqueID
        attributes["_previous_timestamp"] = earlier.map { .whole($0.time) }
        attributes["_engagement_time_msec"] = stay > 0 ? .whole(stay) : nil
        var viewed = sighting("_screen_view", own.merging(attributes) { $1 }, without: names)
        viewed.items = items
        past[now].told.append(viewed)
    }

    /// M1 to M5.
    private mutating func viewByHand(_ attributes: Attributes, _ items: [Attributes]) {
        guard case .string(let name)? = attributes["_screen_name"], (1...1_024).contains(name.unicodeScalars.count)
        else {
            return complain(5_001)
        }
        func id(_ value: AttributeValue?) -> Sighting.Value? {
            switch value {
            case .string(let text) where (1...1_024).contains(text.unicodeScalars.count): .text(text)
            case .integer(let number): .text(String(number))
            default: nil
            }
        }
        let screen = Shown(
            name: .text(name),
            id: id(attributes["_screen_id"]),
            uniqueID: id(attributes["_screen_unique_id"]) ?? .derived(from: name)
        )
        let reserved = [
            "_screen_name", "_screen_id", "_screen_unique_id", "_entrances", "_previous_screen_name",
            "_previous_screen_id", "_previous_screen_unique_id", "_previous_timestamp", "_engagement_time_msec",
        ]
        let given = attributes.filter { !reserved.contains($0.name) }
        let (own, code) = Verdict.sorted(given)
        view(
            screen,
            own: Self.with(code ?? Verdict.code(of: items), in: own),
            without: given.map(\.name),
            items: items.compactMap(Verdict.id)
        )
    }

    /// X2 to X4.
    private mutating func record(_ name: String, _ attributes: Attributes, _ items: [Attributes]) {
        guard name.unicodeScalars.count <= 50 else { return complain(1_002) }
        guard Verdict.isName(name) else { return complain(1_001) }
        let (own, code) = Verdict.sorted(attributes.map { $0 })
        var all = Self.with(code ?? Verdict.code(of: items), in: own)
        if let rate = rate(of: name) {
            guard isInSample(name, rate) else {
                outcomes.sampledOut += 1
                return
            }
            all["_sampling_rate"] = .real(rate)
        }
        var event = sighting(name, all, without: attributes.map(\.name))
        event.items = items.compactMap(Verdict.id)
        past[now].told.append(event)
    }

    private static func with(_ code: Int64?, in own: [String: Sighting.Value]) -> [String: Sighting.Value] {
        guard let code else { return own }
        return own.merging(["_error_code": .whole(code), "_error_message": .words]) { $1 }
    }

    /// U2 to U7.
    private mutating func login(_ id: String?) {
        guard let id else {
            if turns(before: now).last.flatMap(\.id) != nil { tell("_profile_set") }
            return
        }
        guard !id.isEmpty else { return complain(3_003) }
        guard id.unicodeScalars.count <= 256 else { return complain(3_004) }
        tell("_profile_set")
    }

    private mutating func complain(_ code: Int64) {
        tell("_clickstream_error", ["_error_code": .whole(code), "_error_message": .words])
    }

    // MARK: Consent

    /// Consent before the step `end`: the latest decisions under the configured policy.
    private func gate(before end: Int) -> Gate {
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
    private mutating func decide(after next: Gate) {
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
        let known = closedSince
        if next.way == .closed, before.way != .closed { closedSince = now }
        past[now].opens = before.way == .closed && next.way != .closed
        gate = next
        guard past[now].wasSwitchedOn, next.way != .closed, next.isPersonal else { return }
        let hasProfile = profile(before: now).traits.count > 1
        let isOther = before.way == .closed && profile(before: known) != profile(before: now)
        if !before.isPersonal && hasProfile || isOther { tell("_profile_set") }
    }

    /// Events reach the disk.
    private mutating func keep(_ events: [Sighting]) {
        recorded[now] += events
        outcomes.stored += events.map(\.place)
    }

    /// What becomes of the events of the step.
    private mutating func settle() {
        for number in past[now].told.indices { past[now].told[number].place = .init(step: now, number: number) }
        let told = past[now].told
        switch gate.way {
        case .open: keep(told)
        case .closed: outcomes.consentDropped += told.count
        case .waiting:
            var limit = 1_000
            if case .integer(let number)? = value("maxHeldEvents") { limit = Int(number) }
            let fitting = told.prefix(max(0, limit - waiting.count))
            waiting += fitting
            outcomes.consentDropped += told.count - fitting.count
        }
        guard past[now].isDeparture else { return }
        if case .terminate = past[now].action { outcomes.consentDropped += waiting.count }
        waiting = []
        guard let since = waitingSince else { return }
        for index in since...now {
            past[index].forgotten = past[index].told
            past[index].told = []
        }
        waitingSince = nil
    }

    /// True unless all events of that name waited for consent in vain.
    private func hasHappened(_ name: String) -> Bool {
        past.contains { $0.told.contains { $0.name == name } }
    }

    private func isStartForgotten(of stretch: Stretch) -> Bool {
        !past.contains {
            $0.told.contains { $0.name == "_session_start" && $0["_session_id"] == .sessionID(stretch) }
        }
    }

    // MARK: Sampling

    private func rate(of name: String) -> Double? {
        guard case .attributes(let rates)? = value("sampling") else { return nil }
        switch rates[name] {
        case .integer(let number): return Double(number)
        case .double(let number): return number
        default: return nil
        }
    }

    /// By the first 53 bits of the digest of device and name, as a fraction.
    private func isInSample(_ name: String, _ rate: Double) -> Bool {
        var position = 0.0
        for byte in SHA256.digest(of: Array("\(deviceID) \(name)".utf8)).prefix(8).reversed() {
            position = (position + Double(byte)) / 256
        }
        return position < rate
    }

    // MARK: The event itself

    private mutating func tell(
        _ name: String,
        _ attributes: [String: Sighting.Value] = [:],
        in stretch: Stretch? = nil
    ) {
        past[now].told.append(sighting(name, attributes, in: stretch))
    }

    /// The event with what is common to all: session, screen, globals, user.
    /// - Parameter names: globals that do not hold for it, since it has, or was to have, its own.
    private func sighting(
        _ name: String,
        _ attributes: [String: Sighting.Value],
        without names: [String] = [],
        in given: Stretch? = nil
    ) -> Sighting {
        let stretch = given ?? currentStretch
        var all = globals.filter { !names.contains($0.key) }
        all["_screen_name"] = shown?.name
        all["_screen_unique_id"] = shown?.uniqueID
        all["_session_id"] = .sessionID(stretch)
        all["_session_number"] = .whole(stretch.number)
        all["_session_start_timestamp"] = .whole(start(of: stretch))
        all["_session_duration"] = .whole(duration(of: stretch))
        // What is wrong with a step is recorded before the step changes anything.
        let profile = profile(before: name == "_profile_set" ? now + 1 : now)
        var user = profile.traits
        if !gate.isPersonal { user = user.filter { $0.key == "_user_first_touch_timestamp" } }
        if name != "_profile_set", !isSet("userAttributesInEveryEvent", otherwise: true) {
            user = user.filter { $0.key == "_user_id" || $0.key == "_user_first_touch_timestamp" }
        }
        return Sighting(
            name: name,
            time: past[now].wall,
            attributes: all.merging(attributes) { $1 },
            user: user,
            person: profile.person,
            appVersion: stated(\.app.version, before: now + 1) ?? ""
        )
    }

    // MARK: Looking back: the process

    /// Where the current process began.
    private func launch(before end: Int) -> Int {
        past[..<end].lastIndex { if case .launch = $0.action { true } else { false } } ?? 0
    }

    /// Steps of this process, including the present one.
    private var life: ArraySlice<Entry> { past[launch(before: past.count)...] }

    private enum Signal {
        case launch
        case foreground
        case background
    }

    private var lastSignal: Signal? {
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

    private func isOn(before end: Int) -> Bool {
        for entry in past[..<end].reversed() {
            switch entry.action {
            case .launch, .enable: return true
            case .disable: return false
            default: continue
            }
        }
        return true
    }

    /// Where recording was switched off, when it is off now.
    private var offSince: Int {
        past.indices.dropLast().last { past[$0].wasSwitchedOn } ?? 0
    }

    /// The value of a configuration key: of the process's `configure` steps, else of the launches, else of the script.
    private func value(_ key: String) -> ConfigurationKey.Value? {
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

    private func isSet(_ key: String, otherwise fallback: Bool) -> Bool {
        if case .boolean(let flag)? = value(key) { flag } else { fallback }
    }

    /// Last value of a fact in the launches up to `end`.
    private func stated(_ fact: KeyPath<LaunchFacts, String?>, before end: Int) -> String? {
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

    // MARK: Looking back: the session

    private var lastUse: Entry? { past.dropLast().last { $0.isUse } }

    /// "A stored session continues when now - lastActive < timeout (strict)."
    private func startsAnew(gap: Int64?) -> Bool {
        guard let gap else { return true }
        if case .integer(let timeout)? = value("sessionTimeoutDuration") { return gap >= timeout }
        return gap >= 1_800_000
    }

    /// The session that was started last, also if its start waited for consent in vain.
    private var currentStretch: Stretch { past.lazy.compactMap(\.began).last ?? nextStretch }

    private var nextStretch: Stretch {
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
    private func duration(of stretch: Stretch) -> Int64 {
        let launch = launch(before: past.count)
        if stretch.launch == launch { return past[now].steady - stretch.steady }
        return max(0, past[launch].wall - start(of: stretch)) + past[now].steady - past[launch].steady
    }

    // MARK: Looking back: the clock

    /// "If the wall clock moves forward against the boot clock by at least the timeout within a process", or back.
    private func jump(noticedBy action: Step.Action) -> Int64 {
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
    private var wasClockWrong: Bool {
        if past[now].jump > 0 { return true }
        for entry in life.dropLast().reversed() {
            if case .foreground = entry.action, entry.wasOn, !entry.wasSeen { return false }
            if entry.jump > 0 { return true }
        }
        return false
    }

    /// By how much a time of the step `index` is corrected up to the step `end`, by jumps in the same process.
    private func correction(of index: Int, through end: Int) -> Int64 {
        var sum: Int64 = 0
        for entry in past.prefix(end + 1).dropFirst(index + 1) {
            if case .launch = entry.action { break }
            sum += entry.jump
        }
        return sum
    }

    private func start(of stretch: Stretch) -> Int64 {
        let began = past.firstIndex { $0.began == stretch }
        return stretch.start + (began.map { correction(of: $0, through: now) } ?? 0)
    }

    // MARK: Looking back: the screen

    private struct Shown: Equatable {
        var name: Sighting.Value
        var id: Sighting.Value?
        var uniqueID: Sighting.Value?

        var attributes: [String: Sighting.Value] {
            var attributes = ["_screen_name": name]
            attributes["_screen_id"] = id
            attributes["_screen_unique_id"] = uniqueID
            return attributes
        }
    }

    /// The screen is the one that was viewed last in this process.
    private var shown: Shown? {
        for entry in life.reversed() {
            for event in entry.told.reversed() where event.name == "_screen_view" {
                guard let name = event["_screen_name"] else { continue }
                return Shown(name: name, id: event["_screen_id"], uniqueID: event["_screen_unique_id"])
            }
        }
        return nil
    }

    private var viewsOfSession: [Sighting] {
        let number = Sighting.Value.whole(currentStretch.number)
        return past.flatMap(\.told).filter { $0.name == "_screen_view" && $0["_session_number"] == number }
    }

    /// How long the engagement clock has run: since the last view or return while the app was visible, or since recording
    /// was switched on again meanwhile; not at all after a background.
    private var stay: Int64 {
        let end = past[now].steady
        var again: Int64?
        for entry in life.dropLast().reversed() {
            let isView = entry.told.contains { $0.name == "_screen_view" }
            switch entry.action {
            case .foreground where entry.wasOn && !entry.wasInFront:
                return end - (again ?? entry.steady)
            case .background where entry.wasSeen:
                return 0
            case .enable where !entry.wasSwitchedOn:
                again = again ?? entry.steady
            case .consent where entry.gate.way == .closed && entry.opens:
                again = again ?? entry.steady
            case _ where isView:
                return entry.wasSeen ? end - (again ?? entry.steady) : 0
            default:
                continue
            }
        }
        return 0
    }

    // MARK: Looking back: globals

    private var configuredGlobals: [Attributes.Element] {
        if case .attributes(let attributes)? = value("globalAttributes") { Array(attributes) } else { [] }
    }

    private var globals: [String: Sighting.Value] {
        var globals: [String: Sighting.Value] = [:]
        let end = if case .addGlobalAttributes = past[now].action { life.endIndex - 1 } else { life.endIndex }
        for entry in life[..<end] {
            switch entry.action {
            case .launch: globals = Verdict.sorted(configuredGlobals).kept
            case .addGlobalAttributes(let attributes):
                globals.merge(Verdict.sorted(attributes.map { $0 }).kept) { $1 }
            case .deleteGlobalAttributes(let names):
                for name in names { globals[name] = nil }
            default: break
            }
        }
        return globals
    }

    // MARK: Looking back: the user

    private struct Profile: Equatable {
        var person: Int
        var traits: [String: Sighting.Trait]
    }

    /// A login or a logout that changed who is logged in.
    private struct Turn {
        var index: Int
        var id: String?
    }

    private func turns(before end: Int) -> [Turn] {
        var turns: [Turn] = []
        for index in past.indices.prefix(end) {
            guard case .userID(let id) = past[index].action, id != turns.last.flatMap(\.id) else { continue }
            if let id, !(1...256).contains(id.unicodeScalars.count) { continue }
            turns.append(Turn(index: index, id: id))
        }
        return turns
    }

    /// Current user of the device with the stored attributes: U1 to U6.
    private func profile(before end: Int) -> Profile {
        let turns = turns(before: end)
        // The first login of a device is the anonymous user's.
        var people: [String] = []
        for case let id? in turns.map(\.id) where !people.contains(id) { people.append(id) }
        let named = turns.last { $0.id != nil }.flatMap(\.id)
        let person = named.flatMap { people.firstIndex(of: $0) } ?? 0
        let firstTurn = turns.first { $0.id == named }
        let touched = person == 0 ? 0 : firstTurn?.index ?? 0
        let touch = past[touched].wall + correction(of: touched, through: end)

        var traits: [String: Sighting.Trait] = [:]
        for index in past.indices.prefix(end) {
            guard case .addUserAttributes(let attributes) = past[index].action else { continue }
            let before = turns.filter { $0.index < index }
            let setBy = before.last.flatMap(\.id)
            let isOfFirst = before.isEmpty && person == 0
            let isOfNamed = setBy != nil && setBy == named
            // Attributes set without a logged-in user last until the next login.
            let isOfNobody = setBy == nil && before.count == turns.count
            guard isOfFirst || isOfNamed || isOfNobody else { continue }
            for case .kept(let name, let value) in attributes.map({ Verdict(onUser: $0) }) {
                traits[name] = Sighting.Trait(value: value, set: past[index].wall)
            }
        }
        traits["_user_first_touch_timestamp"] = Sighting.Trait(value: .whole(touch), set: touch)
        if let last = turns.last, let id = last.id {
            traits["_user_id"] = Sighting.Trait(value: .text(id), set: past[last.index].wall)
        }
        return Profile(person: person, traits: traits)
    }
}
