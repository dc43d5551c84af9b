#if Collector
import ClickstreamCore
import GRDB

extension UploadDecoder {
    /// Decodes each stored request with events again, in the order of arrival.
    /// - Parameter body: called with the sequence number of the request, and its content; with `nil` if the body was removed, or
    ///   has another number of events than were stored.
    /// - Throws: `CancellationError` if the opening is cancelled; ``StoreDamage``; errors of GRDB and of `body`.
    func decodeStored(
        in database: Database,
        _ opening: StoreOpening,
        _ body: (_ request: Int64, _ content: UploadContent?) throws -> Void
    ) throws {
        let query = try database.cachedStatement(
            sql: """
                SELECT r.received_at, r.is_encoded, r.events, b.data, b.request
                FROM requests r LEFT JOIN bodies b ON b.request = r.seq WHERE r.seq = ?
                """
        )
        for request in try Int64.fetchAll(database, sql: "SELECT seq FROM requests WHERE events IS NOT 0 ORDER BY seq")
        {
            if opening.isCancelled { throw CancellationError() }
            // The numbers of its events are computed from it.
            guard StoredRange.sequence.contains(request) else {
                throw StoreDamage(column: "requests.seq", found: "\(request)")
            }
            guard let row = try Row.fetchOne(query, arguments: [request]) else { continue }
            let count = try row.count(2, "requests.events")
            guard try row.optionalInteger(4, "bodies.request") != nil else {
                try body(request, nil)
                continue
            }
            let content = decode(try Envelope(stored: row)).content
            try body(request, content.events.count == count ? content : nil)
        }
    }
}

extension Envelope {
    /// The data on which the events of a request and their verdicts depend.
    fileprivate init(stored row: Row) throws {
        self.init(
            id: "",
            receivedAt: try row.time(0, "requests.received_at"),
            method: "",
            uri: "",
            path: "",
            body: try row.bytes(3, "bodies.data"),
            isContentEncoded: try row.boolean(1, "requests.is_encoded")
        )
    }
}
#endif
