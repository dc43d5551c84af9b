/// Limits of a store, and the resulting limits of a segment.
package struct QueueLimits: Sendable, Equatable {
    package var maxBytes: Int
    package var maxEvents: Int?
    /// In milliseconds.
    package var maxAge: Int64?
    /// Indicates whether appended events must survive a loss of power: see ``EventQueue/fileToSynchronize``.
    package var isDurable: Bool
    /// The number of queues that record to the store at the same time, for different visitors; `nil` for a client.
    ///
    /// The segments of such queues are smaller. Their run folders are those of a generation of processes, and are continued by a
    /// later process only once they are empty, so that a visitor's events keep their order in whichever folder they are: see
    /// ``StoreFolder/takeRun(for:after:)``.
    package var shards: Int?
    /// The number of the shard, from 0: the run folders of shards in memory have different paths.
    package var shard = 0

    package init(maxBytes: Int = 52_428_800, maxEvents: Int? = nil, maxAge: Int64? = nil, isDurable: Bool = false) {
        self.maxBytes = maxBytes
        self.maxEvents = maxEvents
        self.maxAge = maxAge
        self.isDurable = isDurable
    }

    /// The limits of an in-memory store, used while no folder is usable: at most 1 000 events and 1 MiB, or less if
    /// this store's own limits are lower.
    package var inMemory: QueueLimits {
        QueueLimits(
            maxBytes: min(maxBytes, 1_048_576),
            maxEvents: min(maxEvents ?? .max, 1_000),
            maxAge: maxAge
        )
    }

    package init(_ configuration: ClickstreamClient.Configuration) {
        self.init(
            maxBytes: configuration.maxStoreBytes,
            maxEvents: configuration.maxStoreEvents,
            maxAge: configuration.maxEventAge.map { max(0, $0.wholeMilliseconds) },
            isDurable: configuration.durability == .power
        )
    }

    /// The maximum bytes of a segment: a sixteenth of the store's limit, because whole segments are evicted, and at
    /// most 4 MiB.
    ///
    /// Segments of a sharded store are smaller, but have at least 256 KiB if the limit allows.
    var segmentBytes: Int {
        let usual = max(1, min(4_194_304, maxBytes / 16))
        guard let shards else { return usual }
        return min(usual, max(262_144, maxBytes / 16 / max(1, shards)))
    }
    var segmentEvents: Int? { maxEvents.map { max(1, $0 / 16 / max(1, shards ?? 1)) } }
    var segmentAge: Int64? { maxAge.map { max(1, $0 / 16) } }
}
