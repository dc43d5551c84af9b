#if Tools
/// The tables of a store. A change of them needs a new ``version`` and a step that brings older stores there.
enum StoreLayout {
    static let version = 2
    /// `Clks`: tells a store from any other SQLite file.
    static let applicationID = 0x436C_6B73

    /// The indexes of layout 1, whose names are needed again.
    static let oldIndexes = [
        "events_identity", "events_name", "events_session", "events_unique_id", "events_user", "events_bad",
        "events_received", "findings_code",
    ]

    /// Events, requests and resets share one order, `seq`: a request's events come right before it, in the order of its
    /// body. What was last given stands in `sequence`, so that no number is given twice.
    ///
    /// Bodies stand apart, so that walking the requests does not walk them.
    static let tables = """
        CREATE TABLE sequence (
            last INTEGER NOT NULL,
            last_reset INTEGER NOT NULL
        );
        INSERT INTO sequence VALUES (0, 0);
        CREATE TABLE requests (
            seq INTEGER PRIMARY KEY,
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
            seq INTEGER PRIMARY KEY,
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
