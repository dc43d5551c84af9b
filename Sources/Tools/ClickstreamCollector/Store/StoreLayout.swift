#if Collector
import ClickstreamJudges
import GRDB

/// Schema of a store. A change needs a new ``version``; older stores are migrated by decoding their bodies again.
enum StoreLayout {
    static let version = 7
    /// `Clks`, the SQLite application id of a store.
    static let applicationID = 0x436C_6B73

    /// Indexes of older layouts, some of whose names are reused.
    static let oldIndexes = [
        "events_identity", "events_name", "events_session", "events_unique_id", "events_user", "events_bad",
        "events_received", "findings_code",
    ]

    /// Kind of a text. User ids and unique ids are of one kind, so that one id finds both; the text of `bad` is empty.
    enum Term: Int {
        case name = 1
        case session, user, code, bad, app, device, platform, version, screen

        /// Column of `events` with the ids of these texts; `nil` for a kind without one of its own.
        var column: String? {
            switch self {
            case .name: "name"
            case .session: "session"
            case .app: "app"
            case .device: "device"
            case .platform: "platform"
            case .version: "version"
            case .screen: "screen"
            case .user, .code, .bad: nil
            }
        }
    }

    /// Events, requests and resets share one sequence, `seq`: the events of a request directly precede it, in the order
    /// of the body. `state` contains the last number, so that none is reused, and the totals.
    ///
    /// An event's text is stored once, in the body as sent: `start` and `length` are its range in the JSON text. Of the
    /// columns of events, only the identity has an index, which grows with time and thus at its end. Queries first find
    /// requests: see ``eventTables``. `unlisted` is the number of findings not listed.
    static let tables = """
        CREATE TABLE state (
            last INTEGER NOT NULL,
            last_reset INTEGER NOT NULL,
            requests INTEGER NOT NULL,
            bad_requests INTEGER NOT NULL,
            events INTEGER NOT NULL,
            bad_events INTEGER NOT NULL,
            duplicates INTEGER NOT NULL,
            evicted_requests INTEGER NOT NULL,
            evicted_events INTEGER NOT NULL,
            archived INTEGER NOT NULL,
            identity_key BLOB NOT NULL
        );
        INSERT INTO state VALUES (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, randomblob(\(EventIdentity.keyBytes)));
        CREATE TABLE requests (\(requestColumns));
        CREATE INDEX requests_received ON requests (received_at);
        CREATE INDEX requests_bad ON requests (seq) WHERE reason IS NOT NULL;
        CREATE TABLE bodies (
            request INTEGER PRIMARY KEY REFERENCES requests(seq),
            data BLOB NOT NULL
        );
        \(eventTables)
        CREATE TABLE findings (event INTEGER NOT NULL REFERENCES events(seq), \(findingColumns)) WITHOUT ROWID;
        \(capturedTables)
        \(auditTables)
        """

    /// Events, and what queries find them by. `name`, `app`, `device`, `platform`, `version`, `screen`, `unique_id`, `user`
    /// and `session` are ids of `texts`, which has each text once for its kind. `terms` lists the requests that contain an
    /// event with a text, a finding with a code, or a bad event: a text without a term is unused. `sessions` and `users`
    /// count their events; the `app` of a session without one is 0.
    ///
    /// An equality on a column of `events` that has a term needs a unary `+`: SQLite would otherwise build an index of the
    /// whole table for a query and search it for each request.
    static let eventTables = """
        CREATE TABLE texts (
            id INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            value TEXT NOT NULL,
            UNIQUE (kind, value)
        );
        CREATE TABLE terms (
            text INTEGER NOT NULL REFERENCES texts(id),
            request INTEGER NOT NULL REFERENCES requests(seq),
            PRIMARY KEY (text, request)
        ) WITHOUT ROWID;
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY,
            identity INTEGER,
            start INTEGER NOT NULL,
            length INTEGER NOT NULL,
            is_bad INTEGER NOT NULL,
            reports_error INTEGER NOT NULL,
            timestamp INTEGER,
            name INTEGER,
            app INTEGER,
            device INTEGER,
            platform INTEGER,
            version INTEGER,
            screen INTEGER,
            unique_id INTEGER,
            user INTEGER,
            session INTEGER,
            session_number INTEGER,
            session_start INTEGER,
            engagement INTEGER,
            event_id TEXT,
            screen_unique_id TEXT,
            unlisted INTEGER NOT NULL
        );
        \(identityIndex)
        CREATE TABLE sessions (
            session INTEGER NOT NULL,
            app INTEGER NOT NULL,
            first INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (session, app)
        ) WITHOUT ROWID;
        CREATE INDEX sessions_first ON sessions (first);
        CREATE TABLE users (
            id INTEGER PRIMARY KEY,
            events INTEGER NOT NULL
        );
        """

    /// Derives the terms of codes and of bad events from `findings` and `events`.
    static let verdictTerms = """
        DELETE FROM terms WHERE text IN
            (SELECT id FROM texts WHERE kind IN (\(Term.code.rawValue), \(Term.bad.rawValue)));
        INSERT OR IGNORE INTO texts (kind, value) SELECT DISTINCT \(Term.code.rawValue), code FROM findings;
        INSERT OR IGNORE INTO texts (kind, value) VALUES (\(Term.bad.rawValue), '');
        INSERT OR IGNORE INTO terms SELECT DISTINCT texts.id,
            (SELECT MIN(requests.seq) FROM requests WHERE requests.seq > findings.event)
            FROM findings CROSS JOIN texts ON texts.kind = \(Term.code.rawValue) AND texts.value = findings.code;
        INSERT OR IGNORE INTO terms SELECT DISTINCT texts.id,
            (SELECT MIN(requests.seq) FROM requests WHERE requests.seq > events.seq)
            FROM events CROSS JOIN texts ON texts.kind = \(Term.bad.rawValue) WHERE events.is_bad;
        \(unusedTexts)
        """

    /// Removes the texts without a term. Reads all texts.
    static let unusedTexts =
        "DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM terms WHERE terms.text = texts.id);"

    /// Requests and events of the captured forms, in the same sequence. A header is stored with its request;
    /// `header_is_cut` is 1 for an excerpt. `captured_totals` has a row for each format that is not newer
    /// than the store, and for a newer one after its first request.
    static let capturedTables = """
        CREATE TABLE captured_totals (
            form TEXT PRIMARY KEY,
            requests INTEGER NOT NULL,
            bad_requests INTEGER NOT NULL,
            events INTEGER NOT NULL,
            bad_events INTEGER NOT NULL,
            duplicates INTEGER NOT NULL
        ) WITHOUT ROWID;
        \(CapturedFormat.ofCapture.map { totals($0) }.joined(separator: "\n"))
        CREATE TABLE captured_requests (
            \(requestColumns),
            form TEXT NOT NULL,
            header BLOB,
            header_is_cut INTEGER NOT NULL
        );
        CREATE INDEX captured_requests_received ON captured_requests (received_at);
        CREATE TABLE captured_bodies (
            request INTEGER PRIMARY KEY REFERENCES captured_requests(seq),
            data BLOB NOT NULL
        );
        CREATE TABLE captured_events (
            seq INTEGER PRIMARY KEY,
            request INTEGER NOT NULL REFERENCES captured_requests(seq),
            identity INTEGER,
            start INTEGER NOT NULL,
            length INTEGER NOT NULL,
            is_bad INTEGER NOT NULL,
            form TEXT NOT NULL,
            name TEXT NOT NULL,
            event_id TEXT,
            timestamp INTEGER,
            unlisted INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX captured_events_identity ON captured_events (identity, form) WHERE identity IS NOT NULL;
        CREATE INDEX captured_events_name ON captured_events (name);
        CREATE TABLE captured_findings (
            event INTEGER NOT NULL REFERENCES captured_events(seq),
            \(findingColumns)
        ) WITHOUT ROWID;
        """

    private static func totals(_ form: CapturedFormat) -> String {
        "INSERT INTO captured_totals VALUES ('\(form.rawValue)', 0, 0, 0, 0, 0);"
    }

    /// Activities, tables and rows of audit events, which are stored like captured events. The key of a row is the value
    /// of its key column as text.
    static let auditTables = """
        \(totals(.audit))
        CREATE TABLE audit_events (
            event INTEGER PRIMARY KEY REFERENCES captured_events(seq),
            activity TEXT NOT NULL,
            partition TEXT
        );
        CREATE INDEX audit_events_activity ON audit_events (activity);
        CREATE INDEX audit_events_partition ON audit_events (partition);
        CREATE TABLE audit_tables (
            name TEXT NOT NULL,
            event INTEGER NOT NULL REFERENCES captured_events(seq),
            PRIMARY KEY (name, event)
        ) WITHOUT ROWID;
        CREATE INDEX audit_tables_event ON audit_tables (event);
        CREATE TABLE audit_rows (
            table_name TEXT NOT NULL,
            key TEXT NOT NULL,
            event INTEGER NOT NULL REFERENCES captured_events(seq),
            PRIMARY KEY (table_name, key, event)
        ) WITHOUT ROWID;
        """

    /// Table of the positions of followers, which the first one creates.
    static let followers = "followers (name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID"

    /// Table of the plan by which the events were judged, which the first collector with a plan creates.
    static let plan = "tracking_plan (digest TEXT NOT NULL)"

    private static let requestColumns = """
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
            is_encoded INTEGER NOT NULL,
            encoded_bytes INTEGER NOT NULL,
            raw_bytes INTEGER NOT NULL,
            reason TEXT,
            detail TEXT,
            events INTEGER NOT NULL,
            bad_events INTEGER NOT NULL,
            duplicates INTEGER NOT NULL,
            unlisted INTEGER NOT NULL
        """

    private static let findingColumns = """
        position INTEGER NOT NULL,
            code TEXT NOT NULL,
            severity TEXT NOT NULL,
            subject TEXT NOT NULL,
            name TEXT NOT NULL,
            message TEXT NOT NULL,
            PRIMARY KEY (event, position)
        """

    static let identityIndex = "CREATE UNIQUE INDEX events_identity ON events (identity) WHERE identity IS NOT NULL;"

    /// Validates the sequence numbers on which new rows depend: a reused number would be mistaken for an existing row.
    /// Takes constant time.
    /// - Throws: ``StoreDamage``.
    static func check(_ database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT last, last_reset, requests, bad_requests, events, bad_events, duplicates, evicted_requests,
                    evicted_events, archived FROM state LIMIT 2
                """
        )
        guard let state = rows.first, rows.count == 1 else {
            throw StoreDamage(column: "state", found: rows.isEmpty ? "no row" : "more than one row")
        }
        let last = try state.integer(0, "state.last", in: StoredRange.sequence)
        _ = try state.integer(1, "state.last_reset", in: 0...last)
        for (index, column) in [
            "state.requests", "state.bad_requests", "state.events", "state.bad_events", "state.duplicates",
            "state.evicted_requests", "state.evicted_events",
        ].enumerated() as EnumeratedSequence<[StaticString]> {
            _ = try state.integer(index + 2, column, in: StoredRange.sequence)
        }
        _ = try state.integer(9, "state.archived", in: 0...last)
        let forms = try Row.fetchAll(
            database,
            sql: "SELECT requests, bad_requests, events, bad_events, duplicates FROM captured_totals"
        )
        // A format that is newer than the store has a row after its first request.
        if forms.isEmpty {
            throw StoreDamage(column: "captured_totals", found: "no row")
        }
        for row in forms {
            for index in 0..<5 { _ = try row.integer(index, "captured_totals", in: StoredRange.sequence) }
        }
        for table in ["requests", "events", "captured_requests", "captured_events"] {
            guard let ends = try bounds(of: "seq", table, in: database) else { continue }
            for index in 0..<2 {
                guard let end = try ends.optionalInteger(index, "seq"), !(1...max(1, last)).contains(end) else {
                    continue
                }
                throw StoreDamage(column: "\(table).seq", found: "\(end), while state.last is \(last)")
            }
        }
        // A new text has the number after the last one.
        if let ends = try bounds(of: "id", "texts", in: database) {
            for index in 0..<2 { _ = try ends.optionalTextID(index, "texts.id") }
        }
    }

    /// Least and greatest value of a primary key. One `SELECT` of both would read the whole table.
    private static func bounds(of column: String, _ table: String, in database: Database) throws -> Row? {
        try Row.fetchOne(
            database,
            sql: "SELECT (SELECT MIN(\(column)) FROM \(table)), (SELECT MAX(\(column)) FROM \(table))"
        )
    }

    /// Tables that a reset empties.
    static let emptied =
        ["findings", "events", "bodies", "requests", "terms", "sessions", "users", "texts"] + capturedRows.map(\.table)

    /// Tables with rows of captured requests, and their columns with the sequence number.
    static let capturedRows: [(table: String, column: String)] = [
        ("captured_findings", "event"), ("audit_rows", "event"), ("audit_tables", "event"), ("audit_events", "event"),
        ("captured_events", "seq"), ("captured_bodies", "request"), ("captured_requests", "seq"),
    ]
}
#endif
