import ClickstreamCore

/// Bytes and events of a store.
struct StoreUse: Sendable, Equatable {
    var bytes: Int
    var events: Int

    /// True if either number is greater.
    func exceeds(_ other: StoreUse) -> Bool { bytes > other.bytes || events > other.events }
}

/// Limits of a store that several shards record to.
///
/// Each shard has a grant: what it may store without regard to the others. The grants together are within the limits. A
/// shard that exceeds its grant by an event reports it, so that the free rest is divided anew, after the oldest segments of all
/// shards were evicted if there is none. Recording costs two comparisons. Thread-safe.
final class StoreBudget: Sendable {
    let limits: QueueLimits
    private let count: Int
    private let division = Locked(())

    /// - Parameter count: the number of shards.
    init(_ configuration: ClickstreamClient.Configuration, shards count: Int) {
        var limits = QueueLimits(configuration)
        limits.shards = count
        self.limits = limits
        self.count = count
    }

    /// Returns the limits of one shard: those of the store, since its grant is within them.
    func limits(ofShard number: Int) -> QueueLimits {
        var limits = limits
        limits.shard = number
        return limits
    }

    private var maximum: StoreUse { StoreUse(bytes: limits.maxBytes, events: limits.maxEvents ?? Int.max / 4) }

    /// The grant of a shard before the first division.
    var firstGrant: StoreUse { StoreUse(bytes: 0, events: 0) }

    /// Evicts what exceeds the limits, and divides the rest among the shards. Costs a lock of each shard.
    ///
    /// The budget has no reference to the shards: a weak one would make each retain of a shard write to a further cache
    /// line, which all threads share.
    func divide(among shards: [EventShard]) {
        division.withLock { _ in divideAlone(among: shards) }
        // An observer may record: it is called outside the lock.
        for shard in shards { shard.change { _ in } }
    }

    private func divideAlone(among shards: [EventShard]) {
        var uses = shards.map(\.use)
        while Self.sum(of: uses).exceeds(maximum) {
            let reason: Notice.EvictionReason = Self.sum(of: uses).bytes > maximum.bytes ? .bytes : .count
            let byAge = shards.indices.filter { uses[$0].oldest != nil }.sorted { one, other in
                uses[one].oldest ?? .distantPast < uses[other].oldest ?? .distantPast
            }
            guard let index = byAge.first(where: { shards[$0].evictOldest(reason) }) else { break }
            uses[index] = shards[index].use
        }
        let sum = Self.sum(of: uses)
        let free = StoreUse(
            bytes: max(0, maximum.bytes - sum.bytes) / count,
            events: max(0, maximum.events - sum.events) / count
        )
        for (shard, use) in zip(shards, uses) {
            shard.setGrant(StoreUse(bytes: use.use.bytes + free.bytes, events: use.use.events + free.events))
        }
    }

    private static func sum(of uses: [(use: StoreUse, oldest: Timestamp?)]) -> StoreUse {
        uses.reduce(into: StoreUse(bytes: 0, events: 0)) { sum, use in
            sum.bytes += use.use.bytes
            sum.events += use.use.events
        }
    }
}

extension Timestamp {
    fileprivate static var distantPast: Timestamp { Timestamp(milliseconds: .min) }
}

extension EventShard {
    /// The use of the store, and the time of the oldest event.
    fileprivate var use: (use: StoreUse, oldest: Timestamp?) {
        changeQuietly { ($0.use, $0.log.store.isOpen ? $0.log.store.oldest : nil) }
    }

    fileprivate func setGrant(_ grant: StoreUse) {
        changeQuietly { $0.grant = grant }
    }

    /// - Returns: false if there is no segment to evict.
    fileprivate func evictOldest(_ reason: Notice.EvictionReason) -> Bool {
        changeQuietly { state in
            guard state.log.store.isOpen, state.log.store.evictOldest(reason) else { return false }
            state.log.reportEvictions(into: &state.notices)
            return true
        }
    }
}

extension EventShard.State {
    var use: StoreUse { StoreUse(bytes: log.store.storedBytes, events: log.store.pendingEvents) }
}
