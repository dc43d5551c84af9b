#if Collector
import ClickstreamCore
import GRDB

/// SQL conditions on the time of receipt of a request `r`, and their arguments.
/// - Parameters:
///   - since: the earliest time; `nil` for no limit.
///   - until: the time before which the request was received; `nil` for no limit.
///   - sequence: SQL for the sequence number of the request, by which SQLite begins and ends to read.
///   - table: table of the requests.
func timeConditions(
    _ since: Timestamp?,
    _ until: Timestamp?,
    on sequence: String,
    of table: String
) -> [(sql: String, arguments: StatementArguments)] {
    var conditions: [(sql: String, arguments: StatementArguments)] = []
    if let since {
        let sql = "r.received_at >= ? AND \(sequence) >= (SELECT MIN(seq) FROM \(table) WHERE received_at >= ?)"
        conditions.append((sql, [since.milliseconds, since.milliseconds]))
    }
    if let until {
        let sql = "r.received_at < ? AND \(sequence) <= (SELECT MAX(seq) FROM \(table) WHERE received_at < ?)"
        conditions.append((sql, [until.milliseconds, until.milliseconds]))
    }
    return conditions
}

extension EventFilter {
    /// Text that a matching event has, by its id.
    struct TextTerm {
        var kind: StoreLayout.Term
        var id: Int64
    }

    /// Maximum number of requests counted for a term of a page.
    private static let maxCount = 1_000

    /// SQL and arguments for the matching rows: first the requests with such an event, then their events.
    ///
    /// If the newest come first, the rows before the cursor.
    /// - Returns: `nil` if no event matches.
    func selection(newestFirst: Bool, in database: Database) throws -> EventSelection? {
        guard let found = try conditions(in: database) else { return nil }
        var terms = found.terms
        // A single text needs no counting.
        let index =
            try terms.count < 2 ? terms.indices.first : Self.rarest(of: terms, upTo: Self.maxCount, in: database)?.index
        let rarest = index.map { terms.remove(at: $0) }
        var parts: [String] = []
        var arguments: StatementArguments = []
        func add(_ sql: String, _ values: StatementArguments) {
            parts.append(sql)
            arguments += values
        }
        if let rarest { add("t.text = ?", [rarest.id]) }
        let request = rarest == nil ? "r.seq" : "t.request"
        if !newestFirst {
            add("\(request) > ?", [cursor ?? 0])
        } else if let cursor {
            // The request of the cursor itself is the first one after it, with its earlier events.
            add("\(request) <= (SELECT MIN(seq) FROM requests WHERE seq > ?)", [cursor])
        }
        for term in terms {
            add("EXISTS (SELECT 1 FROM terms o WHERE o.text = ? AND o.request = t.request)", [term.id])
        }
        parts += found.sql
        arguments += found.arguments
        if parts.isEmpty { parts.append("TRUE") }
        let source = rarest == nil ? "requests r" : "terms t CROSS JOIN requests r ON r.seq = t.request"
        let direction = newestFirst ? " DESC" : ""
        // Skips the events of the previous pages within the body in which they ended.
        let (least, greatest): (Int64, Int64) =
            newestFirst ? (0, (cursor ?? .max) &- 1) : ((cursor ?? 0) &+ 1, .max)
        let sql = """
            SELECT \(EventSelection.columns)
            FROM \(source)
            CROSS JOIN events e ON e.seq BETWEEN MAX(\(RequestRange.firstEvent(of: "r")), ?) AND MIN(r.seq - 1, ?)
            WHERE \(parts.joined(separator: " AND "))
            ORDER BY \(request)\(direction), e.seq\(direction)
            """
        return EventSelection(
            sql: sql,
            arguments: [least, greatest] + arguments,
            after: cursor ?? 0,
            newestFirst: newestFirst
        )
    }

    /// SQL conditions on an event `e` and its request `r`, without the cursor, their arguments in this order, and the texts of
    /// the filter. None of the conditions lets SQLite build an index of the events.
    /// - Returns: `nil` if no event matches.
    func conditions(
        in database: Database
    ) throws -> (sql: [String], arguments: StatementArguments, terms: [TextTerm])? {
        guard let terms = try self.terms(in: database) else { return nil }
        var sql: [String] = []
        var arguments: StatementArguments = []
        func add(_ condition: String, _ values: StatementArguments = []) {
            sql.append(condition)
            arguments += values
        }
        for term in terms {
            if let column = term.kind.column { add("+e.\(column) = ?", [term.id]) }
            if term.kind == .user { add("(+e.unique_id = ? OR +e.user = ?)", [term.id, term.id]) }
        }
        if let status { add(status == .bad ? "e.is_bad" : "NOT e.is_bad") }
        if let code = code.map({ TextArgument($0) }) {
            add("EXISTS (SELECT 1 FROM findings f WHERE f.event = e.seq AND f.code = \(code.sql))", [code.value])
        }
        for condition in timeConditions(since, until, on: "r.seq", of: "requests") {
            add(condition.sql, condition.arguments)
        }
        return (sql, arguments, terms)
    }

    /// Texts that a matching event has. The kinds whose texts are rare as a rule come first.
    private var texts: [(kind: StoreLayout.Term, value: String?)] {
        [
            (.session, session), (.user, user), (.device, device), (.code, code), (.name, name), (.screen, screen),
            (.bad, status == .bad ? "" : nil), (.version, version), (.app, app), (.platform, platform),
        ]
    }

    /// - Returns: `nil` if one of the texts is in no event.
    private func terms(in database: Database) throws -> [TextTerm]? {
        var terms: [TextTerm] = []
        for text in texts {
            guard let value = text.value else { continue }
            guard let id = try textID(text.kind, value, in: database) else { return nil }
            terms.append(TextTerm(kind: text.kind, id: id))
        }
        return terms
    }

    /// Index of the term with the fewest requests, and their number, counted up to `maxCount`; `nil` without terms.
    static func rarest(
        of terms: [TextTerm],
        upTo maxCount: Int,
        in database: Database
    ) throws -> (index: Int, requests: Int64)? {
        let counts = try RowWriter(database, "SELECT COUNT(*) FROM (SELECT 1 FROM terms WHERE text = ?1 LIMIT ?2)")
        counts.bind(Int64(maxCount), at: 2)
        var rarest: (index: Int, requests: Int64)?
        for (index, term) in terms.enumerated() {
            counts.bind(term.id, at: 1)
            let count = try counts.integer() ?? 0
            if rarest.map({ count < $0.requests }) ?? true { rarest = (index, count) }
        }
        return rarest
    }
}
#endif
