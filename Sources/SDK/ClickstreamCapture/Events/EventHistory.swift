package import ClickstreamCore

/// Identifiers of the last ten events that the queue of a format stored in the session, oldest first.
package struct EventHistory: Sendable, Equatable {
    package static let capacity = 10

    package private(set) var ids: [UniqueID] = []
    private var sessionNumber: Int?

    package init() {}

    /// Forgets the events of another session.
    package mutating func enter(_ session: Session) {
        guard session.number != sessionNumber else { return }
        sessionNumber = session.number
        ids = []
    }

    package mutating func append(_ id: UniqueID) {
        if ids.count == Self.capacity { ids.removeFirst() }
        ids.append(id)
    }
}
