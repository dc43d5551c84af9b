import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Clock jump")
struct ClockJumpTests {
    private static let timeout: Int64 = 60_000

    private static func at(_ steady: Int64, ahead: Int64) -> Moment {
        Moment(wall: Timestamp(milliseconds: 1_000_000 + steady + ahead), steady: steady)
    }

    private typealias Row = (name: String, inputs: [(steady: Int64, ahead: Int64)], timeout: Int64, jump: Int64?)

    /// The jump that the last input reveals.
    private static let table: [Row] = [
        ("none", [(10, 0), (90_000, 0)], timeout, nil),
        ("the time-out", [(10, 0), (11, 60_000)], timeout, 60_000),
        ("less", [(10, 0), (11, 59_999)], timeout, nil),
        ("back", [(10, 0), (11, -60_000)], timeout, -60_000),
        ("less back", [(10, 0), (11, -59_999)], timeout, nil),
        ("by steps", [(10, 30_000), (11, 60_000)], timeout, 60_000),
        ("after a jump", [(10, 60_000), (11, 60_000)], timeout, nil),
        ("a second jump", [(10, 60_000), (11, 0)], timeout, -60_000),
        ("back and forth", [(10, 59_999), (11, 0)], timeout, nil),
        ("without a time-out", [(10, 0), (11, 1_000)], 0, 1_000),
        ("an adjustment", [(10, 0), (11, 999)], 0, nil),
        ("an older input", [(50, 60_000), (10, 0)], timeout, nil),
    ]

    @Test("is found from the clocks of the inputs", arguments: table.indices)
    func detection(row: Int) {
        let (name, inputs, timeout, jump) = Self.table[row]
        var detector = ClockJumpDetector(at: Self.at(0, ahead: 0))
        var found: Int64?
        for input in inputs {
            let moment = Self.at(input.steady, ahead: input.ahead)
            found = detector.receive(moment, timeout: timeout)
            if found != nil { #expect(!detector.isPossible(at: moment)) }
        }
        #expect(found == jump, "\(name)")
    }

    @Test(
        "moves the start of a session of this process, and a forward one ends it at the next return",
        arguments: [(true, 3_600_000), (true, -3_600_000), (false, 3_600_000), (false, -3_600_000)]
            as [(Bool, Int64)]
    )
    func session(isContinued: Bool, jump: Int64) {
        let stored = SessionMachine.Stored(
            id: "x-1",
            number: 3,
            start: Timestamp(milliseconds: 990_000),
            lastActive: Timestamp(milliseconds: 1_000_000)
        )
        var machine = SessionMachine.launch(
            stored: stored,
            timeout: isContinued ? Self.timeout : 0,
            uniqueID: "y",
            at: Self.at(0, ahead: 0)
        ).machine
        let before = machine.session
        machine.clockJumped(by: jump)
        #expect(machine.session.id == before.id)
        #expect(machine.session.start == before.start + (isContinued ? 0 : jump))
        #expect(machine.session.duration(at: Self.at(500, ahead: jump)) == (isContinued ? 10_500 : 500))
        let returns = (1...2).map { number in
            machine.foreground(timeout: Self.timeout, uniqueID: "y", at: Self.at(Int64(number), ahead: jump))
        }
        #expect(returns.map(\.isNew) == [jump > 0, false])
        if jump > 0 { #expect(returns[0].reason == "the wall clock was wrong: it was set forward 1h") }
    }

    @Test(
        "leaves no time of a clock that was never set, or was ahead",
        arguments: [10_000, 2_082_758_400_000] as [Int64]
    )
    func wrongStart(wall: Int64) async throws {
        let phone = Phone()
        let now = phone.time.now().wall
        phone.time.setWall(to: Timestamp(milliseconds: wall))
        let client = try phone.launch()
        await phone.time.advance(milliseconds: 5_000)
        client.record("before")
        phone.time.setWall(to: now)
        client.record("after")
        client.background()
        client.foreground()
        client.record("last")
        func times(_ name: String) throws -> [Int64?] {
            let event = try JSONReader.parse(try #require(phone.log.events.first { $0.name == name }).json)
            return [
                event["timestamp"]?.integer, firstTouch(event),
                event["attributes"]?["_session_start_timestamp"]?.integer,
            ]
        }
        let start = now.milliseconds - 5_000
        #expect(try times("before") == [wall + 5_000, wall, wall])
        #expect(try times("after") == [now.milliseconds, start, start])
        // A session that began on a clock that was behind ends with the next foreground.
        let isBehind = wall < now.milliseconds
        #expect(try times("last") == [now.milliseconds, start, isBehind ? now.milliseconds : start])
    }

    @Test("moves the first touch of the users that this process has added, also in the store")
    func addedUsers() async throws {
        let phone = Phone()
        let start = phone.time.now().wall
        let first = try phone.launch()
        first.setUserID("ann")
        first.kill()
        await phone.time.advance(milliseconds: 1_000)
        let second = try phone.launch()
        second.setUserID("bob")
        phone.time.shiftWall(by: .seconds(3_600))
        second.record("tap")
        second.setUserID("ann")
        second.kill()
        let third = try phone.launch()
        third.setUserID("bob")
        let tap = try JSONReader.parse(try #require(phone.log.events.last { $0.name == "tap" }).json)
        #expect(firstTouch(tap) == start.milliseconds + 3_601_000)
        let profiles = try phone.log.events.filter { $0.name == "_profile_set" }.map {
            try firstTouch(JSONReader.parse($0.json))
        }
        #expect(
            profiles == [
                start.milliseconds, start.milliseconds + 1_000, start.milliseconds, start.milliseconds + 3_601_000,
            ]
        )
    }

    @Test("moves the first touch after everything was erased", arguments: [true, false])
    func erased(isEnabled: Bool) async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.record("tap")
        client.kill()
        let next = try phone.launch()
        if !isEnabled { next.disable() }
        next.eraseAll()
        if !isEnabled { next.enable() }
        let touch = phone.time.now().wall.milliseconds
        phone.time.shiftWall(by: .seconds(3_600))
        next.record("tap")
        let event = try #require(phone.log.events.last)
        #expect(try firstTouch(JSONReader.parse(event.json)) == touch + 3_600_000)
    }

    private func firstTouch(_ event: JSONValue) -> Int64? {
        event["user"]?["_user_first_touch_timestamp"]?["value"]?.integer
    }
}
