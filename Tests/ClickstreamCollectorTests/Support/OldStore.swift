#if Collector
import GRDB

@testable import ClickstreamCollector

/// A store with three requests as earlier versions of the collector made them.
enum OldStore {
    private static let bodies = ["[\(event("A")),\(event("B"))]", "[\(event("A"))]", "nonsense"]

    /// - Parameter version: 1 to 6.
    static func make(at path: String, version: Int) async throws {
        if version < 3 { return try withDatabase(at: path) { try $0.execute(sql: sql(version)) } }
        let store = try Store(path: path)
        for (index, body) in bodies.enumerated() {
            try await store.append([UploadDecoder().decode(.post(Array(body.utf8), id: "r\(index + 1)"))])
        }
        try store.close()
        try withDatabase(at: path) { try downgrade($0, to: version) }
    }

    /// Rewrites a store of the current layout in an older one, without what that one lacks.
    /// - Parameter version: 3 to 6.
    static func downgrade(_ database: Database, to version: Int) throws {
        func text(_ id: String) -> String { "(SELECT x.value FROM main.texts x WHERE x.id = \(id))" }
        try database.execute(
            sql: """
                PRAGMA foreign_keys = OFF;
                CREATE TEMP TABLE old_events AS SELECT e.seq, e.identity, e.start, e.length, e.is_bad, e.reports_error,
                    e.timestamp, e.session_number, e.session_start, e.engagement, e.event_id, \(text("e.app")),
                    \(text("e.name")), \(text("e.session")), \(text("e.unique_id")), \(text("e.user")), \(text("e.screen")),
                    e.screen_unique_id, e.unlisted FROM main.events e;
                CREATE TEMP TABLE old_terms AS SELECT x.kind, x.value, t.request
                    FROM main.terms t JOIN main.texts x ON x.id = t.text WHERE x.kind <= 5;
                CREATE TEMP TABLE old_sessions AS SELECT \(text("s.session")), COALESCE(\(text("s.app")), ''), s.first, s.events
                    FROM main.sessions s;
                CREATE TEMP TABLE old_users AS SELECT \(text("u.id")), u.events FROM main.users u;
                DROP TABLE main.events;
                DROP TABLE main.terms;
                DROP TABLE main.sessions;
                DROP TABLE main.users;
                DROP TABLE main.texts;
                \(tables6)
                INSERT INTO events SELECT * FROM temp.old_events;
                INSERT INTO terms SELECT * FROM temp.old_terms;
                INSERT INTO sessions SELECT * FROM temp.old_sessions;
                INSERT INTO users SELECT * FROM temp.old_users;
                """
        )
        if version < 5 { try dropCaptured(database) } else if version < 6 { try dropAudit(database) }
        if version < 4 {
            try database.execute(
                sql: """
                    ALTER TABLE state DROP COLUMN identity_key;
                    ALTER TABLE requests DROP COLUMN unlisted;
                    ALTER TABLE events DROP COLUMN unlisted;
                    UPDATE events SET identity = seq WHERE identity IS NOT NULL;
                    """
            )
        }
        try database.execute(sql: "PRAGMA user_version = \(version)")
    }

    /// The tables of events of layout 6. Written out: see ``tables``.
    private static let tables6 = """
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY,
            identity INTEGER,
            start INTEGER NOT NULL,
            length INTEGER NOT NULL,
            is_bad INTEGER NOT NULL,
            reports_error INTEGER NOT NULL,
            timestamp INTEGER,
            session_number INTEGER,
            session_start INTEGER,
            engagement INTEGER,
            event_id TEXT,
            app_id TEXT,
            event_type TEXT,
            session_id TEXT,
            unique_id TEXT,
            user_id TEXT,
            screen_name TEXT,
            screen_unique_id TEXT,
            unlisted INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX events_identity ON events (identity) WHERE identity IS NOT NULL;
        CREATE TABLE terms (
            kind INTEGER NOT NULL,
            value TEXT NOT NULL,
            request INTEGER NOT NULL REFERENCES requests(seq),
            PRIMARY KEY (kind, value, request)
        ) WITHOUT ROWID;
        CREATE TABLE sessions (
            id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            first INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (id, app_id)
        ) WITHOUT ROWID;
        CREATE INDEX sessions_first ON sessions (first);
        CREATE TABLE users (
            id TEXT PRIMARY KEY,
            events INTEGER NOT NULL
        ) WITHOUT ROWID;
        """

    private static func sql(_ version: Int) -> String {
        let rows = bodies.enumerated().map { index, body in
            """
            INSERT INTO requests VALUES (\(index * 3 + 1), 'r\(index + 1)', \(FixedTime.start), 'POST', '/collect', '/collect',
                NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, NULL, NULL, 0, 0, 0);
            INSERT INTO bodies VALUES (\(index * 3 + 1), CAST('\(body)' AS BLOB));
            """
        }
        return """
            \(version == 2 ? sequence : "")
            \(version == 1 ? tables : tables.replacing(" AUTOINCREMENT", with: ""))
            \(rows.joined(separator: "\n"))
            PRAGMA application_id = \(0x436C_6B73);
            PRAGMA user_version = \(version);
            """
    }

    private static let sequence = """
        CREATE TABLE sequence (
            last INTEGER NOT NULL,
            last_reset INTEGER NOT NULL
        );
        """

    /// The tables of layout 1; those of layout 2 have no AUTOINCREMENT.
    ///
    /// Written out, and independent of `StoreLayout` and `StoreSchema`: a change of the current layout must not change the old one,
    /// also where both have the same columns.
    private static let tables = """
        CREATE TABLE requests (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            rid TEXT NOT NULL UNIQUE,
            received_at INTEGER NOT NULL,
            method TEXT NOT NULL,
            uri TEXT NOT NULL,
            path TEXT NOT NULL,
            app_id TEXT,
            platform TEXT,
            compression TEXT,
            fake_ip TEXT,
            bundle_sequence_id INTEGER,
            upload_timestamp TEXT,
            hash_code TEXT,
            hash_ok INTEGER,
            user_agent TEXT,
            ip TEXT,
            encoded_bytes INTEGER NOT NULL,
            raw_bytes INTEGER NOT NULL,
            reason TEXT,
            detail TEXT,
            events INTEGER NOT NULL,
            bad_events INTEGER NOT NULL,
            duplicates INTEGER NOT NULL
        );
        CREATE TABLE bodies (
            request INTEGER PRIMARY KEY REFERENCES requests(seq),
            data BLOB NOT NULL
        );
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            request INTEGER NOT NULL REFERENCES requests(seq),
            position INTEGER NOT NULL,
            received_at INTEGER NOT NULL,
            is_bad INTEGER NOT NULL,
            event_id TEXT,
            timestamp INTEGER,
            app_id TEXT,
            event_type TEXT,
            session_id TEXT,
            session_number INTEGER,
            session_start INTEGER,
            unique_id TEXT,
            user_id TEXT,
            screen_name TEXT,
            screen_unique_id TEXT,
            engagement INTEGER,
            reports_error INTEGER NOT NULL,
            json TEXT NOT NULL
        );
        CREATE UNIQUE INDEX events_identity ON events (event_id, timestamp);
        CREATE INDEX events_name ON events (event_type);
        CREATE INDEX events_session ON events (session_id, app_id);
        CREATE INDEX events_unique_id ON events (unique_id);
        CREATE INDEX events_user ON events (user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX events_bad ON events (seq) WHERE is_bad;
        CREATE INDEX events_received ON events (received_at);
        CREATE TABLE findings (
            event INTEGER NOT NULL REFERENCES events(seq),
            position INTEGER NOT NULL,
            code TEXT NOT NULL,
            severity TEXT NOT NULL,
            subject TEXT NOT NULL,
            name TEXT NOT NULL,
            message TEXT NOT NULL,
            PRIMARY KEY (event, position)
        ) WITHOUT ROWID;
        CREATE INDEX findings_code ON findings (code, event);
        """
}
#endif
