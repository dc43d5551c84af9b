/// State machine of sessions, which determines when a session starts and ends. Pure: every input carries its time.
///
/// A session continues if less than the timeout has passed since the app was last active; an equal gap starts a new
/// one. Within a process the gap is measured on the monotonic clock, across processes on the wall clock, never
/// negative.
///
/// The only state is the current session. `launch` and `foreground` within the timeout, and `wasActive`, keep it;
/// `launch` and `foreground` at the timeout or later replace it with the next session and number. In a store without a
/// session, the first `launch` starts session 1.
package struct SessionMachine: Sendable, Equatable {
    /// The current session, which events belong to.
    package private(set) var session: Session
    /// The time of last activity: entering the background, or the last event recorded in the foreground.
    package private(set) var lastActive: Moment

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
            return (SessionMachine(session: first, lastActive: moment), lastNumber == 0 ? .first : .beside)
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
        let decision = Decision.gap(moment.steady - lastActive.steady, timeout: timeout)
        if decision.isNew {
            session = Session(number: max(session.number, lastNumber) + 1, uniqueID: uniqueID, at: moment)
        }
        lastActive = moment
        return decision
    }

    /// Records activity: the app entered the background, or recorded an event in the foreground.
    package mutating func wasActive(at moment: Moment) {
        lastActive = moment
    }
}
