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
    /// The ids of all queues, that of the first one first.
    var ids: [Int] {
        others.reduce(into: [first.id]) { ids, queue in
            if !ids.contains(queue.id) { ids.append(queue.id) }
        }
    }
    /// The paths of the run folders that the queues append to.
    var paths: Set<String> { Set(firstLast.map(\.queue.own.path)) }
    /// True if there is a queue of a former destination.
    var hasClosed: Bool { contains(isOpen: false) }
    /// True if a queue of another format is open.
    var hasOpenOthers: Bool { contains(isOpen: true) }
    /// The id of the next queue.
    var nextID: Int { (ids.max() ?? 0) + 1 }
    var storedBytes: Int { sum { $0.queue.storedBytes } }
    var pendingEvents: Int { sum { $0.queue.pendingEvents } }
    /// The time of the oldest pending event.
    var oldest: Timestamp? { indices.compactMap { self[$0].queue.oldest }.min() }
    /// ``storedBytes`` of the queues in memory.
    var bytesInMemory: Int { sum { $0.isInMemory ? $0.queue.storedBytes : 0 } }
    /// ``pendingEvents`` of the queues in memory.
    var eventsInMemory: Int { sum { $0.isInMemory ? $0.queue.pendingEvents : 0 } }

    /// The index of the queue that is open for a format.
    func index(openFor format: FormatName) -> Int? {
        if first.isOpen, first.format == format { return 0 }
        let others = others.span
        for index in others.indices where others[index].isOpen && others[index].format == format { return index + 1 }
        return nil
    }

    /// Returns the outcomes of all events of a format, and the number of pending events.
    func ledger(of format: FormatName) -> (ledger: Ledger, pendingEvents: Int) {
        var total = Ledger()
        var pending = 0
        for index in indices where self[index].format == format {
            for run in self[index].queue.folders {
                total += run.ledger
                pending += run.pendingEvents
            }
        }
        return (total, pending)
    }

    // MARK: Parts

    /// The index of the part of the queue with that id that is recorded to.
    func index(ofOpen id: Int) -> Int? { indices.first { self[$0].id == id && self[$0].isOpen } }

    /// The parts of the queue with that id, from the oldest events on: those on the disk, then those in memory.
    func parts(of id: Int) -> [DestinationQueue] {
        let parts = firstLast.filter { $0.id == id }
        return parts.filter { !$0.isInMemory } + parts.filter(\.isInMemory)
    }

    /// The index of the part that contains a range.
    func index(containing range: QueueRange) -> Int? {
        indices.first { self[$0].queue.hasMoved(range) } ?? indices.first { self[$0].queue.contains(range) }
    }

    /// True if events of the queue with that id are recorded in memory.
    func isRecordedInMemory(_ id: Int) -> Bool {
        indices.contains { self[$0].id == id && self[$0].isOpen && self[$0].isInMemory }
    }

    /// Removes closed queues without events, and returns them. While later events of a queue are in memory, its part on the
    /// disk stays, because they will be moved there.
    mutating func removeDelivered() -> [DestinationQueue] {
        let delivered = others.filter { !$0.isOpen && $0.queue.isEmpty && !isRecordedInMemory($0.id) }
        guard !delivered.isEmpty else { return [] }
        let paths = Set(delivered.map(\.queue.own.path))
        others.removeAll { paths.contains($0.queue.own.path) }
        return delivered
    }

    // Accessed in place for each event of another format: extracting a queue would copy it.

    private func contains(isOpen: Bool) -> Bool {
        let others = others.span
        for index in others.indices where others[index].isOpen == isOpen { return true }
        return false
    }

    private func sum(_ value: (borrowing DestinationQueue) -> Int) -> Int {
        var sum = value(first)
        let others = others.span
        for index in others.indices { sum += value(others[index]) }
        return sum
    }

    /// Adds queues of another store, closed for recording.
    mutating func close(_ queues: [DestinationQueue]) {
        for var queue in queues {
            queue.isOpen = false
            others.append(queue)
        }
    }
}
