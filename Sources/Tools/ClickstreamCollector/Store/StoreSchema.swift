#if Collector
import ClickstreamCore
import GRDB

/// Statements in `sqlite_master` that collectors write, of all layouts and migrations.
///
/// SQLite runs other statements of a file on behalf of the program that opens it: views in place of tables, triggers, and
/// expressions in indexes, constraints and generated columns.
enum StoreSchema {
    /// Reads only `sqlite_master`, in time proportional to its bytes.
    /// - Returns: a description of the first object that no collector creates; `nil` if there is none.
    static func foreignObject(in database: Database) throws -> String? {
        let rows = try Row.fetchCursor(database, sql: "SELECT type, name, sql FROM sqlite_master")
        while let row = try rows.next() {
            let type = try row.text(0, "sqlite_master.type")
            let name = try row.text(1, "sqlite_master.name")
            let statement = try row.optionalText(2, "sqlite_master.sql")
            // Index of a constraint; SQLite refuses a schema in which the constraint is missing.
            if type == "index", statement == nil, name.hasPrefix("sqlite_autoindex_") { continue }
            if let statement, statements.contains(compact(statement)) { continue }
            let kind = kinds.contains(type) ? type : "object"
            let shown = "the \(kind) '\(Characters.escaped(String(name.unicodeScalars.prefix(longestName))))'"
            return names.contains(name) && (kind == "table" || kind == "index")
                ? "another definition of \(shown)" : shown
        }
        return nil
    }

    private static let kinds: Set<String> = ["table", "index", "view", "trigger"]

    /// Maximum scalars of a name in a message.
    private static let longestName = 100

    /// Known statements without insignificant white space.
    private static let statements: Set<[UInt8]> = {
        let current = StoreLayout.tables.split(separator: ";").map { compact(String($0)) }
        let optional = [StoreLayout.followers, StoreLayout.plan].map { "CREATE TABLE \($0)" }
        let others = optional + older + automatic
        return Set(current.filter { $0.starts(with: "CREATE ".utf8) } + others.map { compact($0) })
    }()

    /// Names of the known tables and indexes.
    private static let names: Set<String> = Set(
        statements.compactMap { statement -> String? in
            let words = statement.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "(") })
            let kind = words.firstIndex { $0.elementsEqual("TABLE".utf8) || $0.elementsEqual("INDEX".utf8) }
            guard let kind, kind + 1 < words.count else { return nil }
            return String(decoding: words[kind + 1], as: UTF8.self)
        }
    )

    /// Tables that SQLite creates: for AUTOINCREMENT in layout 1, and for ANALYZE of a user.
    private static let automatic = [
        "CREATE TABLE sqlite_sequence(name,seq)",
        "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
        "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    ]

    /// Statements of the layouts 1 to 6 that later ones do not have, and those that the migration of layout 3 left.
    private static let older: [String] = {
        let sent = """
            rid TEXT NOT NULL UNIQUE, received_at INTEGER NOT NULL, method TEXT NOT NULL, uri TEXT NOT NULL,
            path TEXT NOT NULL, app_id TEXT, platform TEXT, compression TEXT, fake_ip TEXT, bundle_sequence_id INTEGER,
            upload_timestamp TEXT, hash_code TEXT, hash_ok INTEGER, user_agent TEXT, ip TEXT
            """
        let sizes = "encoded_bytes INTEGER NOT NULL, raw_bytes INTEGER NOT NULL, reason TEXT"
        let counts = "events INTEGER NOT NULL, bad_events INTEGER NOT NULL, duplicates INTEGER NOT NULL"
        let texts = """
            request INTEGER NOT NULL REFERENCES requests(seq), position INTEGER NOT NULL, received_at INTEGER NOT NULL,
            is_bad INTEGER NOT NULL, event_id TEXT, timestamp INTEGER, app_id TEXT, event_type TEXT, session_id TEXT,
            session_number INTEGER, session_start INTEGER, unique_id TEXT, user_id TEXT, screen_name TEXT,
            screen_unique_id TEXT, engagement INTEGER, reports_error INTEGER NOT NULL, json TEXT NOT NULL
            """
        let facts = """
            seq INTEGER PRIMARY KEY, identity INTEGER, start INTEGER NOT NULL, length INTEGER NOT NULL,
            is_bad INTEGER NOT NULL, reports_error INTEGER NOT NULL, timestamp INTEGER, session_number INTEGER,
            session_start INTEGER, engagement INTEGER, event_id TEXT, app_id TEXT, event_type TEXT, session_id TEXT,
            unique_id TEXT, user_id TEXT, screen_name TEXT, screen_unique_id TEXT
            """
        let totals = """
            last INTEGER NOT NULL, last_reset INTEGER NOT NULL, requests INTEGER NOT NULL, bad_requests INTEGER NOT NULL,
            events INTEGER NOT NULL, bad_events INTEGER NOT NULL, duplicates INTEGER NOT NULL,
            evicted_requests INTEGER NOT NULL, evicted_events INTEGER NOT NULL, archived INTEGER NOT NULL
            """
        let requests = "seq INTEGER PRIMARY KEY, \(sent), is_encoded INTEGER NOT NULL, \(sizes), detail TEXT, \(counts)"
        let unlisted = "unlisted INTEGER NOT NULL DEFAULT 0"
        return [
            "CREATE TABLE sequence (last INTEGER NOT NULL, last_reset INTEGER NOT NULL)",
            "CREATE TABLE requests (seq INTEGER PRIMARY KEY AUTOINCREMENT, \(sent), \(sizes), \(counts))",
            "CREATE TABLE requests (seq INTEGER PRIMARY KEY AUTOINCREMENT, \(sent), \(sizes), detail TEXT, \(counts))",
            "CREATE TABLE requests (seq INTEGER PRIMARY KEY, \(sent), \(sizes), detail TEXT, \(counts))",
            "CREATE TABLE requests (\(requests))",
            "CREATE TABLE requests (\(requests), \(unlisted))",
            "CREATE TABLE events (seq INTEGER PRIMARY KEY AUTOINCREMENT, \(texts))",
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, \(texts))",
            "CREATE TABLE events (\(facts))",
            "CREATE TABLE events (\(facts), \(unlisted))",
            "CREATE TABLE events (\(facts), unlisted INTEGER NOT NULL)",
            """
            CREATE TABLE terms (kind INTEGER NOT NULL, value TEXT NOT NULL, request INTEGER NOT NULL REFERENCES requests(seq),
                PRIMARY KEY (kind, value, request)) WITHOUT ROWID
            """,
            """
            CREATE TABLE sessions (id TEXT NOT NULL, app_id TEXT NOT NULL, first INTEGER NOT NULL, events INTEGER NOT NULL,
                PRIMARY KEY (id, app_id)) WITHOUT ROWID
            """,
            "CREATE TABLE users (id TEXT PRIMARY KEY, events INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE state (\(totals))",
            "CREATE TABLE state (\(totals), identity_key BLOB NOT NULL DEFAULT x'')",
            "CREATE UNIQUE INDEX events_identity ON events (event_id, timestamp)",
            "CREATE INDEX events_name ON events (event_type)",
            "CREATE INDEX events_session ON events (session_id, app_id)",
            "CREATE INDEX events_unique_id ON events (unique_id)",
            "CREATE INDEX events_user ON events (user_id) WHERE user_id IS NOT NULL",
            "CREATE INDEX events_bad ON events (seq) WHERE is_bad",
            "CREATE INDEX events_received ON events (received_at)",
            "CREATE INDEX findings_code ON findings (code, event)",
        ]
    }()

    /// A statement with single spaces between words, and no other white space.
    private static func compact(_ statement: String) -> [UInt8] {
        var result: [UInt8] = []
        var hasSpace = false
        for byte in statement.utf8 {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                hasSpace = true
                continue
            }
            if hasSpace, let last = result.last, isWord(last), isWord(byte) { result.append(0x20) }
            hasSpace = false
            result.append(byte)
        }
        return result
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }
}
#endif
