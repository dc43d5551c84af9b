/// Queues of one store: one that is open for recording for each format, and those of former destinations, which are closed.
struct QueueList: Sendable {
    /// The queue that is open for the store's first format. Stored in line, so that recording an event accesses no array.
    var first: DestinationQueue
    /// The other queues, in the order of their opening.
    var others: [DestinationQueue] = []

    init(_ first: DestinationQueue) {
        self.first = first
    }

    var count: Int { 1 + others.count }
    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> DestinationQueue {
        _read {
            if index == 0 { yield first } else { yield others[index - 1] }
        }
        _modify {
            if index == 0 { yield &first } else { yield &others[index - 1] }
        }
    }

    /// All queues, the first one last.
    var firstLast: [DestinationQueue] { others + [first] }
    /// The destinations of the open queues other than the first.
    var otherDestinations: [Destination] { others.filter(\.isOpen).map(\.destination) }
    /// The ids of all queues.
    var ids: [Int] { [first.id] + others.map(\.id) }
    var storedBytes: Int { others.reduce(first.queue.storedBytes) { $0 + $1.queue.storedBytes } }
    var pendingEvents: Int { others.reduce(first.queue.pendingEvents) { $0 + $1.queue.pendingEvents } }

    /// The number of pending events of the open queues.
    var openPendingEvents: Int { indices.reduce(0) { self[$1].isOpen ? $0 + self[$1].queue.pendingEvents : $0 } }

    /// The index of the queue that is open for a format.
    func index(openFor format: String) -> Int? {
        indices.first { self[$0].isOpen && self[$0].destination.format.name == format }
    }

    /// Adds queues of another store, closed for recording.
    mutating func close(_ queues: [DestinationQueue]) {
        for var queue in queues {
            queue.isOpen = false
            others.append(queue)
        }
    }

    /// Evicts the oldest segment of the open queues that is not in flight.
    /// - Returns: false if there is none.
    mutating func evictOldest(_ reason: Ledger.Eviction) -> Bool {
        let open = indices.filter { self[$0].isOpen }
        let byAge = open.sorted { (self[$0].queue.oldest ?? .latest) < (self[$1].queue.oldest ?? .latest) }
        for index in byAge where self[index].queue.evict(reason) { return true }
        return false
    }
}

extension Timestamp {
    fileprivate static var latest: Timestamp { Timestamp(milliseconds: .max) }
}
