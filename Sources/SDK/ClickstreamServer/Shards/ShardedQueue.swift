import ClickstreamCore

/// Queue of all shards for one destination: ranges of several shards fill one batch.
///
/// Each call takes the lock of one shard at a time. Thread-safe.
struct ShardedQueue: DeliveryQueue {
    let shards: [EventShard]
    let destination: Destination

    var mergesRuns: Bool { true }

    /// The results of `body` for each queue of the destination.
    private func all<Result: Sendable>(_ body: (QueueParts) -> Result?) -> [Result] {
        shards.flatMap { shard in
            shard.withStore(noting: nil) { store -> [Result] in
                guard store.isOpen else { return [] }
                var results: [Result] = []
                for id in store.queueIDs {
                    guard let queue = store.parts(of: id), queue.destination.isSameServer(as: destination) else {
                        continue
                    }
                    if let result = body(queue) { results.append(result) }
                }
                return results
            }
        }
    }

    func change<Result: Sendable>(
        _ range: QueueRange,
        noting notice: Notice?,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        for shard in shards {
            let found: Result? = shard.withStore(noting: nil) { $0.withQueue(containing: range, body) }
            guard let found else { continue }
            if let notice { shard.withStore(noting: notice) { _ in } }
            return found
        }
        return nil
    }

    var pendingEvents: Int { all { $0.pendingEvents }.reduce(0, +) }

    /// The destination with the cookie of the current configuration.
    private var current: Destination? {
        all { $0.destination }.last
    }

    func conditions(hasTransport: Bool) -> FlushMachine.Conditions {
        FlushMachine.Conditions(
            hasTransport: hasTransport,
            isEnabled: shards.first?.isEnabled ?? false,
            destination: current
        )
    }

    var settings: QueueSettings? {
        guard let destination = current, let shard = shards.first else { return nil }
        return QueueSettings(configuration: shard.configuration, device: shard.device, destination: destination)
    }

    // MARK: Ranges

    /// Returns the oldest of the first ranges of all queues.
    private func oldest(_ range: (QueueParts) -> PendingRange?) -> PendingRange? {
        all(range).min(by: PendingRange.isOlder)
    }

    var next: PendingRange? { oldest { $0.next } }

    func next(after range: QueueRange) -> PendingRange? {
        oldest { $0.next(after: range) }
    }

    func ranges(behind range: QueueRange, count: Int) -> [PendingRange] {
        let lists: [[PendingRange]] = all { $0.ranges(behind: range, count: count) }
        return PendingRange.merged(lists, count: count)
    }

    // MARK: Store

    func lock() -> (lock: (any FileLock)?, reason: FlushError?) {
        // All shards share the upload lock of the store.
        guard let shard = shards.first else { return (nil, nil) }
        let queue = shard.withStore(noting: nil) { store in
            store.queueIDs.first { id in
                store.destination(of: id)?.isSameServer(as: destination) ?? false
            }
        }
        return queue.map { shard.lockForUpload($0) } ?? (nil, nil)
    }

    func lookForStore() {
        for shard in shards { shard.lookForStore() }
    }

    func note(_ notice: Notice) {
        shards.first?.withStore(noting: notice) { _ in }
    }
}

extension Destination {
    /// True if both have the same format, app and endpoint, whatever their cookies.
    func isSameServer(as other: Destination) -> Bool {
        endpoint == other.endpoint && appID == other.appID && format.name == other.format.name
    }
}

/// Numbers of the destinations of shards, in the order of their first use. Thread-safe.
private final class DestinationNumbers: Sendable {
    private let known = Locked<[Destination]>([])

    /// Returns the numbers of the destinations, sorted.
    func numbers(of current: [Destination]) -> [Int] {
        known.withLock { known in
            var numbers = Set<Int>()
            for destination in current {
                if let number = known.firstIndex(where: { $0.isSameServer(as: destination) }) {
                    numbers.insert(number)
                } else {
                    numbers.insert(known.count)
                    known.append(destination)
                }
            }
            return numbers.sorted()
        }
    }

    subscript(number: Int) -> Destination { known.withLock { $0[number] } }
}

extension Delivery {
    /// Delivery of shards, with one uploader for each destination.
    convenience init(
        _ shards: [EventShard],
        transport: (any Transport)?,
        time: any TimeSource,
        ids: any IDSource
    ) {
        let numbers = DestinationNumbers()
        self.init(
            queues: {
                numbers.numbers(
                    of: shards.flatMap { shard in
                        shard.withStore(noting: nil) { store -> [Destination] in
                            guard store.isOpen else { return [] }
                            return store.queueIDs.compactMap { store.destination(of: $0) }
                        }
                    }
                )
            },
            lookForStore: { for shard in shards { shard.lookForStore() } },
            make: { number in
                Uploader(
                    queue: ShardedQueue(shards: shards, destination: numbers[number]),
                    transport: transport,
                    time: time,
                    ids: ids,
                    looksAhead: false
                )
            }
        )
    }
}
