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

    @Test("the first launch starts session 1, named after the user and the moment")
    func first() {
        let (machine, decision) = SessionMachine.launch(
            stored: nil,
            timeout: timeout,
            uniqueID: "0E6614B7-2D2C-4774-AB2F-B0A9dc7a7a18",
            at: moment(0)
        )
        #expect(machine.session.id == "dc7a7a18-20230905-131926703")
        #expect(machine.session.number == 1)
        #expect(decision == SessionMachine.Decision(isNew: true, reason: "no session stored"))
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
        "goes on after a pause shorter than the timeout, starts anew after an equal one",
        arguments: [(0, 1), (1_799_999, 1), (1_800_000, 2), (1_800_001, 2), (86_400_000, 2)] as [(Int64, Int)]
    )
    func pause(gap: Int64, number: Int) {
        var machine = fresh()
        machine.wasActive(at: moment(5_000))
        let decision = machine.foreground(timeout: timeout, uniqueID: "dc7a7a18", at: moment(5_000 + gap))
        #expect(machine.session.number == number)
        #expect(decision.isNew == (number == 2))
        #expect(decision.reason == "gap \(gap) ms \(number == 1 ? "<" : ">=") timeout 1800000 ms")
    }

    @Test("within a process the wall clock does not matter", arguments: [-86_400_000, 86_400_000] as [Int64])
    func clockJump(jump: Int64) {
        var machine = fresh()
        machine.wasActive(at: moment(1_000))
        let back = Moment(wall: moment(2_000).wall + jump, steady: 2_000)
        #expect(machine.foreground(timeout: timeout, uniqueID: "x", at: back).isNew == false)
        #expect(machine.session.duration(at: back) == 2_000)
    }

    @Test(
        "across processes the wall clock decides, and never counts backwards",
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
        #expect(machine.session.duration(at: later) == (isNew ? 1_000 : 60_000 + gap + 1_000))
    }

    @Test("a duration is never negative, even when the session starts in the future")
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
