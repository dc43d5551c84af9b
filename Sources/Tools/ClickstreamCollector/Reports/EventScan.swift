#if Collector
import ClickstreamCore
import GRDB

/// Scan of the events that a filter selects, in the order of arrival, each once. Limit and cursor of the filter do not apply.
struct EventScan {
    /// SQL for the user of an event: the user id, or else the unique id.
    static let user = "COALESCE(e.user, e.unique_id)"

    /// Kinds of texts that few requests contain; those of the others are conditions on events alone.
    private static let rareKinds: Set<StoreLayout.Term> = [.name, .session, .user, .device]

    /// Number of requests up to which those that contain a text are searched one by one. With more of them, reading all requests in
    /// their order takes less time.
    static let maxSearched = 65_536

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
        maxSearched: Int = EventScan.maxSearched,
        in database: Database
    ) throws {
        guard let conditions = try filter.conditions(in: database) else { return nil }
        var parts = conditions.sql
        var arguments = conditions.arguments
        if let names {
            if names.isEmpty { return nil }
            parts.append("+e.name IN (\(Self.placeholders(names)))")
            arguments += StatementArguments(names)
        }
        var (source, request) = ("requests r", "r.seq")
        let terms = conditions.terms
        let rarest = try EventFilter.rarest(of: terms, upTo: maxSearched, in: database)
        if let rarest, rarest.requests < maxSearched {
            (source, request) = ("terms d CROSS JOIN requests r ON r.seq = d.request", "d.request")
            parts.append("d.text = ?")
            arguments += [terms[rarest.index].id]
        } else {
            // Texts of which a request has to contain one. Requests are read in order, and the events of the others are not.
            let required = terms.filter { Self.rareKinds.contains($0.kind) }.map { [$0.id] }
            for texts in required + (names.map { [$0] } ?? []) {
                parts.append("+r.seq IN (SELECT t.request FROM terms t WHERE t.text IN (\(Self.placeholders(texts))))")
                arguments += StatementArguments(texts)
            }
        }
        if parts.isEmpty { parts.append("TRUE") }
        let sql = """
            SELECT \((["e.seq"] + columns).joined(separator: ", "))
            FROM \(source) CROSS JOIN events e ON e.seq BETWEEN r.seq - r.events AND r.seq - 1
            WHERE \(parts.joined(separator: " AND "))
            ORDER BY \(request), e.seq
            """
        rows = try RowReader(database, sql, arguments)
    }

    private static func placeholders(_ values: [Int64]) -> String {
        Array(repeating: "?", count: values.count).joined(separator: ", ")
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
