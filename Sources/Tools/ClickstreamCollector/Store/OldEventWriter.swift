#if Collector
import GRDB

/// Writes the events of a request whose body cannot be decoded from their rows of the layouts 4 to 6, with their texts, terms,
/// sessions and users. They have no device, platform and version, and reading their JSON reports the damage of the body.
///
/// Used on the connection's queue, within one transaction.
struct OldEventWriter {
    private let statements: [RowWriter]

    /// Column with the ids of texts, and the column of the former layout with the texts.
    private struct TextColumn {
        var name: String
        var kind: StoreLayout.Term
        var former: String
    }

    private static let texts = [
        TextColumn(name: "name", kind: .name, former: "event_type"),
        TextColumn(name: "app", kind: .app, former: "app_id"),
        TextColumn(name: "screen", kind: .screen, former: "screen_name"),
        TextColumn(name: "unique_id", kind: .user, former: "unique_id"),
        TextColumn(name: "user", kind: .user, former: "user_id"),
        TextColumn(name: "session", kind: .session, former: "session_id"),
    ]

    /// Columns that are the same in both layouts.
    private static let columns = """
        seq, identity, start, length, is_bad, reports_error, timestamp, session_number, session_start, engagement, event_id,
        screen_unique_id, unlisted
        """

    /// Rows of the request. A wrong number of events may include those that were written with earlier requests.
    private static let condition = """
        old_events.seq BETWEEN ?1 - (SELECT requests.events FROM requests WHERE requests.seq = ?1) AND ?1 - 1
            AND NOT EXISTS (SELECT 1 FROM events WHERE events.seq = old_events.seq)
        """

    init(_ database: Database) throws {
        // The rows come last, since the other statements omit those that exist.
        var all = Self.texts.map { Self.insertion(of: $0) }
        all += Self.texts.map { Self.terms(of: $0) }
        all += [Self.sessions, Self.users, Self.events]
        statements = try all.map { try RowWriter(database, $0) }
    }

    /// Writes the events of a request. After an error, the transaction has to be rolled back.
    func append(request: Int64) throws {
        for statement in statements {
            statement.bind(request, at: 1)
            try statement.run()
        }
    }

    private static func insertion(of text: TextColumn) -> String {
        """
        INSERT OR IGNORE INTO texts (kind, value) SELECT \(text.kind.rawValue), old_events.\(text.former) FROM old_events
        WHERE typeof(old_events.\(text.former)) = 'text' AND \(condition)
        """
    }

    private static func terms(of text: TextColumn) -> String {
        """
        INSERT OR IGNORE INTO terms (text, request) SELECT texts.id, ?1 FROM \(rows(with: text.kind, text.former))
        WHERE \(condition)
        """
    }

    private static let sessions = """
        INSERT INTO sessions (session, app, first, events)
        SELECT texts.id, COALESCE(\(id(.app, "app_id")), 0), MIN(old_events.seq), COUNT(*)
        FROM \(rows(with: .session, "session_id")) WHERE \(condition) GROUP BY 1, 2
        ON CONFLICT DO UPDATE SET events = events + excluded.events
        """

    private static let users = """
        INSERT INTO users (id, events) SELECT texts.id, COUNT(*)
        FROM \(rows(with: .user, "unique_id")) WHERE \(condition) GROUP BY 1
        ON CONFLICT DO UPDATE SET events = events + excluded.events
        """

    private static let events = """
        INSERT INTO events (\(columns), \(texts.map(\.name).joined(separator: ", ")))
        SELECT \(columns), \(texts.map { id($0.kind, $0.former) }.joined(separator: ", "))
        FROM old_events WHERE \(condition)
        """

    /// Former rows with a text in a column, joined with the text.
    private static func rows(with kind: StoreLayout.Term, _ former: String) -> String {
        "old_events CROSS JOIN texts ON texts.kind = \(kind.rawValue) AND texts.value = old_events.\(former)"
    }

    /// Id of the text in a column of a former row; NULL for none.
    private static func id(_ kind: StoreLayout.Term, _ former: String) -> String {
        "(SELECT x.id FROM texts x WHERE x.kind = \(kind.rawValue) AND x.value = old_events.\(former))"
    }
}
#endif
