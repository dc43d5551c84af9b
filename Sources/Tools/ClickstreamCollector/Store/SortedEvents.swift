#if Collector
import ClickstreamCore
import GRDB

/// Events that a filter selects, sorted by a value. No index has this order: a page reads the values of all matching events.
///
/// The sequence numbers of a page are selected first; SQLite keeps no more rows than these while it sorts. The events are then read
/// in parts, each in its own transaction. Limit and cursor of the filter do not apply.
struct SortedEvents: Sendable, Hashable {
    /// Sequence numbers of the events of a page, in their order.
    struct Page: Sendable, Hashable {
        var sequences: [Int64] = []
        /// Position of the last event if others follow the page.
        var end: EventOrder.Position?
    }

    /// Events with the first sequence numbers of a page.
    struct Part: Sendable {
        /// Events in the order of the page, without those that were removed since the page was selected.
        var events: [StoredEvent] = []
        /// Number of sequence numbers read.
        var count = 0
        /// Position of the last event; `nil` without events.
        var end: EventOrder.Position?
    }

    /// SQL name of the column with the value of an event.
    private static let value = "sort_value"

    let filter: EventFilter
    let order: EventOrder

    /// Selects a page.
    /// - Parameter position: position after which the page begins; `nil` for the first page.
    /// - Throws: ``StoreDamage`` if a row contains a value that no collector writes, or an event belongs to two requests.
    func page(after position: EventOrder.Position?, limit: Int, in database: Database) throws -> Page {
        guard let query = try query(after: position, in: database) else { return Page() }
        // Not cached, as in other lists.
        let rows = try Row.fetchCursor(
            database,
            sql: query.sql + " LIMIT ?",
            arguments: query.arguments + [limit + 1]
        )
        var page = Page()
        var last: EventOrder.Position?
        while let row = try rows.next() {
            if page.sequences.count == limit {
                page.end = last
                return page
            }
            let next = try order.position(row)
            // The same event has the same value, and thus directly follows.
            if next.sequence == last?.sequence { throw StoreDamage.overlap }
            page.sequences.append(next.sequence)
            last = next
        }
        return page
    }

    /// Query for the values of the events after a position, in the order.
    /// - Returns: `nil` if no event can match.
    func query(
        after position: EventOrder.Position?,
        in database: Database
    ) throws -> (sql: String, arguments: StatementArguments)? {
        guard var events = try MatchingEvents(filter, in: database) else { return nil }
        if let position {
            let condition = condition(after: position)
            events.add(condition.sql, condition.arguments)
        }
        let direction = order.isDescending ? " DESC" : ""
        let sql = """
            \(events.sql(columns: columns, join: order.join))
            ORDER BY \(Self.value) IS NULL\(direction), \(Self.value)\(direction), e.seq\(direction)
            """
        return (sql, events.arguments)
    }

    /// Columns after the sequence number, for ``EventOrder/position(_:)``.
    private var columns: [String] { ["\(order.sql) AS \(Self.value)", order.textID ?? "NULL"] }

    private func condition(after position: EventOrder.Position) -> (sql: String, arguments: StatementArguments) {
        let (value, sequence) = (Self.value, position.sequence)
        let follows = order.isDescending ? "<" : ">"
        guard let last = position.value?.databaseValue else {
            let sql =
                order.isDescending
                ? "(\(value) IS NOT NULL OR e.seq < ?)" : "(\(value) IS NULL AND e.seq > ?)"
            return (sql, [sequence])
        }
        let absent = order.isDescending ? "" : " OR \(value) IS NULL"
        let sql = "(\(value) \(follows) ? OR (\(value) = ? AND e.seq \(follows) ?)\(absent))"
        return (sql, [last, last, sequence])
    }

    // MARK: - Parts

    /// Reads events of a page up to a number of bytes, at least one sequence number. Each of their bodies is inflated once.
    /// - Parameter sequences: the rest of the sequence numbers of the page.
    func part(
        of sequences: ArraySlice<Int64>,
        bytes: Int,
        form: EventTexts,
        _ texts: BodyTexts,
        in database: Database
    ) throws -> Part {
        let count = try count(of: sequences, bytes: bytes, maxBytes: form.maxBytes, in: database)
        if count == 0 { return Part() }
        let chosen = Array(sequences.prefix(count))
        let selection = EventSelection(
            sql: """
                SELECT \(EventSelection.columns) FROM \(Self.eventsWithRequests)
                WHERE e.seq IN (\(databaseQuestionMarks(count: count))) ORDER BY e.seq
                """,
            arguments: StatementArguments(chosen),
            after: 0,
            isContinued: count < sequences.count
        )
        let found = try Store.events(selection, limit: count, bytes: .max, form: form, texts, in: database)
        let events = Dictionary(uniqueKeysWithValues: found.events.map { ($0.sequence, $0) })
        var part = Part(events: chosen.compactMap { events[$0] }, count: count)
        if let last = part.events.last { part.end = try self.position(of: last.sequence, in: database) }
        return part
    }

    /// Events `e` with their requests `r`, which directly follow their events.
    private static let eventsWithRequests = """
        events e CROSS JOIN requests r ON r.seq = (SELECT MIN(q.seq) FROM requests q WHERE q.seq > e.seq)
        """

    /// Number of the first events that have a number of bytes, at least one.
    private func count(
        of sequences: ArraySlice<Int64>,
        bytes: Int,
        maxBytes: Int?,
        in database: Database
    ) throws -> Int {
        let lengths = try RowWriter(database, "SELECT length FROM events WHERE seq = ?")
        var remaining = bytes
        var count = 0
        for sequence in sequences.prefix(Feed.maxCount) where count == 0 || remaining > 0 {
            lengths.bind(sequence, at: 1)
            // No row for an event that was removed.
            let length = try lengths.integer() ?? 0
            remaining -= min(Int(length.clamped(to: StoredRange.count)), maxBytes ?? .max)
            count += 1
        }
        return count
    }

    private func position(of sequence: Int64, in database: Database) throws -> EventOrder.Position? {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT \((["e.seq"] + columns).joined(separator: ", ")) FROM \(Self.eventsWithRequests) \(order.join)
                WHERE e.seq = ?
                """,
            arguments: [sequence]
        )
        return try row.map { try order.position($0) }
    }
}

extension EventOrder {
    /// SQL of the value of an event.
    fileprivate var sql: String {
        switch field {
        case .received: "e.seq"
        case .time: "COALESCE(e.timestamp, r.received_at)"
        case .column(.status): "CASE WHEN e.is_bad THEN 'bad' ELSE 'good' END"
        case .column: "substr(x.value, 1, \(Self.maxCharacters))"
        }
    }

    /// SQL of the id of the text that is the value; `nil` for another value.
    fileprivate var textID: String? {
        switch field {
        case .received, .time, .column(.status): nil
        case .column(let column): ReportField.column(column).sql
        }
    }

    /// SQL that joins the text of an event; empty without one.
    fileprivate var join: String { textID.map { "LEFT JOIN texts x ON x.id = \($0)" } ?? "" }

    /// Position of an event, from a row with its sequence number, value and the id of its text.
    fileprivate func position(_ row: Row) throws -> Position {
        var position = Position(sequence: try row.integer(0, "events.seq", in: StoredRange.sequence))
        switch field {
        case .received, .time:
            position.value = .number(try row.integer(1, "events.timestamp", in: StoredRange.any))
        case .column:
            position.value = try row.optionalText(1, "texts.value").map(Value.text)
            if position.value == nil, let id = try row.optionalTextID(2, "events") {
                throw StoreDamage(column: "texts.id", found: "no row \(id)")
            }
        }
        return position
    }
}

extension EventOrder.Value {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }
}
#endif
