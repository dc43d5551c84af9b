import ClickstreamCore

/// Outcome of every event of a store, across restarts: `recorded` is the sum of all others at all times.
public struct ServerAccounts: Sendable, Hashable {
    /// Events that were recorded, or refused.
    public var recorded: Int
    /// Events that a server accepted.
    public var delivered: Int
    /// Events that are still to be delivered.
    public var retained: Int
    /// Events that will not be delivered, by reason: `rejected`, `set-aside`, `evicted-bytes`, `evicted-count`, `evicted-age`,
    /// `purged`, `damaged`, `torn`, `missing`, `disabled`, `unstored`, `consent-dropped`, `sampled-out`. Without those that
    /// are 0.
    public var dropped: [String: Int]

    /// Creates accounts.
    public init(recorded: Int, delivered: Int, retained: Int, dropped: [String: Int]) {
        self.recorded = recorded
        self.delivered = delivered
        self.retained = retained
        self.dropped = dropped
    }
}

extension ServerAccounts {
    init(_ ledger: Ledger, pendingEvents: Int) {
        self.init(
            recorded: ledger.recorded,
            delivered: ledger[.delivered],
            retained: pendingEvents,
            dropped: [:]
        )
        for outcome in Ledger.Outcome.allCases where outcome != .delivered && ledger[outcome] != 0 {
            dropped[outcome.rawValue] = ledger[outcome]
        }
    }
}

/// Use of the store of server events.
public struct ServerPressure: Sendable, Hashable {
    /// Events that are still to be delivered.
    public var retainedEvents: Int
    /// The size of the stored events in bytes.
    public var storedBytes: Int
    /// The limit of ``storedBytes``; beyond it the oldest events are evicted.
    public var maxStoreBytes: Int
    /// Events that were evicted because of a limit of the store.
    public var evictedEvents: Int
    /// True if events are kept in memory alone, because the store's folder cannot be used.
    public var isInMemory: Bool

    /// The part of the store that is in use, from 0 to 1.
    public var fraction: Double { min(1, Double(storedBytes) / Double(max(1, maxStoreBytes))) }
}

extension ServerEvents {
    // MARK: Accounting

    /// The outcome of every event of this process's run folders. Costs a lock of each shard.
    public var accounts: ServerAccounts {
        let (ledger, pending) = shards.reduce(into: (Ledger(), 0)) { sum, shard in
            let books = shard.books
            sum.0 += books.ledger
            sum.1 += books.pendingEvents
        }
        return ServerAccounts(ledger, pendingEvents: pending)
    }

    /// The number of events that this process recorded or refused. Never decreases.
    var recordedEvents: Int { shards.reduce(0) { $0 + $1.recordedEvents } }

    /// The number of events that this process refused, by reason. Never decreases.
    var refusedEvents: [String: Int] {
        shards.reduce(into: [:]) { sum, shard in
            for (outcome, count) in shard.refusedEvents { sum[outcome.rawValue, default: 0] += count }
        }
    }

    /// Use of the store, to reduce optional events before the oldest ones are evicted. Costs a lock of each shard.
    public var pressure: ServerPressure {
        var pressure = ServerPressure(
            retainedEvents: 0,
            storedBytes: 0,
            maxStoreBytes: settings.withLock { $0.configuration.maxStoreBytes },
            evictedEvents: 0,
            isInMemory: false
        )
        for shard in shards {
            let books = shard.books
            pressure.retainedEvents += books.pendingEvents
            pressure.storedBytes += books.storedBytes
            let evictions: [Ledger.Outcome] = [.evictedForBytes, .evictedForCount, .evictedForAge]
            pressure.evictedEvents += evictions.reduce(0) { $0 + books.ledger[$1] }
            pressure.isInMemory = pressure.isInMemory || shard.isInMemory
        }
        return pressure
    }
}
