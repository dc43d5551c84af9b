package import ClickstreamCore

/// Identifiers of the last ten events that the queue of a format stored in the session, oldest first.
package struct EventHistory: Sendable, Equatable {
    package static let capacity = 10

    private var ids: [UniqueID] = []
    private var sessionNumber: Int?

    package init() {}

    /// Returns the identifiers of the session's events; none if the last event is one of another session.
    package func ids(in session: Session) -> [UniqueID] {
        session.number == sessionNumber ? ids : []
    }

    /// Appends an event of the session, and forgets those of another one.
    package mutating func append(_ id: UniqueID, in session: Session) {
        ids = ids(in: session)
        sessionNumber = session.number
        if ids.count == Self.capacity { ids.removeFirst() }
        ids.append(id)
    }
}
