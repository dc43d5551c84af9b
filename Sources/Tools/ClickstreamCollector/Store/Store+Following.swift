#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Entries after a position in the order of arrival, for one piece of a stream.
struct Feed: Sendable {
    /// Maximum number of events, and of requests, in a piece.
    static let maxCount = 256

    enum Entry: Sendable {
        case event(StoredEvent)
        case captured(StoredEvent)
        case request(CollectedRequest)
        /// Removal of all earlier entries.
        case reset(Int64)

        var sequence: Int64 {
            switch self {
            case .event(let event), .captured(let event): event.sequence
            case .request(let request): request.sequence
            case .reset(let sequence): sequence
            }
        }
    }

    var entries: [Entry] = []
    /// Position of the next piece, after all entries examined, including those that did not match.
    var cursor: Int64
    /// True if further entries are available.
    var hasMore = false
}

extension Store {
    /// Last assigned sequence number, and that of the last reset.
    func lastSequence() async throws -> (last: Int64, reset: Int64) {
        try await read { try Self.lastSequence(in: $0) }
    }

    static func lastSequence(in database: Database) throws -> (last: Int64, reset: Int64) {
        let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT last, last_reset FROM state"))
        guard let row else { throw StoreDamage(column: "state", found: "no row") }
        let last = try row.integer(0, "state.last", in: StoredRange.sequence)
        return (last, try row.integer(1, "state.last_reset", in: 0...last))
    }

    /// Events, requests and resets in one order, each request after its events.
    ///
    /// - Parameters:
    ///   - eventForm: format of the events; `nil` for all. Requests belong to the clickstream format.
    ///   - cursor: position after which to begin. A position beyond the end belongs to another store: the result then
    ///     begins with a reset, and contains all entries.
    ///   - omitted: positions up to which the events of a list are omitted, and with clickstream events their requests.
    ///   - maxBytes: maximum bytes of the events of a table.
    ///   - withFindings: false to read clickstream events without their findings.
    func feed(
        after cursor: Int64,
        _ filter: EventFilter,
        form eventForm: CapturedFormat? = nil,
        omitting omitted: [CapturedFormat.EventList: Int64] = [:],
        maxBytes: Int,
        withFindings: Bool = true,
        _ form: EventTexts = EventTexts()
    ) async throws -> Feed {
        try await readInTurn { [texts] database in
            let (last, reset) = try Self.lastSequence(in: database)
            var feed = Feed(cursor: cursor)
            if cursor > last || cursor < reset {
                feed.entries.append(.reset(reset))
                feed.cursor = reset
            }
            if feed.cursor == last { return feed }

            var piece = FeedPiece(
                database: database,
                texts: texts,
                filter: filter,
                eventForm: eventForm,
                maxBytes: maxBytes,
                withFindings: withFindings,
                form: form,
                cursor: feed.cursor,
                omitted: omitted,
                horizon: last
            )
            // The table that begins first may end the piece before the other one begins.
            if piece.capturedStart < piece.start(of: .events) {
                try piece.readCaptured()
                try piece.readEvents()
            } else {
                try piece.readEvents()
                try piece.readCaptured()
            }
            feed.entries += piece.entries.filter { $0.sequence <= piece.horizon }
            feed.entries.sort { $0.sequence < $1.sequence }
            feed.cursor = piece.horizon
            feed.hasMore = piece.horizon < last
            return feed
        }
    }

    /// Positions up to which events are omitted so that the newest matching ones of each list remain. A list that has no
    /// more than these is absent.
    ///
    /// Takes time linear in the events that remain, and, for captured and audit events, in those that follow them.
    func omitted(
        newest: [CapturedFormat.EventList: Int],
        _ filter: EventFilter,
        form eventForm: CapturedFormat?
    ) async throws -> [CapturedFormat.EventList: Int64] {
        if newest.isEmpty { return [:] }
        return try await readInTurn { database in
            var omitted: [CapturedFormat.EventList: Int64] = [:]
            for (list, count) in newest
            where try (eventForm == nil || eventForm?.list == list) && Self.total(of: list, in: database) > count {
                let selection =
                    try list == .events
                    ? filter.selection(newestFirst: true, in: database)
                    : filter.captured(eventForm, of: list)?.selection(newestFirst: true)
                guard let selection else { continue }
                let row = try Row.fetchOne(
                    database,
                    sql: selection.sql + " LIMIT 1 OFFSET ?",
                    arguments: selection.arguments + [count]
                )
                omitted[list] = try row.map { try $0.integer(0, "events.seq", in: StoredRange.sequence) }
            }
            return omitted
        }
    }

    /// Number of events in a list.
    private static func total(of list: CapturedFormat.EventList, in database: Database) throws -> Int {
        let forms = CapturedFormat.captured.filter { $0.list == list }
        let sql =
            list == .events
            ? "SELECT events FROM state"
            : "SELECT COALESCE(SUM(events), 0) FROM captured_totals WHERE \(forms.condition("form"))"
        guard let row = try Row.fetchOne(database.cachedStatement(sql: sql)) else {
            throw StoreDamage(column: "state", found: "no row")
        }
        return Int(try row.integer(0, "state.events", in: StoredRange.sequence))
    }
}

/// Reading of one piece of a stream, table by table.
private struct FeedPiece {
    let database: Database
    let texts: BodyTexts
    let filter: EventFilter
    /// Format of the events; `nil` for all.
    let eventForm: CapturedFormat?
    /// Maximum bytes of the events of a table.
    let maxBytes: Int
    let withFindings: Bool
    let form: EventTexts
    /// Position after which the piece begins.
    let cursor: Int64
    /// Positions up to which the events of a list are omitted.
    let omitted: [CapturedFormat.EventList: Int64]
    var entries: [Feed.Entry] = []
    /// Position at which the piece ends.
    var horizon: Int64

    /// Position after which the events of a list begin.
    func start(of list: CapturedFormat.EventList) -> Int64 {
        max(cursor, omitted[list] ?? 0)
    }

    /// Position after which the table of captured events is read, which also has the audit events.
    var capturedStart: Int64 { min(start(of: .captured), start(of: .audit)) }

    /// Reads events of the clickstream format, and their requests.
    mutating func readEvents() throws {
        let start = start(of: .events)
        guard eventForm == nil || eventForm == .clickstream, start < horizon else { return }
        var filter = filter
        filter.cursor = start
        let page = try Store.events(
            filter,
            limit: Feed.maxCount,
            bytes: maxBytes,
            form: form,
            withFindings: withFindings,
            texts,
            in: database
        )
        add(page) { .event($0) }
        guard filter.selectsRequests else { return }
        let requests = try Store.requests(after: start, upTo: horizon, filter, limit: Feed.maxCount, in: database)
        if requests.count == Feed.maxCount, let end = requests.last?.sequence { horizon = end }
        entries += requests.map { .request($0) }
    }

    /// Reads captured and audit events, by the parts of the filter that apply to them.
    mutating func readCaptured() throws {
        guard eventForm != .clickstream, capturedStart < horizon,
            var filter = filter.captured(eventForm)
        else { return }
        filter.cursor = capturedStart
        // Otherwise each piece would pass all omitted events of the store.
        filter.end = horizon
        filter.omitted = omitted
        let page = try Store.events(
            filter.selection(),
            limit: Feed.maxCount,
            bytes: maxBytes,
            form: form,
            texts,
            in: database
        )
        add(page) { .captured($0) }
    }

    private mutating func add(_ page: StoredEvents, _ entry: (StoredEvent) -> Feed.Entry) {
        if !page.isWhole, let end = page.events.last?.sequence { horizon = min(horizon, end) }
        entries += page.events.map(entry)
    }
}

extension EventFilter {
    /// Filter for captured events, without a position; `nil` if no captured event has the properties.
    /// - Parameters:
    ///   - form: format of the events; `nil` for all.
    ///   - list: list of the events; `nil` for both.
    fileprivate func captured(
        _ form: CapturedFormat?,
        of list: CapturedFormat.EventList? = nil
    ) -> CapturedFilter? {
        if selectsByClickstreamField { return nil }
        var captured = CapturedFilter(name: name, status: status, code: code, since: since, until: until)
        captured.forms = CapturedFormat.captured.filter { candidate in
            (form == nil || candidate == form) && (list == nil || candidate.list == list)
        }
        return captured
    }
}

extension EventFilter {
    /// True if the filter has a property that only events of the clickstream format have.
    fileprivate var selectsByClickstreamField: Bool {
        [session, user, app, device, platform, version, screen].contains { $0 != nil }
    }

    /// True if requests may match the filter: they have only a status and a time.
    var selectsRequests: Bool { name == nil && code == nil && !selectsByClickstreamField }
}
#endif
