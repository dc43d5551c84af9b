#if Collector
import ClickstreamCore
import GRDB

/// Scan of the events that a filter selects, in the order of arrival, each once. Limit and cursor of the filter do not apply.
struct EventScan {
    /// SQL for the user of an event: the user id, or else the unique id.
    static let user = "COALESCE(e.user, e.unique_id)"

    private let rows: RowReader

    /// Takes time proportional to the requests that contain the rarest text of the filter, or to all requests of the store if that text
    /// is not rare.
    /// - Parameters:
    ///   - names: numbers of the texts of the names that the events may have; `nil` for any.
    ///   - columns: SQL of the columns after the sequence number, which is the first one.
    ///   - maxSearched: number of requests up to which a text is rare.
    /// - Returns: `nil` if no event can match.
    init?(
        _ filter: EventFilter,
        names: [Int64]? = nil,
        columns: [String],
        maxSearched: Int = MatchingEvents.maxSearched,
        in database: Database
    ) throws {
        guard let events = try MatchingEvents(filter, names: names, maxSearched: maxSearched, in: database) else {
            return nil
        }
        rows = try RowReader(
            database,
            "\(events.sql(columns: columns)) ORDER BY \(events.request), e.seq",
            events.arguments
        )
    }

    /// Calls `body` for each event.
    /// - Throws: ``StoreDamage`` if rows are out of order; `DatabaseError`; the error of `body`.
    func scan(_ body: (RowReader) throws -> Void) throws {
        var last: Int64 = 0
        try rows.scan { row in
            let sequence = try row.integer(0, "events.seq", in: StoredRange.sequence)
            guard sequence > last else { throw StoreDamage.overlap }
            last = sequence
            try body(row)
        }
    }
}
#endif
