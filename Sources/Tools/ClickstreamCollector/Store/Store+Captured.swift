#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Format, name and header of a stored captured event.
struct StoredCapture: Sendable, Hashable {
    var form: CapturedFormat
    var name: String
    var header: CapturedHeader?
    var partition: String?
}

extension Store {
    /// Counts of each captured form, zeros for a form without a row in the totals.
    func capturedSummary() async throws -> [CapturedFormat: CapturedCounts] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT requests, bad_requests, events, bad_events, duplicates, form FROM captured_totals"
            )
            var summary = Dictionary(uniqueKeysWithValues: CapturedFormat.captured.map { ($0, CapturedCounts()) })
            for row in rows {
                guard let form = CapturedFormat.captured(named: try row.text(5, "captured_totals.form")) else {
                    continue
                }
                func total(_ index: Int) throws -> Int {
                    Int(try row.integer(index, "captured_totals.events", in: StoredRange.sequence))
                }
                summary[form] = try CapturedCounts(
                    requests: total(0),
                    badRequests: total(1),
                    events: total(2),
                    badEvents: total(3),
                    duplicates: total(4)
                )
            }
            return summary
        }
    }

    /// Counts of audit events. Reads the indexes of all of them.
    func auditSummary() async throws -> AuditSummary {
        let counts = try await capturedSummary()[.audit] ?? CapturedCounts()
        return try await readInTurn { database in
            func values(_ name: String, _ source: String) throws -> [AuditSummary.Count] {
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT \(name) AS value, COUNT(*) AS events FROM \(source) GROUP BY value
                        ORDER BY events DESC, value LIMIT \(AuditSummary.maxValues)
                        """
                )
                var counts: [AuditSummary.Count] = []
                while let row = try rows.next() {
                    let events = try row.count(1, "audit_events.activity")
                    counts.append(AuditSummary.Count(name: try row.text(0, "audit_events.activity"), events: events))
                }
                return counts
            }
            return AuditSummary(
                counts: counts,
                activities: try values("activity", "audit_events"),
                types: try values("name", "captured_events WHERE form = 'audit'"),
                tables: try values("name", "audit_tables")
            )
        }
    }

    func captured(_ filter: CapturedFilter) async throws -> CapturedPage {
        let limit = filter.limit.clamped(to: EventFilter.limits)
        return try await readInTurn { [texts, pageBytes] database in
            let page = try Self.events(filter.selection(), limit: limit, bytes: pageBytes, texts, in: database)
            var header: (request: String, json: String?)?
            return CapturedPage(
                events: page.events.compactMap { event in
                    // Events of one batch share its header.
                    if header?.request != event.requestID {
                        let json = event.captured?.header.map { String(decoding: $0.json, as: UTF8.self) }
                        header = (event.requestID, json)
                    }
                    return CollectedCapture(event, header: header?.json)
                },
                next: page.isWhole ? nil : page.events.last?.sequence
            )
        }
    }

    /// Matching captured events for one piece of a reply.
    func captured(_ filter: CapturedFilter, limit: Int, bytes: Int, _ form: EventTexts) async throws -> StoredEvents {
        try await readInTurn { [texts] database in
            try Self.events(filter.selection(), limit: limit, bytes: bytes, form: form, texts, in: database)
        }
    }

    /// Captured event with a sequence number.
    func captured(_ sequence: Int64, in forms: [CapturedFormat], _ form: EventTexts) async throws -> StoredEvent? {
        guard sequence > 0 else { return nil }
        var filter = CapturedFilter(cursor: sequence - 1)
        filter.forms = forms
        let page = try await captured(filter, limit: 1, bytes: 1, form)
        return page.events.first.flatMap { $0.sequence == sequence ? $0 : nil }
    }

    /// Captured requests without their bodies, for one piece of a reply.
    func capturedRequests(
        of forms: [CapturedFormat],
        after cursor: Int64?,
        limit: Int,
        bytes: Int
    ) async throws -> RequestPage {
        try await readInTurn { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(Self.requestColumns) FROM captured_requests r WHERE r.seq > ? AND \(forms.condition("r.form"))
                    ORDER BY r.seq LIMIT ?
                    """,
                arguments: [cursor ?? 0, limit + 1]
            )
            let (requests, isWhole) = try Self.requests(rows, limit: limit, maxBytes: bytes)
            return RequestPage(requests: requests, next: isWhole ? nil : requests.last?.sequence)
        }
    }
}

extension StoredCapture {
    /// Reads the columns after those of an event of the clickstream format; `nil` without any.
    init?(_ row: Row, header: CapturedHeader?) throws {
        guard let form = try Self.form(of: row) else { return nil }
        self.form = form
        self.header = header
        name = try row.text(10, "captured_events.name")
        partition = try row.optionalText(11, "audit_events.partition")
    }

    /// Format of the event in a row; `nil` for the clickstream format.
    static func form(of row: Row) throws -> CapturedFormat? {
        if row.count <= 9 { return nil }
        let form = try row.text(9, "captured_events.form")
        guard let known = CapturedFormat.captured(named: form) else {
            throw StoreDamage(column: "captured_events.form", found: "a text of \(form.utf8.count) bytes")
        }
        return known
    }
}

extension CollectedCapture {
    /// Converts an event with its whole text; `nil` for an event of the clickstream format.
    init?(_ event: StoredEvent, header: String?) {
        guard let captured = event.captured else { return nil }
        self.init(
            form: captured.form,
            name: captured.name,
            header: header,
            partition: captured.partition,
            event: CollectedEvent(event)
        )
    }
}

extension CapturedFilter {
    /// SQL and arguments for the matching rows, in the order of arrival or with the newest first.
    func selection(newestFirst: Bool = false) -> EventSelection {
        let after = cursor ?? 0
        var parts: [String] = []
        var arguments: StatementArguments = []
        func add(_ sql: String, _ values: StatementArguments = []) {
            parts.append(sql)
            arguments += values
        }
        func add(_ column: String, is text: String) {
            let text = TextArgument(text)
            add("\(column) = \(text.sql)", [text.value])
        }
        // The most selective index first; the other conditions are checked for each event.
        let source: (sql: String, event: String)
        if let key = audit.key, let table = audit.table {
            source = ("audit_rows k CROSS JOIN captured_events e ON e.seq = k.event", "k.event")
            add("k.table_name", is: table)
            add("k.key", is: key)
        } else if let table = audit.table {
            source = ("audit_tables t CROSS JOIN captured_events e ON e.seq = t.event", "t.event")
            add("t.name", is: table)
        } else if let activity = audit.activity {
            source = ("audit_events o CROSS JOIN captured_events e ON e.seq = o.event", "o.event")
            add("o.activity", is: activity)
        } else {
            source = ("captured_events e", "e.seq")
        }
        add("\(source.event) > ?", [after])
        if let end { add("\(source.event) <= ?", [end]) }
        add(forms.condition("e.form"))
        for (list, position) in omitted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where position > after {
            add("(e.seq > ? OR NOT \(forms.filter { $0.list == list }.condition("e.form")))", [position])
        }
        if let name { add("e.name", is: name) }
        if let status { add(status == .bad ? "e.is_bad" : "NOT e.is_bad") }
        if let code = code.map({ TextArgument($0) }) {
            let finding = "SELECT 1 FROM captured_findings f WHERE f.event = e.seq AND f.code = \(code.sql)"
            add("EXISTS (\(finding))", [code.value])
        }
        for condition in audit.conditions { add(condition.sql, condition.arguments) }
        for condition in timeConditions(since, until, on: "e.request", of: "captured_requests") {
            add(condition.sql, condition.arguments)
        }
        let sql = """
            SELECT e.seq, e.start, e.length, e.is_bad, r.rid, r.received_at, r.seq, r.is_encoded, e.unlisted, e.form,
                e.name, a.partition
            FROM \(source.sql) CROSS JOIN captured_requests r ON r.seq = e.request
                LEFT JOIN audit_events a ON a.event = e.seq
            WHERE \(parts.joined(separator: " AND "))
            ORDER BY \(source.event)\(newestFirst ? " DESC" : "")
            """
        return EventSelection(
            sql: sql,
            arguments: arguments,
            findings: "captured_findings",
            after: after,
            newestFirst: newestFirst
        )
    }
}

extension AuditFilter {
    /// SQL conditions and their arguments, of those properties that are not the source of the rows.
    fileprivate var conditions: [(sql: String, arguments: StatementArguments)] {
        var conditions: [(sql: String, arguments: StatementArguments)] = []
        for (column, text) in [("a.activity", activity), ("a.partition", partition)] {
            guard let text = text.map({ TextArgument($0) }) else { continue }
            conditions.append(("\(column) = \(text.sql)", [text.value]))
        }
        if let type = type.map({ TextArgument($0) }) {
            let ofTable = "EXISTS (SELECT 1 FROM audit_tables t WHERE t.name = \(type.sql) AND t.event = e.seq)"
            conditions.append(("(e.name = \(type.sql) OR \(ofTable))", [type.value, type.value]))
        }
        if table == nil, let key = key.map({ TextArgument($0) }) {
            let sql = """
                EXISTS (SELECT 1 FROM audit_tables t JOIN audit_rows k ON k.table_name = t.name AND k.event = t.event
                    WHERE t.event = e.seq AND k.key = \(key.sql))
                """
            conditions.append((sql, [key.value]))
        }
        return conditions
    }
}

extension [CapturedFormat] {
    /// SQL condition for a column.
    func condition(_ column: String) -> String {
        "\(column) IN (\(map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    }
}
#endif
