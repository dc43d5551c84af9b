import ClickstreamCore
import ClickstreamReplay
import TestSupport

/// Makes up what a person, a clock and a system may do to an app: any order that a script can have, the boundaries often.
///
/// The same number gives the same script. Five to forty steps; short ones are many.
struct RandomHistory {
    /// 2024-01-01.
    static let start: Int64 = 1_704_067_200_000
    private static let timeouts: [Int64] = [60_000, 60_000, 60_000, 1_000, 1, 0]

    private var random: SplitMix
    private var isAlive = false
    private var steps: [Step] = []
    private var timeout: Int64 = 0
    private var theme = Theme.screens
    private var wall = Self.start
    /// Readings of the wall clock at each step.
    private var moments = [Self.start]

    /// Most frequent kind of step.
    private enum Theme: CaseIterable {
        case screens
        case processes
        case identity
        case clock
        case consent
    }

    private init(number: UInt64) {
        random = SplitMix(seed: number)
        timeout = pick(Self.timeouts)
        theme = pick(Theme.allCases)
    }

    /// The script with this number.
    static func script(number: UInt64) -> Script {
        var history = RandomHistory(number: number)
        return history.make(seed: number)
    }

    private mutating func make(seed: UInt64) -> Script {
        var configuration = [ConfigurationEntry("sessionTimeoutDuration", .integer(timeout))]
        if chance(2) { configuration.append(ConfigurationEntry("isTrackAppExceptionEvents", .boolean(true))) }
        if chance(8) {
            let entry = switched()
            configuration.removeAll { $0.key == entry.key }
            configuration.append(entry)
        }
        configuration += privacy()
        if chance(8) { configuration.append(ConfigurationEntry("globalAttributes", .attributes(eventAttributes()))) }
        var device = DeviceFacts()
        device.osVersion = pick(["16.4", "16.4", ""])
        var facts = LaunchFacts(app: AppFacts(version: pick(["1.0", "1.0", ""])), configuration: configuration)
        facts.device = device

        take(.launch(LaunchFacts()))
        let count = 4 + min(below(36), below(36))
        while steps.count < count { addStep() }
        // A withdrawal that a kill interrupted is completed by the next launch.
        if theme == .consent, !isAlive { take(.launch(launchFacts())) }
        return Script(
            seed: seed,
            start: Timestamp(milliseconds: Self.start),
            facts: facts,
            steps: steps
        )
    }

    /// Consent, and the sampling of an event.
    private mutating func privacy() -> [ConfigurationEntry] {
        var configuration: [ConfigurationEntry] = []
        if theme == .consent || chance(12) {
            let policy = pick(["hold", "hold", "hold", "drop", "notRequired"])
            configuration.append(ConfigurationEntry("consent", .text(policy)))
            if chance(4) { configuration.append(ConfigurationEntry("maxHeldEvents", .integer(pick([1, 3, 6])))) }
        }
        if chance(theme == .consent ? 3 : 12) {
            let rate: AttributeValue = pick([.integer(0), .integer(1), .double(0.5), .double(0.5)])
            configuration.append(ConfigurationEntry("sampling", .attributes(["tap": rate])))
        }
        return configuration
    }

    // MARK: Steps

    private mutating func take(_ action: Step.Action) {
        steps.append(Step(action))
        switch action {
        case .launch: isAlive = true
        case .terminate, .kill, .crash: isAlive = false
        case .wait(let milliseconds), .clock(.by(let milliseconds)): wall += milliseconds
        case .clock(.to(let time)): wall = time.milliseconds
        default: break
        }
        moments.append(wall)
    }

    private mutating func addStep() {
        guard isAlive else {
            switch below(10) {
            case 0..<4: take(pause())
            case 4: take(clockChange())
            case 5 where theme == .clock: take(clockChange())
            default: take(.launch(launchFacts()))
            }
            return
        }
        switch (theme, below(100)) {
        case (_, 0..<24): take(pause())
        case (.consent, 24..<44): take(decision())
        case (.consent, 44..<48):
            take(.consent([Step.ConsentStep(.analytics, pick([.denied, .undecided]))]))
            take(.kill)
        case (.clock, 24..<40), (_, 24..<27): take(clockChange())
        case (.identity, 27..<45): take(login())
        case (.identity, 45..<60): take(.addUserAttributes(userAttributes()))
        case (.processes, 40..<55): take(departure())
        case (_, 27..<42): take(screen())
        case (_, 42..<48): take(viewByHand())
        case (_, 48..<55): take(event())
        case (_, 55..<64): take(.background)
        case (_, 64..<74): take(.foreground)
        case (_, 74..<80): take(departure())
        case (_, 80..<82): take(.disable)
        case (_, 82..<86): take(.enable)
        case (_, 86..<90): take(login())
        case (_, 90..<93): take(.addUserAttributes(userAttributes()))
        case (_, 93..<95): take(.addGlobalAttributes(eventAttributes()))
        case (_, 95): take(.deleteGlobalAttributes([pick(["channel", "count"])]))
        case (_, 96..<98): take(.configure([configured()]))
        default: take(pick([.flush, .background, .foreground]))
        }
    }

    private mutating func decision() -> Step.Action {
        let purpose: ConsentPurpose = chance(3) ? .personalization : .analytics
        return .consent([Step.ConsentStep(purpose, pick([.granted, .granted, .granted, .denied, .undecided]))])
    }

    private mutating func departure() -> Step.Action {
        pick([.terminate, .kill, .kill, .crash(message: "boom", stack: "main\nstart")])
    }

    private mutating func configured() -> ConfigurationEntry {
        chance(3) ? ConfigurationEntry("sessionTimeoutDuration", .integer(pick(Self.timeouts))) : switched()
    }

    /// Waits around every boundary: the second of engagement, the session's time-out.
    private mutating func pause() -> Step.Action {
        let boundaries: [Int64] = [
            0, 1, 2, 500, 999, 1_000, 1_001, 5_000, timeout - 1, timeout, timeout + 1, timeout / 2,
            timeout - timeout / 2,
            86_400_000,
        ]
        return .wait(max(0, pick(boundaries)))
    }

    /// Either way, by what may matter; sometimes back to a moment that was lived through before.
    private mutating func clockChange() -> Step.Action {
        if chance(3) { return .clock(.to(Timestamp(milliseconds: pick(moments)))) }
        let change = pick([1, 1_000, timeout - 1, timeout, 7_200_000])
        return .clock(.by(chance(2) ? change : -change))
    }

    private mutating func screen() -> Step.Action {
        .screen(name: pick(["A", "B"]), id: pick([nil, "i", "j"]), uniqueID: pick([nil, "1", "1", "2"]))
    }

    private mutating func viewByHand() -> Step.Action {
        var attributes: Attributes = [:]
        switch below(12) {
        case 0: break
        case 1: attributes["_screen_name"] = .string("")
        case 2: attributes["_screen_name"] = .integer(7)
        case 3: attributes["_screen_name"] = .string(String(repeating: "n", count: 1_025))
        case 4: attributes["_screen_name"] = .string(String(repeating: "n", count: 1_024))
        default: attributes["_screen_name"] = .string(pick(["A", "B", "N"]))
        }
        attributes["_screen_unique_id"] = pick([nil, nil, .string("1"), .integer(1), .string(""), .boolean(true)])
        attributes["_screen_id"] = pick([nil, nil, .string("i"), .integer(3)])
        if chance(4) { attributes.merge(eventAttributes()) }
        if chance(8) { attributes["_entrances"] = .integer(7) }
        if chance(8) { attributes["_previous_timestamp"] = .integer(7) }
        return .record(name: "_screen_view", attributes: attributes, items: items())
    }

    private mutating func event() -> Step.Action {
        let name = pick(["tap", "tap", "tap", "add_to_cart", "bad name", String(repeating: "e", count: 51)])
        return .record(name: name, attributes: chance(2) ? eventAttributes() : [:], items: items())
    }

    private mutating func items() -> [Attributes] {
        pick([[], [], [], [["id": "i1"]], [["id": "i1"], ["name": "none"], ["id": "i2"]]])
    }

    private mutating func eventAttributes() -> Attributes {
        var attributes: Attributes = [:]
        for _ in 0..<(1 + below(2)) { attributes.set(pick(["channel", "count"]), to: scalar()) }
        switch below(12) {
        case 0: attributes.set("bad name", to: .integer(1))
        case 1: attributes.set(String(repeating: "a", count: 51), to: .integer(1))
        case 2: attributes.set("count", to: .double(.infinity))
        case 3: attributes.set("channel", to: .string(String(repeating: "v", count: 1_025)))
        default: break
        }
        return attributes
    }

    private mutating func userAttributes() -> Attributes {
        var attributes: Attributes = [:]
        for _ in 0..<below(3) { attributes.set(pick(["plan", "age"]), to: scalar()) }
        switch below(10) {
        case 0: attributes.set("bad name", to: .integer(1))
        case 1: attributes.set(String(repeating: "a", count: 51), to: .integer(1))
        case 2: attributes.set("age", to: .double(.infinity))
        case 3: attributes.set("plan", to: .string(String(repeating: "v", count: 257)))
        default: break
        }
        return attributes
    }

    private mutating func scalar() -> AttributeValue {
        pick([.string("web"), .string("store"), .integer(1), .integer(-2), .boolean(true)])
    }

    private mutating func login() -> Step.Action {
        .userID(pick(["ann", "ann", "bob", "bob", "cyd", nil, nil, "", String(repeating: "u", count: 257)]))
    }

    private mutating func switched() -> ConfigurationEntry {
        let keys = [
            "isTrackScreenViewEvents", "isTrackUserEngagementEvents", "isTrackAppExceptionEvents",
            "userAttributesInEveryEvent",
        ]
        return ConfigurationEntry(pick(keys), .boolean(chance(2)))
    }

    private mutating func launchFacts() -> LaunchFacts {
        var facts = LaunchFacts()
        if chance(3) { facts.app.version = pick(["1.0", "1.1", "2.0", ""]) }
        if chance(4) { facts.device.osVersion = pick(["16.4", "17.0", ""]) }
        if chance(10) { facts.configuration = [switched()] }
        return facts
    }

    // MARK: Chance

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    /// Once in `times`.
    private mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    private mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
}
