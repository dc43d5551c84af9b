#if Collector
import GRDB

/// A store with three requests as earlier versions of the collector made them.
enum OldStore {
    /// - Parameter version: 1 or 2.
    static func make(at path: String, version: Int) throws {
        try withDatabase(at: path) { try $0.execute(sql: sql(version)) }
    }

    private static func sql(_ version: Int) -> String {
        let bodies = ["[\(event("A")),\(event("B"))]", "[\(event("A"))]", "nonsense"]
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
