import ClickstreamCore
import ClickstreamSimulation

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
        /// True if events were recorded just before.
        var wasOn: Bool
        /// Recorded events, in order.
        var told: [Sighting] = []
        /// Crash event to be recorded by the next launch.
        var withheld: Sighting?

        /// True if the step is use of the app: the moment of background, an event in the foreground, a crash there.
        var isUse: Bool {
            switch action {
            case .background, .terminate: wasSeen
            case .launch: true
            case .crash: wasSeen && withheld != nil
            // By its first event the app is visible again.
            case .foreground: !told.isEmpty
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

    private init(of script: Script, start: Int64) {
        self.script = script
        wall = start
    }

    /// The events that each step of `script` must record. The script has no `repeat`.
    static func predictions(for script: Script, start: Int64) -> [[Sighting]] {
        var opinion = SecondOpinion(of: script, start: start)
        for step in script.steps { opinion.take(step.action) }
        return opinion.past.map(\.told)
    }

    private mutating func take(_ action: Step.Action) {
        let isLaunch = if case .launch = action { true } else { false }
        past.append(
            Entry(
                action: action,
                wall: wall,
                steady: steady,
                wasSeen: !isLaunch && lastSignal != .background,
                wasInFront: !isLaunch && lastSignal == .foreground,
                wasOn: isLaunch || isOn(before: past.count)
            )
        )
        happen(action)
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
        case .crash(let message, let stack) where entry.wasOn && isSet("isTrackAppExceptionEvents", otherwise: false):
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
        case .record("_screen_view", let attributes, let items):
            if entry.wasOn { viewByHand(attributes, items) }
        case .record(let name, let attributes, let items):
            if entry.wasOn { record(name, attributes, items) }
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
            if !entry.wasOn, profile(before: offSince) != profile(before: now) { tell("_profile_set") }
        case .crash, .kill, .disable, .configure, .deleteGlobalAttributes, .wait, .clock, .flush, .network, .input,
            .repeat:
            break
        }
    }

    /// L1, L9, L10, L13, V1, V2, X1.
    private mutating func launch() {
        let isNew = startsAnew(gap: lastUse.map { max(0, past[now].wall - $0.wall) })
        let stretch = isNew ? nextStretch : currentStretch
        let left = past.indices.dropLast().last { past[$0].isDeparture }
        if let withheld = left.flatMap({ past[$0].withheld }) { past[now].told.append(withheld) }
        if let version = updated(\.app.version) {
            tell("_app_update", ["_previous_app_version": .text(version)], in: stretch)
        }
        if let version = updated(\.device.osVersion) {
            tell("_os_update", ["_previous_os_version": .text(version)], in: stretch)
        }
        if lastUse == nil { tell("_first_open", in: stretch) }
        tell("_app_start", ["_is_first_time": .flag(true)], in: stretch)
        if isNew { tell("_session_start", in: stretch) }
        for case .refused(let code) in configuredGlobals.map({ Verdict(onEvent: $0) }) { complain(code) }
    }

    /// L2, L8, L11, L14.
    private mutating func comeBack(from entry: Entry) {
        guard entry.wasOn, !entry.wasSeen else { return }
        let isNew = startsAnew(gap: lastUse.map { past[now].steady - $0.steady })
        let stretch = isNew ? nextStretch : currentStretch
        let shown = shown
        tell("_app_start", ["_is_first_time": .flag(false)], in: stretch)
        guard isNew else { return }
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
        let all = Self.with(code ?? Verdict.code(of: items), in: own)
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
        all["_session_start_timestamp"] = .whole(stretch.start)
        all["_session_duration"] = .whole(duration(of: stretch))
        // What is wrong with a step is recorded before the step changes anything.
        let profile = profile(before: name == "_profile_set" ? now + 1 : now)
        var user = profile.traits
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
        past.indices.dropLast().last { past[$0].wasOn } ?? 0
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
    private func updated(_ fact: KeyPath<LaunchFacts, String?>) -> String? {
        guard let version = stated(fact, before: now + 1), !version.isEmpty else { return nil }
        for index in past.indices.dropLast().reversed() {
            guard case .launch = past[index].action else { continue }
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

    /// Sessions are counted by their starts.
    private var currentStretch: Stretch {
        for index in past.indices.reversed() {
            for event in past[index].told.reversed() where event.name == "_session_start" {
                if case .sessionID(let stretch)? = event["_session_id"] { return stretch }
            }
        }
        return nextStretch
    }

    private var nextStretch: Stretch {
        let starts = past.reduce(0) { $0 + $1.told.count { $0.name == "_session_start" } }
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
        return max(0, past[launch].wall - stretch.start) + past[now].steady - past[launch].steady
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
            case .enable where !entry.wasOn:
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
        let touch = person == 0 ? past[0].wall : firstTurn.map { past[$0.index].wall } ?? past[0].wall

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
