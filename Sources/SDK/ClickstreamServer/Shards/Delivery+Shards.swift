import ClickstreamCore

extension Delivery {
    /// Delivery of shards, with one uploader for each destination: ranges of several shards fill one batch.
    convenience init(
        _ shards: [EventShard],
        transport: (any ClickstreamClient.Transport)?,
        time: any TimeSource,
        ids: any IDSource
    ) {
        let numbers = DestinationNumbers()
        self.init(
            shards,
            queues: {
                numbers.numbers(
                    of: shards.flatMap { shard in
                        shard.deliver(.local) { store, _, _ in
                            store.isOpen ? store.queueIDs.compactMap { store.destination(of: $0) } : []
                        }
                    }
                )
            },
            identity: { .server(numbers[$0]) },
            transport: transport,
            time: time,
            ids: ids,
            readsAhead: false
        )
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
