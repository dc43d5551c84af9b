/// Decides when a session starts and ends. Knows no clock: every input carries its time.
///
/// A session goes on when less than the time-out has passed since the app was last active; an equal gap starts a new
/// one. Within a process the gap is measured on the steady clock, across processes on the wall clock, never negative.
///
/// There is one state: a session is current. It is left for itself by a `launch` or `foreground` within the time-out and
/// by `wasActive`, and for the next session, with the next number, by a `launch` or `foreground` at the time-out or later.
/// A store without a session is left by its first `launch`, for session 1.
package struct SessionMachine: Sendable, Equatable {
    /// The session that events belong to now.
    package private(set) var session: Session
    /// When the app was last active: the moment of background, or the last event recorded in the foreground.
    package private(set) var lastActive: Moment

    /// What an earlier process left behind.
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

    /// A launch: takes the stored session up, or starts the next.
    /// - Parameter lastNumber: the greatest number that any process has given to a session.
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

    /// The app comes back: the session goes on, or the next starts.
    /// - Parameter lastNumber: the greatest number that any process has given to a session.
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

    /// The app was active just now: it went to the background, or recorded an event in the foreground.
    package mutating func wasActive(at moment: Moment) {
        lastActive = moment
    }
}
