import ClickstreamCore
import ClickstreamJudges

/// Readings and changes of a row of a database, in the order of time.
struct RowHistory: Sendable {
    /// Audit event about the row. Other rows of the event are not in memory, but in ``json``.
    struct Event: Sendable {
        let time: Timestamp?
        let activity: String?
        /// The value of the first metadata that names a user, or else the first metadata as `name=value`.
        let author: String?
        let changes: [Change]
        /// Name and phrase of an event without a readable change of the row.
        let name: String?
        let phrase: String?
        /// The element of `/api/audit`; `nil` if it is not printed.
        let json: String?

        /// Bytes of the event in memory, about.
        var heldBytes: Int {
            let texts = [activity, author, name, phrase, json].reduce(256) { $0 + ($1?.utf8.count ?? 0) }
            return changes.reduce(texts) { $0 + 32 + $1.columns.utf8.count }
        }
    }

    /// Reading or change of the row, as a line shows it.
    struct Change: Sendable {
        let kind: AuditChange.Kind
        let columns: String
    }

    let row: EventQuery.Row
    private let events: [Event]

    /// Limits of a line: scalars of an activity and of an author, and number of columns.
    private static let longestActivity = 32
    private static let longestAuthor = 32
    private static let maxColumns = 8

    /// - Parameter events: events in the order of arrival, which decides between equal times.
    init(_ row: EventQuery.Row, _ events: [Event]) {
        self.row = row
        self.events = PersonTimeline.ordered(events, by: \.time)
    }

    /// A line for each change: time, activity, kind, author, and columns.
    func lines(width: Int?) -> [String] {
        let rows = events.flatMap { event -> [[String]] in
            let start = [
                event.time.map { "\($0)" } ?? "no time", Self.shown(event.activity, upTo: Self.longestActivity),
            ]
            let author = Self.shown(event.author, upTo: Self.longestAuthor)
            if event.changes.isEmpty {
                return [start + [Self.shown(event.name, upTo: Self.longestActivity), author, event.phrase ?? ""]]
            }
            return event.changes.map { start + [$0.kind.rawValue, author, $0.columns] }
        }
        return Table(rows, indent: 0, width: width).lines.map { Table.cut($0, to: width ?? .max) }
    }

    fileprivate static func columns(of change: AuditChange) -> String {
        let columns = change.columns
        let others = columns.count - maxColumns
        let shown = columns.prefix(maxColumns).joined(separator: ", ")
        return Console.escaped(others > 0 ? "\(shown) and \(others) more" : shown)
    }

    private static func shown(_ text: String?, upTo length: Int) -> String {
        text.map { Table.cut(Console.escaped($0), to: length) } ?? "-"
    }

    /// One object with the row and all events, which keep their strings and numbers as they were received.
    var json: String {
        let head = JSONValue(.object([.text("table", row.table), .text("key", row.key)]))
        return "\(head.description.dropLast()),\"events\":[\(jsonLines.joined(separator: ","))]}"
    }

    /// One event per line.
    var jsonLines: [String] { events.compactMap(\.json) }
}

extension RowHistory.Event {
    /// Names of metadata that name a user, as in the inspector.
    private static let userNames = ["username", "user", "user_id", "userId", "email"]

    /// - Parameter isJSON: true for an event that is printed as JSON, false for one in a line.
    init(_ event: ReceivedEvent, about row: EventQuery.Row, isJSON: Bool) {
        time = event.time
        activity = event.event["activity"]?.string
        author = Self.author(of: event.event)
        let found = isJSON ? [] : AuditChange.changes(ofRow: row.key, in: row.table, by: event.event)
        changes = found.map { RowHistory.Change(kind: $0.kind, columns: RowHistory.columns(of: $0)) }
        name = event.name
        phrase = isJSON ? nil : event.phrase.map { Console.escaped($0.text) }
        json = isJSON ? event.json : nil
    }

    private static func author(of event: JSONValue) -> String? {
        let metadata = (event.members ?? []).compactMap { member -> (name: String, value: String)? in
            guard !AuditFields.names.contains(member.name), let text = member.value.string, !text.isEmpty else {
                return nil
            }
            return (member.name, text)
        }
        let users = userNames.compactMap { name in metadata.first { $0.name == name } }
        return users.first?.value ?? metadata.first.map { "\($0.name)=\($0.value)" }
    }
}
