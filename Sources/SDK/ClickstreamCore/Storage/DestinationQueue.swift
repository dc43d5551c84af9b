/// Queue of one destination, in run folders of its own, so that no request mixes two destinations.
///
/// Not thread-safe: owned and accessed under one lock. A client records to one queue of each format; after a change of app
/// id or endpoint it also has queues with events that are still to be delivered to former destinations.
package struct DestinationQueue: Sendable {
    /// The identifier of the queue within its client.
    package let id: Int
    package var destination: Destination
    /// The name of the destination's format.
    let format: String
    /// True if events are recorded to the queue.
    var isOpen: Bool
    /// The folder of the app's store, for the format of the destination.
    let folder: StoreFolder
    package var queue: EventQueue
    /// The locks of the queue's run folders.
    let locks: [any FileLock]

    init(
        id: Int,
        destination: Destination,
        isOpen: Bool = true,
        folder: StoreFolder,
        queue: EventQueue,
        locks: [any FileLock]
    ) {
        self.id = id
        self.destination = destination
        format = destination.format.name
        self.isOpen = isOpen
        self.folder = folder
        self.queue = queue
        self.locks = locks
    }

    /// Settles a range: `letters` become dead letters, all other events count as delivered. If another process has withdrawn
    /// the consent meanwhile, the range stays until this one removes it.
    package mutating func settle(_ range: QueueRange, setAside letters: [DeadLetter]) throws(StoreError) {
        // The letters come first: a crash in between leaves an event in both places, not in neither.
        // Events that were removed meanwhile, for lack of consent, leave no letters.
        if !letters.isEmpty, queue.holds(range) {
            guard try folder.deadLetters.add(letters, ofRun: range.run) else { return }
        }
        queue.acknowledge(range, setAside: letters.count)
    }

    /// True if the queue is in memory only and is lost with the process.
    var isInMemory: Bool { folder.files is TransientFileSystem }

    /// The file system that contains the queue.
    package var files: any FileSystem { folder.files }

    mutating func close() {
        queue.close()
        for lock in locks { lock.unlock() }
    }
}
