/// Queues of the store: their destinations, their delivery, and events that a server rejects.
extension EventStore {
    // MARK: Dead letters

    /// The events that a server permanently rejects.
    package var deadLetters: DeadLetters { current.folder.deadLetters }

    /// Queues the dead letters with these event ids again, or all.
    /// - Parameter format: the format of the events; `nil` for the first.
    /// - Returns: their number.
    /// - Throws: the disk's error; also if dead letters without consent are left and cannot be removed.
    package mutating func requeueDeadLetters(_ ids: Set<String>?, format: FormatName? = nil) throws(StoreError) -> Int {
        let format = format ?? current.queues.first.format
        guard let index = current.queues.index(openFor: format) else { return 0 }
        let deadLetters = current.queues[index].folder.deadLetters
        try deadLetters.removeWithdrawn()
        let letters = try deadLetters.all().filter { ids?.contains($0.eventID) ?? true }
        for letter in letters {
            do {
                try append(
                    letter.json,
                    partition: letter.partition,
                    format: format,
                    isActive: false,
                    timestamp: letter.timestamp
                )
            } catch {
                throw StoreError(error)
            }
        }
        // Removed last: a crash in between leaves an event in both places, and the server deduplicates it by its id.
        try deadLetters.remove(Set(letters.map(\.eventID)))
        return letters.count
    }

    // MARK: Destinations

    /// The ids of all queues, that of the first format first.
    package var queueIDs: [Int] { current.queues.ids }

    /// Returns true if a queue is open for that format.
    func isRecorded(_ format: FormatName) -> Bool { current.queues.index(openFor: format) != nil }

    /// Opens a queue for events of another format, in run folders of its own, and adopts those of ended processes.
    mutating func open(_ destination: Destination) throws(StoreError) { try current.open(destination) }

    /// Changes the endpoint of events of that format that are recorded from now on. A new queue is created if the old one
    /// contains events that can still be sent. The state must be saved afterwards if ``run`` changed.
    /// - Throws: an error if no further run folder can be created; the store is then unchanged.
    package mutating func redirect(to destination: Destination) throws(StoreError) {
        try current.redirect(to: destination)
    }

    // MARK: Delivery

    /// Returns the queue with that id, to be read under the lock of the store; `nil` if it is already delivered.
    package mutating func parts(of id: Int) -> QueueParts? {
        guard isOpen else { return nil }
        current.findings += current.queues.releaseDelivered()
        return QueueParts(current.queues.parts(of: id))
    }

    /// Returns the destination of the queue with that id; `nil` if it is already delivered.
    package mutating func destination(of id: Int) -> Destination? {
        guard isOpen else { return nil }
        if current.queues.first.id == id { return current.queues.first.destination }
        current.findings += current.queues.releaseDelivered()
        return current.queues.parts(of: id).last?.destination
    }

    /// Calls `body` with the part of a queue that contains a range; returns `nil` if there is none any more.
    package mutating func withQueue<Result>(
        containing range: QueueRange,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        guard isOpen, let index = current.queues.index(containing: range) else { return nil }
        let result = body(&current.queues[index])
        current.findings += current.queues.releaseDelivered()
        return result
    }

    /// Acquires the upload lock of the queue's format, which one process of the store holds at a time. It is released with its
    /// last reference. If the folder cannot be used, the store moves.
    ///
    /// Delivery to a former destination needs no lock: its server is different, and its run folders belong to this
    /// process.
    /// - Returns: the lock, `nil` if none is needed; the reason if there is to be no delivery.
    package mutating func lockForUpload(_ id: Int) -> (lock: (any FileLock)?, reason: FlushError?) {
        guard isOpen, let index = current.queues.index(ofOpen: id) else { return (nil, nil) }
        do {
            guard let lock = try current.lockForUpload(index) else { return (nil, .storeInUse) }
            return (lock, nil)
        } catch {
            // Events that can still be read there need no lock: no other process can deliver them now.
            if !error.isLackOfDescriptors, leave(because: error, at: nil) { return (nil, nil) }
            return (nil, FlushError(error))
        }
    }
}
