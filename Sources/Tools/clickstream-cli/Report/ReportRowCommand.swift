import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// `report row`: what was read and changed in a row of a database, and by whom.
struct ReportRowCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "row",
        abstract: "Shows what changed in a row of a database, and who changed it, from audit events.",
        discussion: """
            One line for each insertion, update, deletion and reading: time, activity, kind, the user or other metadata, and \
            the columns with old and new values. Of a row with more events than --limit, the newest are shown.
            """
    )

    @Argument(help: "Name of the table.")
    var table: String

    @Argument(
        help:
            "Key of the row as text: the value of _id, id, uuid, TABLE_id, TABLEId or rowid, or else of its first column."
    )
    var key: String

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: "Maximum number of events, the newest ones.",
        transform: Int.numberArgument
    )
    var limit = 1_000

    @Option(help: "Only events received since then: a date, or an age such as 10m.")
    var since: TimeOption?

    @Option(help: "Only events received before then: a date, or an age such as 10m.")
    var until: TimeOption?

    @OptionGroup
    var options: ReportOptions

    func validate() throws {
        if table.isEmpty { throw ValidationError("the table is empty; name a table") }
        if key.isEmpty { throw ValidationError("the key is empty; pass the key of a row as text") }
        try ValidationError.refuseBelowOne("--limit", limit)
        try ValidationError.refuseEmptyRange(since, until)
    }

    func execute() async throws -> ExitStatus {
        let row = EventQuery.Row(table: table, key: key)
        let query = EventQuery(
            filter: EventFilter(since: since?.time, until: until?.time),
            form: .audit,
            row: row
        )
        let reader = CollectorReader(source: try options.source.source(), query: query)
        let isJSON = options.format.inUse != .human
        let events = try await reader.newest(limit) {
            let event = RowHistory.Event($0, about: row, isJSON: isJSON)
            return (event, event.heldBytes)
        }
        let history = RowHistory(row, events.values)
        switch options.format.inUse {
        case .json: try Console.print(Console.escaped(history.json))
        case .ndjson: for line in history.jsonLines { try Console.print(Console.escaped(line)) }
        case .human: for line in history.lines(width: Console.columns) { try Console.print(line) }
        }
        if events.values.isEmpty {
            Console.note(try await noMatch(reader, row))
        } else if let omission = events.omission(limit, remedy: "use --since and --until for the others") {
            Console.note(omission)
        }
        return .done
    }

    /// Explanation for a row without events, with the tables that have some.
    private func noMatch(_ reader: CollectorReader, _ row: EventQuery.Row) async throws -> String {
        let summary = try await reader.read("/api/audit/summary")
        guard let count = summary["events"]?.integer, count > 0 else { return try await reader.noMatch() }
        let names = (summary["tables"]?.array ?? []).compactMap { $0["name"]?.string.map { Characters.reported($0) } }
        let tables = names.prefix(Self.maxTables).joined(separator: ", ") + (names.count > Self.maxTables ? ", …" : "")
        let times = reader.query.options
        let (table, key) = (Characters.reported(row.table), Characters.reported(row.key))
        var text = "no audit event is about row \(key) of table \(table)"
        if !times.isEmpty { text += " and matches \(times)" }
        text += "; \(reader.source.title) has \(Plural.events(Int(count), "audit"))"
        if !names.isEmpty { text += ", of the tables \(tables)" }
        return text + "; check the name of the table, and the key, which is the text of its key column"
    }

    private static let maxTables = 10
}
