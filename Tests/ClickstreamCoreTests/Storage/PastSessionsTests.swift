import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("PastSessions")
struct PastSessionsTests {
    private func session(_ run: Int, lastActive: Int64, owing events: [String] = []) -> StoredSession {
        StoredSession(
            run: run,
            session: SessionMachine.Stored(
                id: "s\(run)",
                number: run,
                start: Timestamp(milliseconds: 0),
                lastActive: Timestamp(milliseconds: lastActive)
            ),
            debt: events.isEmpty ? nil : StoredSession.Debt(sequence: 1, events: events)
        )
    }

    private func crash(at timestamp: Int64, run: Int?, isVisible: Bool = true) -> StoredCrash {
        StoredCrash(
            path: "crash",
            report: CrashReport(
                id: SeededIDs(seed: 1).next(),
                timestamp: Timestamp(milliseconds: timestamp),
                movesLastActive: isVisible,
                line: []
            ),
            run: run
        )
    }

    @Test("the session that was active last continues, if one may")
    func latest() {
        let ended = [session(1, lastActive: 5), session(2, lastActive: 9), session(3, lastActive: 7)]
        #expect(PastSessions(ended, crashes: [], mayContinue: true).latest == ended[1])
        #expect(PastSessions(ended, crashes: [], mayContinue: false).latest == nil)
        #expect(PastSessions([], crashes: [], mayContinue: true).latest == nil)
    }

    @Test("a crash in the foreground counts as activity of its run; a reported one, of the latest session")
    func crashes() {
        let ended = [session(1, lastActive: 5), session(2, lastActive: 9)]
        let own = PastSessions(ended, crashes: [crash(at: 20, run: 1)], mayContinue: true)
        #expect(own.latest == session(1, lastActive: 20))
        let hidden = PastSessions(ended, crashes: [crash(at: 20, run: 1, isVisible: false)], mayContinue: true)
        #expect(hidden.latest == ended[1])
        let reported = PastSessions(ended, crashes: [crash(at: 30, run: nil)], mayContinue: true)
        #expect(reported.latest == session(2, lastActive: 30))
        #expect(reported.ended == ended)
    }

    @Test("an owed first open makes the versions unknown again")
    func versions() {
        let known = LaunchMachine.Versions(app: "2", system: "6")
        let user = User(uniqueID: "u1", firstTouch: Timestamp(milliseconds: 0))
        let state = StoredState(deviceID: "d1", users: KnownUsers(current: user), lastNumber: 2, versions: known)
        for (owed, versions, owesStart) in [
            ([], known, false), ([EventName.firstOpen, EventName.sessionStart], nil, true),
        ] as [([String], LaunchMachine.Versions?, Bool)] {
            let ended = [session(2, lastActive: 9, owing: owed)]
            let past = PastSessions(ended, crashes: [], mayContinue: true).past(
                state,
                lastNumber: state.lastNumber,
                isAlone: true
            )
            #expect(
                past
                    == Lifecycle.Past(
                        session: ended[0].session,
                        owesStart: owesStart,
                        lastNumber: 2,
                        versions: versions
                    )
            )
        }
    }

    @Test("a start is recorded for a session that has events, except for the one that continues")
    func lackingStart() {
        var begun = session(1, lastActive: 5, owing: [EventName.appStart, EventName.sessionStart])
        begun.settle(lastActive: nil, nextSequence: 2)
        let untouched = session(2, lastActive: 4, owing: [EventName.appStart, EventName.sessionStart])
        let past = PastSessions([begun, untouched], crashes: [], mayContinue: true)
        #expect(past.lackingStart(exceptRun: nil) == [begun.session])
        #expect(past.lackingStart(exceptRun: 1) == [])
    }
}
