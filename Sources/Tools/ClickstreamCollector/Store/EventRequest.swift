#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Values of a request that each of its events repeats. Successive events share them.
struct EventRequest {
    var sequence: Int64
    var id: String
    var receivedAt: Timestamp
    var isContentEncoded: Bool
    /// Header of a batch; `nil` for the requests of formats without one.
    var header: CapturedHeader?

    /// Reads the request of an event in a page, unless it is that of the event before.
    static func read(_ row: Row, last: EventRequest?, in database: Database) throws -> EventRequest {
        let sequence = try row.integer(6, "requests.seq", in: StoredRange.sequence)
        if let last, last.sequence == sequence { return last }
        return EventRequest(
            sequence: sequence,
            id: try row.text(4, "requests.rid"),
            receivedAt: try row.time(5, "requests.received_at"),
            isContentEncoded: try row.boolean(7, "requests.is_encoded"),
            header: try StoredCapture.form(of: row)?.batch != nil ? header(of: sequence, in: database) : nil
        )
    }

    private static func header(of request: Int64, in database: Database) throws -> CapturedHeader? {
        let sql = "SELECT header, header_is_cut FROM captured_requests WHERE seq = ?"
        return try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [request]).map { row in
            CapturedHeader(
                json: try row.bytes(0, "captured_requests.header"),
                isCut: try row.boolean(1, "captured_requests.header_is_cut")
            )
        }
    }
}
#endif
