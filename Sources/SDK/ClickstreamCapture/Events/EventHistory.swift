package import ClickstreamCore

/// Identifiers of the last ten captured events, oldest first.
package struct EventHistory: Sendable, Equatable {
    package static let capacity = 10

    package private(set) var ids: [UniqueID] = []

    package init() {}

    package mutating func append(_ id: UniqueID) {
        if ids.count == Self.capacity { ids.removeFirst() }
        ids.append(id)
    }
}
