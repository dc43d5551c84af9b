import Testing

@testable import ClickstreamCore

@Suite("SessionMachine")
struct SessionMachineTests {
    private let timeout: Int64 = 1_800_000

    private func moment(_ milliseconds: Int64, wallAhead: Int64 = 1_693_919_966_703) -> Moment {
        Moment(wall: Timestamp(milliseconds: wallAhead + milliseconds), steady: milliseconds)
    }

    private func fresh() -> SessionMachine {
        SessionMachine.launch(stored: nil, timeout: timeout, uniqueID: "dc7a7a18", at: moment(0)).machine
    }

    @Test("the first launch starts session 1, named after the user and the time")
    func first() {
        let (machine, decision) = SessionMachine.launch(
            stored: nil,
            timeout: timeout,
            uniqueID: "0E6614B7-2D2C-4774-AB2F-B0A9dc7a7a18",
            at: moment(0)
        )
        #expect(machine.session.id == "dc7a7a18-20230905-131926703")
        #expect(machine.session.number == 1)
        #expect(decision == SessionMachine.Decision(isNew: true, reason: "the first session of this store"))
    }

    @Test(
        "a short unique id is padded on the left",
        arguments: [("", "________"), ("abc", "_____abc"), ("12345678", "12345678")]
    )
    func padded(uniqueID: String, tail: String) {
        let id = Session.id(uniqueID: uniqueID, start: Timestamp(milliseconds: 0))
        #expect(id == tail + "-19700101-000000000")
    }

    @Test(
        "continues after a pause shorter than the timeout, starts a new session after an equal one",
        arguments: [
            (0, 1, "gap 0ms < timeout 30m"), (1_799_999, 1, "gap 29m59s999ms < timeout 30m"),
            (1_800_000, 2, "gap 30m \u{2265} timeout 30m"), (1_800_001, 2, "gap 30m1ms \u{2265} timeout 30m"),
            (1_860_000, 2, "gap 31m \u{2265} timeout 30m"), (90_000_001, 2, "gap 1d1h1ms \u{2265} timeout 30m"),
        ] as [(Int64, Int, String)]
    )
    func pause(gap: Int64, number: Int, reason: String) {
        var machine = fresh()
        machine.wasActive(at: moment(5_000))
        let decision = machine.foreground(timeout: timeout, uniqueID: "dc7a7a18", at: moment(5_000 + gap))
        #expect(machine.session.number == number)
        #expect(decision.isNew == (number == 2))
        #expect(decision.reason == reason)
    }

    @Test(
        "reports the reason, including a clock that was set back",
        arguments: [
            (nil, 1_800_000, true, "the first session of this store"),
            (0, 1_800_000, false, "gap 0ms < timeout 30m"),
            (0, 0, true, "gap 0ms \u{2265} timeout 0ms"),
            (-1, 1_800_000, false, "gap 0ms < timeout 30m: the wall clock was set back 1ms meanwhile"),
            (-7_200_000, 0, true, "gap 0ms \u{2265} timeout 0ms: the wall clock was set back 2h meanwhile"),
            (5_400_000, 5_400_001, false, "gap 1h30m < timeout 1h30m1ms"),
        ] as [(Int64?, Int64, Bool, String)]
    )
    func reason(gap: Int64?, timeout: Int64, isNew: Bool, reason: String) {
        let stored = gap.map {
            SessionMachine.Stored(id: "x", number: 1, start: moment(0).wall, lastActive: moment(-$0).wall)
        }
        let decision = SessionMachine.launch(stored: stored, timeout: timeout, uniqueID: "x", at: moment(0)).decision
        #expect(decision == SessionMachine.Decision(isNew: isNew, reason: reason))
    }

    /// A machine that was last active at 5 s, in session 3 of an earlier process or in session 4 of this one.
    private func machine(takenUp: Bool) -> SessionMachine {
        let stored = SessionMachine.Stored(id: "x-1", number: 3, start: moment(-9_000).wall, lastActive: moment(0).wall)
        var machine = SessionMachine.launch(
            stored: stored,
            timeout: takenUp ? 1 : 0,
            uniqueID: "y",
            at: moment(0)
        ).machine
        machine.wasActive(at: moment(5_000))
        return machine
    }

    @Test("every input has the documented effect, in any session", arguments: [true, false])
    func exhaustive(takenUp: Bool) {
        let before = machine(takenUp: takenUp)
        #expect(before.session.number == (takenUp ? 3 : 4))
        #expect(before.session.start == moment(takenUp ? -9_000 : 0).wall)

        var active = before
        active.wasActive(at: moment(6_000))
        #expect(active.session == before.session)
        #expect(active.lastActive == moment(6_000))

        for gap: Int64 in [0, 1, timeout - 1, timeout, timeout + 1] {
            var returned = before
            let now = moment(5_000 + gap)
            let isNew = returned.foreground(timeout: timeout, uniqueID: "z", at: now).isNew
            #expect(isNew == (gap >= timeout))
            #expect(returned.lastActive == now)
            let next = Session(number: before.session.number + 1, uniqueID: "z", at: now)
            #expect(returned.session == (isNew ? next : before.session))
        }
    }

    @Test("within a process the wall clock has no effect", arguments: [-86_400_000, 86_400_000] as [Int64])
    func clockJump(jump: Int64) {
        var machine = fresh()
        machine.wasActive(at: moment(1_000))
        let back = Moment(wall: moment(2_000).wall + jump, steady: 2_000)
        #expect(machine.foreground(timeout: timeout, uniqueID: "x", at: back).isNew == false)
        #expect(machine.session.duration(at: back) == 2_000)
    }

    @Test(
        "across processes the wall clock is used, and never counts backwards",
        arguments: [(-1_000, false), (0, false), (1_799_999, false), (1_800_000, true)] as [(Int64, Bool)]
    )
    func launch(gap: Int64, isNew: Bool) {
        let stored = SessionMachine.Stored(
            id: "dc7a7a18-20230905-131926703",
            number: 7,
            start: moment(-60_000).wall,
            lastActive: moment(0).wall
        )
        let (machine, decision) = SessionMachine.launch(
            stored: stored,
            timeout: timeout,
            uniqueID: "dc7a7a18",
            at: Moment(wall: moment(gap).wall, steady: 12)
        )
        #expect(decision.isNew == isNew)
        #expect(machine.session.number == (isNew ? 8 : 7))
        let later = Moment(wall: moment(gap).wall, steady: 1_012)
        let duration: Int64 = isNew ? 1_000 : 60_000 + gap + 1_000
        #expect(machine.session.duration(at: later) == duration)
    }

    @Test("a duration is never negative, even if the session starts in the future")
    func future() {
        let stored = SessionMachine.Stored(
            id: "x",
            number: 1,
            start: moment(50_000).wall,
            lastActive: moment(50_000).wall
        )
        let (machine, _) = SessionMachine.launch(stored: stored, timeout: timeout, uniqueID: "x", at: moment(0))
        #expect(machine.session.duration(at: moment(0)) == 0)
        #expect(machine.session.duration(at: moment(3_000)) == 3_000)
    }

    @Test("a timeout of zero starts a session at every return")
    func zeroTimeout() {
        var machine = fresh()
        #expect(machine.foreground(timeout: 0, uniqueID: "x", at: moment(0)).isNew)
    }
}
