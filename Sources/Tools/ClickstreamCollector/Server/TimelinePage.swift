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
        var bytes: [UInt8] = []
        for entry in entries {
            if count > 0 { bytes.append(UInt8(ascii: ",")) }
            count += 1
            entry.append(to: &bytes)
        }
        segments.append(bytes)
        return count < found.events.count
    }
}
#endif
