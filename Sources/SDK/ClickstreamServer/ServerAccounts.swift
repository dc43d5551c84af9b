public import ClickstreamCore

/// Outcome of every event of a store, across restarts: `recorded` is the sum of all others at all times.
public struct ServerAccounts: Sendable, Hashable {
    /// Events that were recorded, or refused.
    public var recorded: Int
    /// Events that a server accepted.
    public var delivered: Int
    /// Events that are still to be delivered.
    public var retained: Int
    /// Events that will not be delivered, by their outcome; without those that are 0, and never `EventOutcome.delivered`.
    public var dropped: [EventOutcome: Int]

    package init(recorded: Int, delivered: Int, retained: Int, dropped: [EventOutcome: Int]) {
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
        for outcome in EventOutcome.allCases where outcome != .delivered && ledger[outcome] != 0 {
            dropped[outcome] = ledger[outcome]
        }
    }
}

/// Use of the store of server events.
public struct ServerPressure: Sendable, Hashable {
    /// Events that are still to be delivered.
    package var retainedEvents: Int
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

    /// The outcome of every event of the store, across restarts, and of those that are in memory alone.
    ///
    /// Events of other processes that are running are counted as they are on the disk; a run folder that cannot be read is left
    /// out. Costs two locks of each shard, and some reads for each run folder that this process does not use.
    public var accounts: ServerAccounts {
        var accounts = heldAccounts
        for _ in 0..<3 {
            let held = accounts.held
            if let folder = shards.lazy.compactMap(\.folderOnDisk).first { accounts.addOthers(of: folder) }
            // Otherwise a queue has moved meanwhile, and may be counted twice, or not at all.
            let later = heldAccounts
            if later.held == held { break }
            accounts = later
        }
        return ServerAccounts(accounts.ledger, pendingEvents: accounts.pendingEvents)
    }

    /// The accounts of the run folders that this process uses.
    private var heldAccounts: StoreAccounts {
        shards.reduce(into: StoreAccounts(format: .clickstream)) { $1.count(in: &$0) }
    }

    /// The number of events that this process recorded or refused. Never decreases.
    var recordedEvents: Int { shards.reduce(0) { $0 + $1.recordedEvents } }

    /// The number of events that this process refused, by their outcome. Never decreases.
    var refusedEvents: [EventOutcome: Int] {
        shards.reduce(into: [:]) { sum, shard in
            sum.merge(shard.refusedEvents, uniquingKeysWith: +)
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
            let manifest = shard.manifest
            pressure.retainedEvents += manifest.pendingEvents
            pressure.storedBytes += manifest.storedBytes
            let evictions: [EventOutcome] = [.evictedForBytes, .evictedForCount, .evictedForAge]
            pressure.evictedEvents += evictions.reduce(0) { $0 + manifest.ledger[$1] }
            pressure.isInMemory = pressure.isInMemory || shard.isInMemory
        }
        return pressure
    }
}
