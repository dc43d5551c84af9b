#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Entries after a position in the order of arrival, for one piece of a stream.
struct Feed: Sendable {
    /// Maximum number of events, and of requests, in a piece.
    static let most = 256

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
    ///   - most: maximum bytes of events.
    ///   - withFindings: false to read clickstream events without their findings.
    func feed(
        after cursor: Int64,
        _ filter: EventFilter,
        form eventForm: CapturedFormat? = nil,
        most: Int,
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

            var filter = filter
            filter.cursor = feed.cursor
            let hasRequests = eventForm == nil || eventForm == .clickstream
            let page =
                hasRequests
                ? try Self.events(
                    filter,
                    limit: Feed.most,
                    bytes: most,
                    form: form,
                    withFindings: withFindings,
                    texts,
                    in: database
                )
                : StoredEvents()
            var horizon = last
            if !page.isWhole, let end = page.events.last?.sequence { horizon = end }
            let requests =
                hasRequests && filter.selectsRequests
                ? try Self.requests(after: feed.cursor, upTo: horizon, filter, limit: Feed.most, in: database) : []
            if requests.count == Feed.most, let end = requests.last?.sequence { horizon = end }
            let captured =
                eventForm == .clickstream
                ? StoredEvents()
                : try Self.captured(filter, eventForm?.captured, most: most, form, texts, in: database)
            if !captured.isWhole, let end = captured.events.last?.sequence { horizon = min(horizon, end) }
            feed.entries.reserveCapacity(1 + page.events.count + requests.count + captured.events.count)
            for event in page.events where event.sequence <= horizon { feed.entries.append(.event(event)) }
            for request in requests where request.sequence <= horizon { feed.entries.append(.request(request)) }
            for event in captured.events where event.sequence <= horizon { feed.entries.append(.captured(event)) }
            feed.entries.sort { $0.sequence < $1.sequence }
            feed.cursor = horizon
            feed.hasMore = horizon < last
            return feed
        }
    }
}

extension Store {
    /// Captured events of a stream, by the parts of the filter that apply to them.
    private static func captured(
        _ filter: EventFilter,
        _ capturedForm: CapturedFormat?,
        most: Int,
        _ form: EventTexts,
        _ texts: BodyTexts,
        in database: Database
    ) throws -> StoredEvents {
        if filter.session != nil || filter.user != nil { return StoredEvents() }
        var captured = CapturedFilter(
            name: filter.name,
            status: filter.status,
            code: filter.code,
            since: filter.since,
            cursor: filter.cursor
        )
        captured.forms = capturedForm.map { [$0] } ?? CapturedFormat.captured
        return try events(captured.selection, limit: Feed.most, bytes: most, form: form, texts, in: database)
    }
}

extension EventFilter {
    /// True if requests may match the filter: they have no name, session, user or code.
    var selectsRequests: Bool {
        name == nil && session == nil && user == nil && code == nil
    }
}
#endif
