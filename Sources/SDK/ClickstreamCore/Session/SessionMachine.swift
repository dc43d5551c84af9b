/// State machine of sessions, which determines when a session starts and ends. Pure: every input carries its time.
///
/// A session continues if less than the timeout has passed since the app was last active; an equal gap starts a new
/// one. Within a process the gap is measured on the monotonic clock, across processes on the wall clock, never
/// negative.
///
/// The state is the current session. `launch` and `foreground` within the timeout, and `wasActive`, keep it; `launch` and
/// `foreground` at the timeout or later, and the first `foreground` after a forward jump of the wall clock, replace it with
/// the next session and number. In a store without a session, the first `launch` starts session 1.
package struct SessionMachine: Sendable, Equatable {
    /// The current session, which events belong to.
    package private(set) var session: Session
    /// The time of last activity: entering the background, or the last event recorded in the foreground.
    package private(set) var lastActive: Moment
    /// The forward jump of the wall clock since the last decision, in milliseconds. The gap at the launch was measured on the
    /// wrong clock.
    private var forwardJump: Int64?

    /// Session stored by an earlier process.
    package struct Stored: Sendable, Equatable {
        package var id: String
        package var number: Int
        package var start: Timestamp
        package var lastActive: Timestamp

        package init(id: String, number: Int, start: Timestamp, lastActive: Timestamp) {
            self.id = id
            self.number = number
            self.start = start
            self.lastActive = lastActive
        }
    }

    private init(session: Session, lastActive: Moment) {
        self.session = session
        self.lastActive = lastActive
    }

    /// Handles a launch: continues the stored session, or starts the next one.
    /// - Parameter lastNumber: the highest session number assigned by any process.
    package static func launch(
        stored: Stored?,
        lastNumber: Int = 0,
        timeout: Int64,
        uniqueID: String,
        at moment: Moment
    ) -> (machine: SessionMachine, decision: Decision) {
        guard let stored else {
            let first = Session(number: lastNumber + 1, uniqueID: uniqueID, at: moment)
            let machine = SessionMachine(session: first, lastActive: moment)
            return (machine, lastNumber == 0 ? .first : .beside)
        }
        let decision = Decision.gap(moment.wall - stored.lastActive, timeout: timeout)
        let session =
            decision.isNew
            ? Session(number: max(stored.number, lastNumber) + 1, uniqueID: uniqueID, at: moment)
            : Session(id: stored.id, number: stored.number, start: stored.start, takenUpAt: moment)
        return (SessionMachine(session: session, lastActive: moment), decision)
    }

    /// Handles a return to the foreground: continues the session, or starts the next one.
    /// - Parameter lastNumber: the highest session number assigned by any process.
    package mutating func foreground(
        lastNumber: Int = 0,
        timeout: Int64,
        uniqueID: String,
        at moment: Moment
    ) -> Decision {
        var decision = Decision.gap(moment.steady - lastActive.steady, timeout: timeout)
        if !decision.isNew, let forwardJump { decision = .wrongClock(forwardJump) }
        forwardJump = nil
        if decision.isNew {
            session = Session(number: max(session.number, lastNumber) + 1, uniqueID: uniqueID, at: moment)
        }
        lastActive = moment
        return decision
    }

    /// Handles a jump of the wall clock: corrects the start of a session of this process.
    /// - Parameter jump: milliseconds; negative if the clock was set back.
    package mutating func clockJumped(by jump: Int64) {
        if !session.isContinued { session.start = session.start + jump }
        if jump > 0 { forwardJump = jump }
    }

    /// Records activity: the app entered the background, or recorded an event in the foreground.
    package mutating func wasActive(at moment: Moment) {
        lastActive = moment
    }
}
