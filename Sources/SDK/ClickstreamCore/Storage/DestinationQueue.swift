/// Queue of one destination, in run folders of its own, so that no request mixes two destinations.
///
/// Not thread-safe: owned and accessed under one lock. A client records to one queue of each format; after a change of app
/// id or endpoint it also has queues with events that are still to be delivered to former destinations. While the store is
/// in memory, a queue has two parts with the same ``id``: see ``QueueParts``.
package struct DestinationQueue: Sendable {
    /// The identifier of the queue within its client. A later queue has a greater one.
    package let id: Int
    package var destination: Destination
    /// The name of the destination's format.
    let format: FormatName
    /// True if events are recorded to the queue.
    var isOpen: Bool
    /// The folder of the app's store, for the format of the destination.
    let folder: StoreFolder
    package var queue: EventQueue
    /// The locks of the queue's run folders.
    var locks: [any FileLock]
    /// The number of the run folder that is appended to.
    let run: Int
    /// True if the queue is in memory only and is lost with the process.
    let isInMemory: Bool

    /// Opens a queue in a run folder.
    init(
        id: Int,
        destination: Destination,
        folder: StoreFolder,
        run: StoreFolder.Run,
        limits: QueueLimits,
        isSequential: Bool
    ) throws(StoreError) {
        self.id = id
        self.destination = destination
        format = destination.format.name
        isOpen = true
        self.folder = folder
        queue = try EventQueue(folder.files, run: run, limits: limits, isSequential: isSequential)
        locks = [run.lock]
        self.run = run.number
        isInMemory = folder.files is TransientFileSystem
    }

    /// Returns the queue opened for recording again.
    func reopened(for destination: Destination) -> DestinationQueue {
        var queue = self
        queue.isOpen = true
        queue.destination = destination
        return queue
    }

    /// Settles a range: `letters` become dead letters, all other events count as delivered. If another process has withdrawn
    /// the consent meanwhile, the range stays until this one removes it.
    /// - Returns: the batches of the run folder in a row, before this one, every part of which was rejected.
    package mutating func settle(_ range: QueueRange, setAside letters: [DeadLetter]) throws(StoreError) -> Int {
        // The letters come first: a crash in between leaves an event in both places, not in neither.
        // Events that were removed meanwhile, for lack of consent, leave no letters.
        if !letters.isEmpty, queue.holds(range) {
            // The run folder on the disk, also for a range that was moved there while it was in flight.
            guard try folder.deadLetters.add(letters, ofRun: queue.current(range).run) else { return 0 }
        }
        let refusals = queue.setWholeRefusals(0, of: range)
        queue.acknowledge(range, setAside: letters.count)
        return refusals
    }

    /// The file system that contains the queue.
    package var files: any FileSystem { folder.files }

    /// Adopts run folders of ended processes.
    /// - Returns: problems to report.
    mutating func adopt(_ runs: [StoreFolder.Run]) throws(StoreError) -> [Notice.Warning] {
        var warnings: [Notice.Warning] = []
        for run in runs {
            warnings += try queue.adopt(files, run).notes
            locks.append(run.lock)
        }
        return warnings
    }

    mutating func close() {
        queue.close()
        for lock in locks { lock.unlock() }
    }
}
