/// Queues of the store: their destinations, their delivery, and events that a server rejects.
extension EventStore {
    // MARK: Dead letters

    /// The events that a server permanently rejects.
    package var deadLetters: DeadLetters { folder.deadLetters }

    /// Queues the dead letters with these event ids again, or all.
    /// - Returns: their number.
    package mutating func requeueDeadLetters(_ ids: Set<String>?) throws(StoreError) -> Int {
        let letters = try folder.deadLetters.all().filter { ids?.contains($0.eventID) ?? true }
        for letter in letters {
            do {
                try append(letter.json, isActive: false, timestamp: letter.timestamp)
            } catch {
                throw StoreError(error)
            }
        }
        // Removed last: a crash in between leaves an event in both places, and the server deduplicates it by its id.
        try folder.deadLetters.remove(Set(letters.map(\.eventID)))
        return letters.count
    }

    // MARK: Destinations

    /// The ids of all queues: the current one, then those of former destinations.
    package var queueIDs: [Int] { [current.id] + former.map(\.id) }

    /// Changes the endpoint of events recorded from now on. A new queue is created if the old one contains events that
    /// can still be sent. The state must be saved afterwards if ``run`` changed.
    /// - Throws: an error if no further run folder can be created; the store is then unchanged.
    package mutating func redirect(to destination: Destination) throws(StoreError) {
        guard destination.endpoint != current.destination.endpoint, current.destination.isUsable,
            !current.queue.isEmpty
        else {
            current.destination = destination
            return
        }
        let run = try folder.takeRun()
        let queue = try EventQueue(files, run: run, limits: limits)
        if sessionLock != nil {
            do {
                sessionLock = try folder.lockSession(ofRun: run.number)
            } catch {
                throw StoreError(error)
            }
        }
        former.append(current)
        current = DestinationQueue(
            id: nextQueueID,
            destination: destination,
            folder: folder,
            queue: queue,
            locks: [run.lock]
        )
        self.run = run.number
    }

    /// Opens the store of another app in addition to this one, as at a launch of that app.
    package func opened(for destination: Destination, limits: QueueLimits) throws(StoreError) -> EventStore {
        var store = try EventStore(
            files: place.files,
            root: place.root,
            destination: destination,
            limits: limits,
            launches: true,
            queueID: nextQueueID
        )
        store.goesToMemory = goesToMemory
        return store
    }

    /// The location on disk, even while the store is in memory.
    var place: Place { home ?? Place(files: files, root: root, limits: limits) }

    var nextQueueID: Int { (queueIDs.max() ?? 0) + 1 }

    /// Ends the store, except for undelivered queues, which are transferred to `next`.
    package mutating func retire(to next: inout EventStore) {
        guard isOpen else { return }
        for queue in former + [current] where !queue.queue.isEmpty { next.former.append(queue) }
        for queue in former + [current] where queue.queue.isEmpty && queue.isInMemory {
            if queue.destination.appID == next.current.destination.appID { next.takeIn(queue) }
        }
        sessionLock?.unlock()
        shared.release()
        former = []
        isOpen = false
    }

    // MARK: Delivery

    /// Calls `body` with the queue of that id; returns `nil` if it is already delivered.
    package mutating func withQueue<Result>(_ id: Int, _ body: (inout DestinationQueue) -> Result) -> Result? {
        guard isOpen else { return nil }
        if current.id == id { return body(&current) }
        guard let index = former.firstIndex(where: { $0.id == id }) else { return nil }
        let result = body(&former[index])
        if former[index].queue.isEmpty {
            if former[index].isInMemory { takeIn(former[index]) }
            former[index].close()
            former.remove(at: index)
        }
        return result
    }

    /// Takes the upload lock, which one process of the store holds at a time; returns `nil` while another process holds
    /// it. The lock is released with its last reference.
    ///
    /// Delivery to a former destination needs no lock: its server is different, and its run folders belong to this
    /// process.
    package mutating func lockForUpload() throws(FileError) -> (any FileLock)? {
        if let uploadLock { return uploadLock }
        let lock = try folder.lockForUpload()
        uploadLock = lock
        return lock
    }
}
