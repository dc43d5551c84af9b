import Testing

@testable import ClickstreamCore

@Suite("Lifecycle")
struct LifecycleTests {
    private static let timeout: Int64 = 1_800_000
    private static let user = "dc7a7a18"

    private static func at(_ milliseconds: Int64) -> Moment {
        Moment(wall: Timestamp(milliseconds: 1_693_919_966_703 + milliseconds), steady: milliseconds)
    }

    /// An input of the lifecycle.
    enum Input: Sendable {
        case foreground
        case background
        case terminate
        case vanish
        case show(String)
        /// An event from outside the app.
        case outside
    }

    /// A lifecycle whose effects are performed as by the recorder, and written down.
    private struct Performer {
        var lifecycle: Lifecycle
        var isEnabled = true
        var tracksEngagement = true
        var lastNumber = 1
        var texts: [String] = []

        mutating func take(_ input: Input, at moment: Moment) {
            switch input {
            case .foreground: perform(lifecycle.foreground(isEnabled: isEnabled, at: moment), at: moment)
            case .background:
                let effects = lifecycle.background(
                    isEnabled: isEnabled,
                    tracksEngagement: tracksEngagement,
                    at: moment
                )
                perform(effects, at: moment)
            case .terminate:
                let effects = lifecycle.terminate(
                    isEnabled: isEnabled,
                    tracksEngagement: tracksEngagement,
                    at: moment
                )
                perform(effects, at: moment)
            case .vanish: lifecycle.vanish()
            case .show(let name):
                let screen = Screen(name: name)
                perform(lifecycle.show(screen, tracksEngagement: tracksEngagement, at: moment), at: moment)
            case .outside: perform(lifecycle.resumeOutside(timeout: timeout, at: moment), at: moment)
            }
        }

        mutating func join(_ decision: SessionMachine.Decision, lastNumber: Int) -> [Lifecycle.Effect] {
            lifecycle.join(decision, lastNumber: lastNumber, timeout: timeout, uniqueID: user, at: at(0))
        }

        mutating func perform(_ effects: [Lifecycle.Effect], at moment: Moment) {
            for effect in effects {
                switch effect {
                case .decideSession:
                    texts.append("lock")
                    let next = lifecycle.decideSession(
                        lastNumber: lastNumber,
                        timeout: timeout,
                        uniqueID: user,
                        at: moment
                    )
                    perform(next, at: moment)
                case .report(let decision): texts.append(decision.isNew ? "report new" : "report same")
                case .enter(let session): texts.append("enter \(session.number)")
                case .show(let screen): texts.append("show \(screen?.name ?? "none")")
                case .becomeActive(let isActive): texts.append(isActive ? "active" : "inactive")
                case .save(let owing, let lastView):
                    let view = lastView == nil ? "" : " after a view"
                    texts.append((["save"] + owing).joined(separator: " ") + view)
                case .saveIfFailing: texts.append("save if failing")
                case .emit(let draft):
                    let engagement = draft.preset[AttributeName.engagementTime].map { " \($0.text)" } ?? ""
                    texts.append(draft.name + engagement)
                    if lifecycle.visibility.isVisible { lifecycle.wasActive(at: moment) }
                case .view(let view, let own, let items):
                    perform(lifecycle.view(view, own: own, items: items, at: moment), at: moment)
                }
            }
        }
    }

    private static func begun(_ visibility: Visibility = .launched, _ past: Lifecycle.Past = .init()) -> Performer {
        let lifecycle = Lifecycle.begin(
            after: past,
            visibility: visibility,
            timeout: timeout,
            uniqueID: user,
            at: at(0)
        ).lifecycle
        return Performer(lifecycle: lifecycle)
    }

    // MARK: Launch

    private static let stored = SessionMachine.Stored(
        id: "dc7a7a18-20230905-120000000",
        number: 4,
        start: at(-60_000).wall,
        lastActive: at(-50_000).wall
    )

    private static let old = SessionMachine.Stored(
        id: "dc7a7a18-20230905-120000000",
        number: 4,
        start: at(-2 * timeout).wall,
        lastActive: at(-timeout).wall
    )

    private static let launches: [(past: Lifecycle.Past, number: Int, isNew: Bool, events: [String])] = [
        // L1, L9, L10, V1, V2 of the lifecycle's table.
        (Lifecycle.Past(), 1, true, ["_first_open", "_app_start", "_session_start"]),
        (
            Lifecycle.Past(session: stored, lastNumber: 4, versions: .init(app: "2", system: "6")), 4, false,
            ["_app_start"]
        ),
        (
            Lifecycle.Past(session: old, lastNumber: 4, versions: .init(app: "2", system: "6")), 5, true,
            ["_app_start", "_session_start"]
        ),
        (
            Lifecycle.Past(session: old, lastNumber: 9, versions: .init(app: "1", system: "6")), 10, true,
            ["_app_update", "_app_start", "_session_start"]
        ),
        (
            Lifecycle.Past(session: stored, lastNumber: 4, versions: .init(app: "1", system: "5")), 4, false,
            ["_app_update", "_os_update", "_app_start"]
        ),
        // The start of a continued session was not recorded.
        (
            Lifecycle.Past(session: stored, owesStart: true, lastNumber: 4, versions: .init(app: "2", system: "6")), 4,
            false, ["_app_start", "_session_start"]
        ),
        // Beside a running process.
        (
            Lifecycle.Past(lastNumber: 4, versions: .init(app: "2", system: "6"), isAlone: false), 5, true,
            ["_app_start", "_session_start"]
        ),
    ]

    @Test("a launch continues the stored session or starts the next, and has its events", arguments: launches.indices)
    func launch(row: Int) {
        let (past, number, isNew, events) = Self.launches[row]
        var (lifecycle, decision) = Lifecycle.begin(
            after: past,
            visibility: .launched,
            timeout: Self.timeout,
            uniqueID: Self.user,
            at: Self.at(0)
        )
        #expect(lifecycle.session.number == number)
        #expect(decision.isNew == isNew)
        #expect((decision.reason == "another process has a session") == !past.isAlone)
        let drafts = lifecycle.launch(
            LaunchMachine.Versions(app: "2", system: "6"),
            startsSession: decision.isNew || past.owesStart,
            at: Self.at(0)
        )
        #expect(drafts.map(\.name) == events)
        #expect(lifecycle.versions == LaunchMachine.Versions(app: "2", system: "6"))
        let expected: [Attributes] = events.map { name in
            switch name {
            case "_app_update": ["_previous_app_version": "1"]
            case "_os_update": ["_previous_os_version": "5"]
            case "_app_start": ["_is_first_time": true]
            default: [:]
            }
        }
        #expect(drafts.map(\.preset) == expected)
    }

    @Test("the last view of a continued session is kept, that of an ended one is not")
    func lastView() {
        let view = Self.at(-55_000).wall
        #expect(Self.begun(.launched, .init(session: Self.stored, lastView: view)).lifecycle.lastView == view)
        #expect(Self.begun(.launched, .init(session: Self.old, lastView: view)).lifecycle.lastView == nil)
    }

    // MARK: Signals

    private typealias Row = (name: String, steps: [(input: Input, at: Int64)], effects: [String])

    private static let leaving = ["save", "_app_end", "inactive"]

    /// The effects of the last step; the rows are named as in the lifecycle's table.
    private static let table: [Row] = [
        ("L2 first foreground", [(.foreground, 10)], []),
        ("L3 first screen", [(.show("A"), 10)], ["save _screen_view", "show A", "_screen_view"]),
        (
            "L4 next screen at once", [(.show("A"), 0), (.show("B"), 999)],
            ["save _screen_view after a view", "show B", "_screen_view 999"]
        ),
        (
            "L5 next screen after a second", [(.show("A"), 0), (.show("B"), 1_000)],
            ["_user_engagement 1000", "save _screen_view after a view", "show B", "_screen_view 1000"]
        ),
        ("L6 the same screen", [(.show("A"), 0), (.show("A"), 5_000)], []),
        (
            "L7 background with a screen", [(.show("A"), 0), (.background, 2_000)],
            ["save", "_user_engagement 2000", "_app_end", "inactive"]
        ),
        ("L7b background at once", [(.background, 2_000)], leaving),
        (
            "L7c background without a screen", [(.foreground, 0), (.background, 1_000)],
            ["save", "_user_engagement 1000", "_app_end", "inactive"]
        ),
        (
            "L8 return before the time-out", [(.background, 0), (.foreground, timeout - 1)],
            ["active", "lock", "report same", "_app_start"]
        ),
        (
            "L11 return at the time-out with a screen",
            [(.show("A"), 0), (.background, 10), (.foreground, 10 + timeout)],
            [
                "active", "lock", "report new", "enter 2", "save _app_start _session_start", "_app_start",
                "_session_start", "save _screen_view", "show A", "_screen_view", "save if failing",
            ]
        ),
        (
            "L11b return at the time-out without a screen", [(.background, 0), (.foreground, timeout)],
            [
                "active", "lock", "report new", "enter 2", "save _app_start _session_start", "_app_start",
                "_session_start", "save if failing",
            ]
        ),
        ("L12 end in the foreground", [(.terminate, 10)], leaving),
        ("L12 end in the background", [(.background, 0), (.terminate, 10)], ["inactive"]),
        ("L14 foreground twice", [(.foreground, 0), (.foreground, 10)], []),
        ("L15 background twice", [(.background, 0), (.background, 10)], []),
        ("foreground after the end", [(.terminate, 0), (.foreground, 10)], []),
        ("background after a kill", [(.vanish, 0), (.background, 10)], []),
        (
            "engagement after a return starts at the return",
            [(.show("A"), 0), (.background, 10), (.foreground, 5_000), (.background, 7_000)],
            ["save", "_user_engagement 2000", "_app_end", "inactive"]
        ),
        (
            "a screen in the background has no engagement",
            [(.show("A"), 0), (.background, 10), (.show("B"), 5_000)],
            ["save _screen_view after a view", "show B", "_screen_view"]
        ),
    ]

    @Test("has the effects of the table", arguments: table.indices)
    func effects(row: Int) {
        let (name, steps, effects) = Self.table[row]
        var performer = Self.begun()
        for (index, step) in steps.enumerated() {
            if index == steps.count - 1 { performer.texts = [] }
            performer.take(step.input, at: Self.at(step.at))
        }
        #expect(performer.texts == effects, "\(name)")
    }

    @Test("records nothing while disabled, but keeps visibility and the time of leaving")
    func disabled() {
        var performer = Self.begun()
        performer.isEnabled = false
        performer.take(.background, at: Self.at(5_000))
        #expect(performer.texts == ["save", "inactive"])
        #expect(performer.lifecycle.lastActive == Self.at(5_000))
        performer.texts = []
        performer.take(.foreground, at: Self.at(6_000))
        #expect(performer.texts == ["active", "report same"])
        #expect(performer.lifecycle.visibility == .foreground)
    }

    @Test("L5b: without engagement tracking the view alone has the time")
    func withoutEngagement() {
        var performer = Self.begun()
        performer.tracksEngagement = false
        performer.take(.show("A"), at: Self.at(0))
        performer.texts = []
        performer.take(.show("B"), at: Self.at(3_000))
        performer.take(.background, at: Self.at(6_000))
        #expect(
            performer.texts == [
                "save _screen_view after a view", "show B", "_screen_view 3000", "save", "_app_end", "inactive",
            ]
        )
    }

    @Test("a new session takes the number after the greatest of all processes")
    func number() {
        var performer = Self.begun()
        performer.lastNumber = 7
        performer.take(.background, at: Self.at(0))
        performer.take(.foreground, at: Self.at(Self.timeout))
        #expect(performer.lifecycle.session.number == 8)
    }

    @Test("enabling restarts a running engagement clock, and starts none")
    func enable() {
        var performer = Self.begun()
        performer.lifecycle.enable(at: Self.at(100))
        performer.take(.show("A"), at: Self.at(200))
        performer.lifecycle.enable(at: Self.at(2_000))
        performer.texts = []
        performer.take(.background, at: Self.at(3_500))
        #expect(performer.texts == ["save", "_user_engagement 1500", "_app_end", "inactive"])
        var idle = Self.begun()
        idle.lifecycle.enable(at: Self.at(100))
        idle.take(.background, at: Self.at(9_000))
        #expect(idle.texts == Self.leaving)
    }

    // MARK: From outside

    @Test("from outside the app, a session starts after a pause and nothing else is recorded")
    func outside() {
        var performer = Self.begun(.outside)
        let decision = SessionMachine.Decision.first
        let joined = performer.join(decision, lastNumber: 0)
        #expect(joined == [.report(decision), .save(owing: [], lastView: nil)])
        performer.take(.foreground, at: Self.at(1))
        performer.take(.background, at: Self.at(2))
        // The session was decided for the first event, however late it is.
        performer.take(.outside, at: Self.at(2 * Self.timeout))
        performer.lifecycle.wasActive(at: Self.at(2 * Self.timeout))
        performer.take(.outside, at: Self.at(3 * Self.timeout - 1))
        #expect(performer.texts.isEmpty)
        performer.take(.show("A"), at: Self.at(3 * Self.timeout - 1))
        performer.texts = []
        performer.take(.outside, at: Self.at(3 * Self.timeout))
        #expect(performer.texts == ["lock", "report new", "enter 2", "save"])
        #expect(performer.lifecycle.lastView == nil)
    }

    @Test("a session number that another process used meanwhile is not used again")
    func joinAfterAnother() {
        var performer = Self.begun(.outside)
        let decision = SessionMachine.Decision.first
        let effects = performer.join(decision, lastNumber: 3)
        #expect(performer.lifecycle.session.number == 4)
        #expect(
            effects == [.enter(performer.lifecycle.session), .report(decision), .save(owing: [], lastView: nil)]
        )
    }

    @Test("a forgotten screen leaves the session's last view")
    func forget() {
        var performer = Self.begun(.outside)
        performer.take(.show("A"), at: Self.at(5))
        #expect(performer.lifecycle.forgetScreen() == [.show(nil)])
        #expect(performer.lifecycle.lastView == Self.at(5).wall)
        performer.texts = []
        performer.take(.show("A"), at: Self.at(6))
        #expect(performer.texts == ["save _screen_view after a view", "show A", "_screen_view"])
    }
}

extension AttributeValue {
    fileprivate var text: String {
        if case .integer(let number) = self { "\(number)" } else { "not an integer" }
    }
}
