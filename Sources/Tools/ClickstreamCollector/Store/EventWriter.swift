#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Writes the events of requests within one transaction, with their texts, terms, sessions and users.
struct EventWriter {
    private let events: RowWriter
    private let holders: RowWriter
    private let identity: EventIdentity
    private var findings: FindingWriter
    private var texts: TextIDs
    private let terms: RowWriter
    private let sessions: RowWriter
    private let users: RowWriter
    /// True for events with a row in the table of the former layout.
    private let isMigrating: Bool

    /// Columns of `events`, in the order in which they are bound.
    private static let columns = """
        seq, identity, start, length, is_bad, reports_error, timestamp, name, app, device, platform, version, screen,
        unique_id, user, session, session_number, session_start, engagement, event_id, screen_unique_id, unlisted
        """

    /// - Parameter isMigrating: true to write the events that have a row in `old_events`, with the identity and the verdict of
    ///   that row. The findings and their terms are not written.
    init(_ database: Database, _ identity: EventIdentity, isMigrating: Bool = false) throws {
        self.identity = identity
        self.isMigrating = isMigrating
        events = try RowWriter(
            database,
            isMigrating
                ? """
                INSERT INTO events (\(Self.columns))
                SELECT seq, identity, ?3, ?4, is_bad, reports_error, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
                    ?19, ?20, ?21, unlisted FROM old_events WHERE seq = ?1
                """
                : """
                INSERT OR IGNORE INTO events (\(Self.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        holders = try RowWriter(database, "SELECT timestamp = ?2 AND event_id = ?3 FROM events WHERE identity = ?1")
        findings = try FindingWriter(database)
        texts = try TextIDs(database)
        terms = try RowWriter(database, "INSERT OR IGNORE INTO terms (text, request) VALUES (?, ?)")
        sessions = try RowWriter(
            database,
            """
            INSERT INTO sessions (session, app, first, events) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET events = events + excluded.events
            """
        )
        users = try RowWriter(
            database,
            "INSERT INTO users (id, events) VALUES (?, ?) ON CONFLICT DO UPDATE SET events = events + excluded.events"
        )
    }

    /// Writes the events of a request, which have the sequence numbers before its own.
    mutating func append(_ content: UploadContent, request: Int64) throws -> RequestTally {
        let first = request - Int64(content.events.count)
        var tally = Tally(content)
        try content.bytes.withUnsafeBytes { bytes in
            let ids = try ContentIDs(content, in: bytes, &texts)
            for index in content.events.indices {
                try append(content.events[index], at: first + Int64(index), in: bytes, ids, to: &tally)
            }
            try count(ids, tally)
            for id in ids.all { try appendTerm(id, request) }
        }
        // Those of migrated events are derived from the findings.
        if !isMigrating {
            for code in tally.codes { try appendTerm(.code, code, request) }
            if tally.request.badEvents > 0 { try appendTerm(.bad, "", request) }
        }
        return tally.request
    }

    /// Counts of a request's events.
    private struct Tally {
        var request: RequestTally
        var sessions: [(first: Int64, events: Int64)]
        var users: [Int64]
        var codes: Set<String> = []

        init(_ content: UploadContent) {
            request = RequestTally(events: content.events.count)
            sessions = Array(repeating: (0, 0), count: content.sessions.keys.count)
            users = Array(repeating: 0, count: content.users.keys.count)
        }
    }

    private mutating func append(
        _ event: EventFacts,
        at sequence: Int64,
        in bytes: UnsafeRawBufferPointer,
        _ ids: ContentIDs,
        to tally: inout Tally
    ) throws {
        let indexes = event.indexes
        events.bind(sequence, at: 1)
        events.bind(Int64(event.json.range.lowerBound), at: 3)
        events.bind(Int64(event.json.range.count), at: 4)
        events.bind(event.timestamp, at: 7)
        events.bind(ids.names.id(at: indexes.name), at: 8)
        events.bind(ids.apps.id(at: indexes.app), at: 9)
        events.bind(ids.devices.id(at: indexes.device), at: 10)
        events.bind(ids.platforms.id(at: indexes.platform), at: 11)
        events.bind(ids.versions.id(at: indexes.version), at: 12)
        events.bind(ids.screens.id(at: indexes.screen), at: 13)
        events.bind(ids.users.id(at: indexes.user), at: 14)
        events.bind(ids.userIDs.id(at: indexes.userID), at: 15)
        events.bind(ids.sessions.id(at: indexes.session), at: 16)
        events.bind(event.sessionNumber, at: 17)
        events.bind(event.sessionStart, at: 18)
        events.bind(event.engagement, at: 19)
        events.bind(event.id, in: bytes, at: 20)
        events.bind(event.screenUniqueID, in: bytes, at: 21)
        guard try insert(event, in: bytes) else {
            tally.request.duplicates += 1
            return
        }
        if indexes.session >= 0 {
            let index = Int(indexes.session)
            if tally.sessions[index].events == 0 { tally.sessions[index].first = sequence }
            tally.sessions[index].events += 1
        }
        if indexes.user >= 0 { tally.users[Int(indexes.user)] += 1 }
        if isMigrating { return }
        if event.isBad { tally.request.badEvents += 1 }
        tally.request.unlisted += event.unlisted
        for finding in event.findings { tally.codes.insert(finding.code) }
        try findings.insert(event.findings, of: sequence)
    }

    /// Inserts the bound row unless an event with the same id and time exists. Tries at most ``EventIdentity/attempts``
    /// hashes.
    /// - Returns: false for a duplicate.
    private func insert(_ event: EventFacts, in bytes: UnsafeRawBufferPointer) throws -> Bool {
        // A duplicate has no row in the former layout.
        if isMigrating { return try events.run() }
        events.bind(event.isBad, at: 5)
        events.bind(event.reportsError, at: 6)
        events.bind(Int64(event.unlisted), at: 22)
        if let timestamp = event.timestamp, !event.id.isNone {
            let id = UnsafeRawBufferPointer(rebasing: bytes[event.id.range])
            for attempt in 0..<EventIdentity.attempts {
                let number = identity.number(id, timestamp, attempt: attempt)
                events.bind(number, at: 2)
                if try events.run() { return true }
                holders.bind(number, at: 1)
                holders.bind(timestamp, at: 2)
                holders.bind(event.id, in: bytes, at: 3)
                if try holders.isTrue() { return false }
            }
        }
        events.bind(nil as Int64?, at: 2)
        return try events.run()
    }

    /// Adds the events to those of their sessions and users.
    private func count(_ ids: ContentIDs, _ tally: Tally) throws {
        for (index, count) in tally.sessions.enumerated() where count.events > 0 {
            sessions.bind(ids.sessions[index], at: 1)
            sessions.bind(ids.sessionApps[index], at: 2)
            sessions.bind(count.first, at: 3)
            sessions.bind(count.events, at: 4)
            try sessions.run()
        }
        for (index, count) in tally.users.enumerated() where count > 0 {
            users.bind(ids.users[index], at: 1)
            users.bind(count, at: 2)
            try users.run()
        }
    }

    private func appendTerm(_ text: Int64, _ request: Int64) throws {
        terms.bind(text, at: 1)
        terms.bind(request, at: 2)
        try terms.run()
    }

    private mutating func appendTerm(_ kind: StoreLayout.Term, _ value: String, _ request: Int64) throws {
        try appendTerm(try Array(value.utf8).withUnsafeBytes { try texts.id(kind, $0) }, request)
    }
}

/// Ids of the distinct texts of a body, in the order of its lists.
private struct ContentIDs {
    let names: [Int64]
    let sessions: [Int64]
    /// Apps of the sessions; 0 for none.
    let sessionApps: [Int64]
    /// Unique ids.
    let users: [Int64]
    let userIDs: [Int64]
    let apps: [Int64]
    let devices: [Int64]
    let platforms: [Int64]
    let versions: [Int64]
    let screens: [Int64]

    init(_ content: UploadContent, in bytes: UnsafeRawBufferPointer, _ texts: inout TextIDs) throws {
        func ids(_ kind: StoreLayout.Term, _ list: [TextRange], _ texts: inout TextIDs) throws -> [Int64] {
            try list.map { text in
                try text.isNone ? 0 : texts.id(kind, UnsafeRawBufferPointer(rebasing: bytes[text.range]))
            }
        }
        names = try ids(.name, content.names.keys, &texts)
        sessions = try ids(.session, content.sessions.keys.map(\.id), &texts)
        sessionApps = try ids(.app, content.sessions.keys.map(\.appID), &texts)
        users = try ids(.user, content.users.keys, &texts)
        userIDs = try ids(.user, content.userIDs.keys, &texts)
        apps = try ids(.app, content.apps.keys, &texts)
        devices = try ids(.device, content.devices.keys, &texts)
        platforms = try ids(.platform, content.platforms.keys, &texts)
        versions = try ids(.version, content.versions.keys, &texts)
        screens = try ids(.screen, content.screens.keys, &texts)
    }

    /// All ids; one may occur several times.
    var all: [Int64] {
        [names, sessions, users, userIDs, apps, devices, platforms, versions, screens].flatMap { $0 }
    }
}

extension [Int64] {
    /// Id at the index of an event's text; `nil` for an event without one.
    fileprivate func id(at index: Int32) -> Int64? {
        index < 0 ? nil : self[Int(index)]
    }
}
#endif
