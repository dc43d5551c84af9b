#if Collector
import ClickstreamCore

/// `/api/sessions/{id}`: a session, whose timeline is read in parts.
struct TimelinePage: ListSource {
    let head: [UInt8]
    let tail: [UInt8]
    /// An incomplete timeline could not be distinguished from a complete one.
    var endsAtErrors: Bool { false }
    private let found: StoredSession
    /// Number of entries read so far.
    private var count = 0

    init(_ found: StoredSession) {
        self.found = found
        (head, tail) = found.session.jsonAroundTimeline
    }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let entries = try await store.entries(of: found, from: count, bytes: Reply.partBytes)
        var list = ObjectWriter()
        list.needsComma = count > 0
        for entry in entries { entry.append(to: &list) }
        count += entries.count
        segments.append(list.bytes)
        return count < found.events.count
    }
}
#endif
