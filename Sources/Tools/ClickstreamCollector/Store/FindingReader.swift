#if Collector
import ClickstreamCore
import GRDB
import GRDBSQLite

/// Reader of the findings of successive events of a page.
///
/// One statement reads the findings of all events in the order of the page. It starts again only after findings of events
/// that are not in the page. A text is shared with the last finding if both have the same.
struct FindingReader {
    private let statement: Statement
    private let newestFirst: Bool
    private var rows: RowCursor?
    /// Next row with its event; `nil` at the end of the table.
    private var next: (row: Row, event: Int64)?
    private var last: CollectedViolation?

    /// - Parameter newestFirst: true if the numbers of the events decrease.
    init(_ database: Database, _ table: String, newestFirst: Bool) throws {
        self.newestFirst = newestFirst
        let (condition, direction) = newestFirst ? ("<=", " DESC") : (">=", "")
        statement = try database.cachedStatement(
            sql: """
                SELECT event, code, severity, subject, name, message FROM \(table) WHERE event \(condition) ?
                ORDER BY event\(direction), position\(direction)
                """
        )
    }

    /// Returns the findings of an event in their order.
    mutating func violations(of event: Int64) throws -> [CollectedViolation] {
        if rows == nil || isBefore(event) {
            rows = nil
            rows = try Row.fetchCursor(statement, arguments: [event])
            try advance()
        }
        var violations: [CollectedViolation] = []
        while let next, next.event == event {
            let violation = try violation(in: next.row)
            violations.append(violation)
            last = violation
            try advance()
        }
        if newestFirst { violations.reverse() }
        return violations
    }

    /// True if the next row belongs to an event before this one in the page.
    private func isBefore(_ event: Int64) -> Bool {
        guard let next else { return false }
        return newestFirst ? next.event > event : next.event < event
    }

    private mutating func advance() throws {
        next = try rows?.next().map { ($0, try $0.integer(0, "findings.event", in: StoredRange.any)) }
    }

    private func violation(in row: Row) throws -> CollectedViolation {
        let severity = try row.text(2, "findings.severity")
        guard let known = Violation.Severity(rawValue: severity) else {
            throw StoreDamage(column: "findings.severity", found: "a text of \(severity.utf8.count) bytes")
        }
        return CollectedViolation(
            code: try text(1, "findings.code", of: row, last?.code),
            severity: known,
            subject: try text(3, "findings.subject", of: row, last?.subject),
            name: try text(4, "findings.name", of: row, last?.name),
            message: try text(5, "findings.message", of: row, last?.message)
        )
    }

    /// Text of a column, which may contain U+0000; `last` itself if it has the same bytes.
    private func text(_ index: Int, _ column: StaticString, of row: Row, _ last: String?) throws -> String {
        let (pointer, position) = (statement.sqliteStatement, Int32(index))
        guard sqlite3_column_type(pointer, position) == SQLITE_TEXT,
            let start = sqlite3_column_text(pointer, position)
        else {
            return try row.text(index, column)
        }
        let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, position)))
        if let last, Characters.areSame(last, text) { return last }
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
