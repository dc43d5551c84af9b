#if Collector
import ClickstreamCore
import GRDB

/// Search for the requests beyond a maximum age, in the order of arrival. A step begins where the one before has ended, so that requests
/// that cannot be evicted yet are not read again.
///
/// A request with a time in the future, as after the clock was set back, has no age: it neither protects the requests after it nor is
/// evicted before one of these is expired.
struct ExpirySearch: Sendable, Hashable {
    /// Maximum number of requests read in a step.
    static let maxCount = 20_000

    private let maxCount: Int
    /// Requests up to this sequence number were read: they are expired, or in the future.
    private var end: Int64 = 0
    /// The last expired request of these.
    private var last: Int64?
    /// Time before which these requests are expired.
    private var threshold = Int64.min
    /// Earliest time of those in the future.
    private var firstFuture = Int64.max

    init(maxCount: Int = ExpirySearch.maxCount) {
        self.maxCount = maxCount
    }

    /// Reads further requests, up to the first one that is not expired.
    /// - Parameter age: maximum milliseconds since a request was received.
    /// - Returns: the last request that is known to be expired; `nil` if none of these is stored any more.
    /// - Throws: ``StoreDamage``; errors of GRDB.
    mutating func step(age: Int64, now: Timestamp, in database: Database) throws -> Int64? {
        let (now, threshold) = (now.milliseconds, now.milliseconds &- age)
        // The clock was set back again, or a request is no longer in the future.
        if threshold < self.threshold || now >= firstFuture { self = ExpirySearch(maxCount: maxCount) }
        self.threshold = threshold
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT seq, received_at FROM requests WHERE seq > ?1
                    UNION ALL SELECT seq, received_at FROM captured_requests WHERE seq > ?1 ORDER BY seq LIMIT ?2
                    """
            ),
            arguments: [end, maxCount]
        )
        while let row = try rows.next() {
            let sequence = try row.integer(0, "requests.seq", in: StoredRange.sequence)
            let time = Self.time(row[1])
            if time < threshold {
                last = sequence
            } else if time > now {
                firstFuture = min(firstFuture, time)
            } else {
                break
            }
            end = sequence
        }
        return try last.flatMap { try Self.isStored(upTo: $0, in: database) ? $0 : nil }
    }

    /// Time of reception; the latest one for a value that no collector writes.
    private static func time(_ value: DatabaseValue) -> Int64 {
        if case .int64(let time) = value.storage { time } else { .max }
    }

    private static func isStored(upTo sequence: Int64, in database: Database) throws -> Bool {
        let query = try RowWriter(
            database,
            """
            SELECT EXISTS (SELECT 1 FROM requests WHERE seq <= ?1) OR EXISTS (SELECT 1 FROM captured_requests WHERE seq <= ?1)
            """
        )
        query.bind(sequence, at: 1)
        return try query.isTrue()
    }
}
#endif
