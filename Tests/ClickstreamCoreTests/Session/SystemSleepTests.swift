import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("System sleep")
struct SystemSleepTests {
    private static let minute: Int64 = 60_000

    private static func at(_ steady: Int64, asleep: Int64) -> Moment {
        Moment(wall: Timestamp(milliseconds: 1_000_000 + steady), steady: steady, awake: steady - asleep)
    }

    private typealias Row = (
        name: String, inputs: [(steady: Int64, asleep: Int64)], last: Int64?, duration: Int64
    )

    /// The sleep that the last input reveals: the input before it, and its duration.
    private static let table: [Row] = [
        ("awake", [(10, 0), (90_000, 0)], nil, 0),
        ("clocks that differ from the start", [(10, 7_000_000), (90_000, 7_000_000)], nil, 0),
        ("a sleep", [(10, 0), (90_000, 80_000)], 10, 80_000),
        ("a sleep before the first input", [(90_000, 80_000)], 0, 80_000),
        ("after a sleep", [(10, 0), (90_000, 80_000), (90_001, 80_000)], nil, 0),
        ("a second sleep", [(10, 0), (90_000, 80_000), (99_000, 83_000)], 90_000, 3_000),
        ("rounding", [(10, 0), (20, 1)], nil, 0),
        ("less than a second", [(10, 0), (5_000, 999)], nil, 0),
        ("a second", [(10, 0), (5_000, 1_000)], 10, 1_000),
        ("a thread interrupted between the clocks", [(10, 0), (20, -60_000)], nil, 0),
        ("the input after it", [(10, 0), (20, -60_000), (60_020, 0)], nil, 0),
        ("an older input", [(50_000, 40_000), (10, 0), (50_001, 40_000)], nil, 0),
    ]

    @Test("is found from the clocks of the inputs", arguments: table.indices)
    func detection(row: Int) {
        let (name, inputs, last, duration) = Self.table[row]
        var detector = SleepDetector(at: Self.at(0, asleep: inputs[0].asleep > 1_000_000 ? inputs[0].asleep : 0))
        var found: SystemSleep?
        for input in inputs { found = detector.receive(Self.at(input.steady, asleep: input.asleep)) }
        #expect(found?.lastInput.steady == last, "\(name)")
        #expect(found?.duration ?? 0 == duration, "\(name)")
    }

    @Test(
        "interrupts a visible app from the time-out on",
        arguments: [
            (.launched, 1_000, true), (.launched, 999, false), (.outside, 1_000, false), (.ended, 5_000, false),
        ] as [(Visibility, Int64, Bool)]
    )
    func interruption(visibility: Visibility, duration: Int64, isInterrupted: Bool) {
        let lifecycle = Lifecycle.begin(
            after: Lifecycle.Past(),
            visibility: visibility,
            timeout: 1_000,
            uniqueID: "dc7a7a18",
            at: Self.at(0, asleep: 0)
        ).lifecycle
        let sleep = SystemSleep(after: Self.at(0, asleep: 0), duration: duration)
        #expect(lifecycle.isInterrupted(by: sleep, timeout: 1_000) == isInterrupted)
    }

    @Test(
        "is no engagement of a screen",
        arguments: [(0, 0), (999, 20 * minute), (1_000, 20 * minute)] as [(Int64, Int64)]
    )
    func engagement(awake: Int64, asleep: Int64) {
        var machine = ScreenMachine()
        machine.show(Screen(name: "A"), visible: true, at: Self.at(0, asleep: 0))
        let stay = machine.leave(at: Self.at(awake + asleep, asleep: asleep))
        #expect(stay == (awake >= 1_000 ? awake : nil))
    }

    @Test("is not part of a timed event, but of the session's duration")
    func timing() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.startTiming("purchase")
        await phone.time.advance(milliseconds: 2_000)
        await phone.time.suspendMachine(for: .milliseconds(20 * Self.minute))
        await phone.time.advance(milliseconds: 500)
        client.record("purchase")
        let event = try #require(phone.log.events.last)
        #expect(event["_event_duration"] == .number(JSONNumber(integer: 2_500)))
        #expect(event["_session_duration"] == .number(JSONNumber(integer: 20 * Self.minute + 2_500)))
    }

    private typealias Call = (name: String, make: @Sendable (ClickstreamClient) -> Void)

    /// Calls of an app with a time.
    private static let calls: [Call] = [
        ("record", { $0.record("tap") }), ("an item", { $0.record("tap", items: [["id": "1"]]) }),
        ("screen", { $0.screen(name: "B") }), ("foreground", { $0.foreground() }), ("background", { $0.background() }),
        ("addUserAttributes", { $0.addUserAttributes(["a": 1]) }), ("setUserID", { $0.setUserID("ann") }),
        ("addGlobalAttributes", { $0.addGlobalAttributes(["a": 1]) }), ("disable", { $0.disable() }),
        ("configure", { $0.configure { $0.logsEvents.toggle() } }), ("startTiming", { $0.startTiming("tap") }),
        ("terminate", { $0.terminate() }),
    ]

    @Test("of the time-out ends the session, whatever the next call is", arguments: calls.indices)
    func anyCall(row: Int) async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.foreground()
        client.screen(name: "A")
        await phone.time.advance(milliseconds: 3_000)
        client.record("last")
        await phone.time.suspendMachine(for: .milliseconds(30 * Self.minute))
        let before = phone.log.events.count
        Self.calls[row].make(client)
        let events = phone.log.events.dropFirst(before)
        let names = ["_user_engagement", "_app_end", "_app_start", "_session_start", "_screen_view"]
        #expect(events.prefix(5).map(\.name) == names, "\(Self.calls[row].name)")
        #expect(events.prefix(5).map(\.session) == [1, 1, 2, 2, 2])
    }

    @Test("is not noticed by calls without a time", arguments: [true, false])
    func noCall(kills: Bool) async throws {
        let phone = Phone()
        let client = try phone.launch()
        await phone.time.suspendMachine(for: .milliseconds(30 * Self.minute))
        let before = phone.log.events.count
        if kills { client.kill() } else { client.setOnline(false) }
        #expect(phone.log.events.count == before)
    }

    @Test("of the time-out begins a flush, as the background does")
    func flush() async throws {
        let phone = Phone()
        let client = try phone.launch()
        await phone.time.suspendMachine(for: .milliseconds(30 * Self.minute))
        client.record("tap")
        await phone.settle()
        let names = ["_first_open", "_app_start", "_session_start", "_app_end", "_app_start", "_session_start", "tap"]
        #expect(phone.server.events.map(\.name) == names)
    }
}
