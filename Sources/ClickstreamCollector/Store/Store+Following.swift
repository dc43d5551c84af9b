#if Tools
import ClickstreamCore
import GRDB

/// What came after a place in the order of arrival, as far as one answer goes.
struct Feed: Sendable {
    /// Events, and requests, of one answer.
    static let most = 256

    enum Entry: Sendable {
        case event(StoredEvent)
        case request(CollectedRequest)
        /// Everything before was removed.
        case reset(Int64)

        var sequence: Int64 {
            switch self {
            case .event(let event): event.sequence
            case .request(let request): request.sequence
            case .reset(let sequence): sequence
            }
        }
    }

    var entries: [Entry] = []
    /// Where to go on: past everything that was looked at, whether it fitted or not.
    var cursor: Int64
    /// Whether there is more already.
    var hasMore = false
}

extension Store {
    /// The number that was last given in the order of arrival, and that of the last reset.
    func lastSequence() async throws -> (last: Int64, reset: Int64) {
        try await read { try Self.lastSequence(in: $0) }
    }

    private static func lastSequence(in database: Database) throws -> (last: Int64, reset: Int64) {
        let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT last, last_reset FROM state"))
        guard let row else { throw StoreDamage(column: "state", found: "no row") }
        let last = try row.integer(0, "state.last", in: StoredRange.sequence)
        return (last, try row.integer(1, "state.last_reset", in: 0...last))
    }

    /// Gives events, the requests that brought them and resets, in one order: a request after its events.
    ///
    /// - Parameters:
    ///   - cursor: what came up to here is not given again. A place that this store has not reached yet is another
    ///     store's: all of this one is given, after a reset.
    ///   - most: the bytes of events after which an answer ends, so that a reader's pace bounds what it costs.
    func feed(
        after cursor: Int64,
        _ filter: EventFilter,
        most: Int,
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
            let page = try Self.events(filter, limit: Feed.most, bytes: most, form: form, texts, in: database)
            var horizon = last
            if !page.isWhole, let end = page.events.last?.sequence { horizon = end }
            let requests =
                filter.selectsRequests
                ? try Self.requests(after: feed.cursor, upTo: horizon, filter, limit: Feed.most, in: database) : []
            if requests.count == Feed.most, let end = requests.last?.sequence { horizon = end }
            let found = page.events.map { Feed.Entry.event($0) } + requests.map { Feed.Entry.request($0) }
            feed.entries += found.filter { $0.sequence <= horizon }.sorted { $0.sequence < $1.sequence }
            feed.cursor = horizon
            feed.hasMore = horizon < last
            return feed
        }
    }
}

extension EventFilter {
    /// Whether requests are told of too: they have no name, session, user or code to fit.
    var selectsRequests: Bool {
        name == nil && session == nil && user == nil && code == nil
    }
}
#endif
