/// Queues of the store: their destinations, their delivery, and events that a server rejects.
extension EventStore {
    // MARK: Dead letters

    /// The events that a server permanently rejects.
    package var deadLetters: DeadLetters { folder.deadLetters }

    /// Queues the dead letters with these event ids again, or all.
    /// - Parameter format: the format of the events; `nil` for the first.
    /// - Returns: their number.
    /// - Throws: the disk's error; also if dead letters without consent are left and cannot be removed.
    package mutating func requeueDeadLetters(_ ids: Set<String>?, format: String? = nil) throws(StoreError) -> Int {
        let format = format ?? queues.first.destination.format.name
        guard let index = queues.index(openFor: format) else { return 0 }
        let deadLetters = queues[index].folder.deadLetters
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
    package var queueIDs: [Int] { queues.ids }

    var nextQueueID: Int { (queueIDs.max() ?? 0) + 1 }

    /// Returns true if a queue is open for that format.
    func isRecorded(_ format: String) -> Bool { queues.index(openFor: format) != nil }

    /// Opens a queue for events of another format, in run folders of its own, and adopts those of ended processes.
    mutating func open(_ destination: Destination) throws(StoreError) {
        let folder = try folder.folder(of: destination.format)
        let run = try folder.takeRun()
        var locks = [run.lock]
        let isSequential = destination.format.isSequential
        var queue = try EventQueue(files, run: run, limits: limits, isSequential: isSequential)
        findings += Self.notices(of: queue.opening)
        for run in try folder.adoptable(beside: run.number) {
            findings += Self.notices(of: try queue.adopt(files, run))
            locks.append(run.lock)
        }
        queues.others.append(
            DestinationQueue(id: nextQueueID, destination: destination, folder: folder, queue: queue, locks: locks)
        )
    }

    /// Changes the endpoint of events of that format that are recorded from now on. A new queue is created if the old one
    /// contains events that can still be sent. The state must be saved afterwards if ``run`` changed.
    /// - Throws: an error if no further run folder can be created; the store is then unchanged.
    package mutating func redirect(to destination: Destination) throws(StoreError) {
        guard let index = queues.index(openFor: destination.format.name) else { return }
        let before = queues[index].destination
        guard destination.endpoint != before.endpoint, before.isUsable, !queues[index].queue.isEmpty else {
            queues[index].destination = destination
            return
        }
        let folder = queues[index].folder
        let run = try folder.takeRun(for: limits)
        let next = DestinationQueue(
            id: nextQueueID,
            destination: destination,
            folder: folder,
            queue: try EventQueue(files, run: run, limits: limits, isSequential: destination.format.isSequential),
            locks: [run.lock]
        )
        if index == 0 {
            if sessionLock != nil {
                do {
                    sessionLock = try folder.lockSession(ofRun: run.number)
                } catch {
                    throw StoreError(error)
                }
            }
            self.run = run.number
        }
        queues.close([queues[index]])
        queues[index] = next
    }

    /// Opens a store on the disk in addition to this one, as at a launch, with the same formats: that of another app, or of the
    /// same once more.
    /// - Parameters:
    ///   - launches: false for a store without a session of its own.
    ///   - last: the number of the run folder that this store recorded to; see ``StoreFolder/takeRun(after:)``.
    package func opened(
        for destination: Destination,
        limits: QueueLimits,
        launches: Bool = true,
        runAfter last: Int? = nil
    ) throws(StoreError) -> EventStore {
        var store = try EventStore(
            files: place.files,
            root: place.root,
            destination: destination,
            limits: limits,
            launches: launches,
            queueID: nextQueueID,
            runAfter: last
        )
        for var other in queues.otherDestinations {
            other.appID = destination.appID
            try store.open(other)
        }
        store.goesToMemory = goesToMemory
        return store
    }

    /// Opens this store once more, as at a launch, in another run folder. This one is to be retired then.
    mutating func reopened() throws(StoreError) -> EventStore {
        settle()
        sessionLock?.unlock()
        shared.release()
        return try opened(for: queues.first.destination, limits: limits)
    }

    /// The location on disk, even while the store is in memory.
    var place: Place { home ?? Place(files: files, root: root, limits: limits) }

    /// The store's folder on disk, even while the store is in memory; `nil` if it cannot be opened.
    package var folderOnDisk: StoreFolder? {
        guard let home else { return folder }
        let name = StoreFolder.escaped(queues.first.destination.appID)
        // Then none of its run folders can be read either.
        return try? StoreFolder(home.files, existing: "\(home.root)/\(name)")
    }

    /// Ends the store, except for undelivered queues, which are transferred to `next`.
    package mutating func retire(to next: inout EventStore) {
        guard isOpen else { return }
        next.queues.close(queues.firstLast.filter { !$0.queue.isEmpty })
        for queue in queues.firstLast where queue.queue.isEmpty && queue.isInMemory {
            if queue.destination.appID == next.queues.first.destination.appID { next.takeIn(queue) }
        }
        for index in queues.indices where queues[index].queue.isEmpty && !queues[index].isInMemory {
            release(index, to: &next)
        }
        sessionLock?.unlock()
        shared.release()
        queues.others = []
        isOpen = false
    }

    /// Closes a queue on the disk whose events are delivered. The outcomes that its manifest cannot take are counted by `next`.
    private mutating func release(_ index: Int, to next: inout EventStore) {
        queues[index].close()
        let (destination, run) = (queues[index].destination, queues[index].queue.own)
        guard run.booksError != nil, destination.appID == next.queues.first.destination.appID,
            let heir = next.queues.index(openFor: destination.format.name)
        else { return }
        next.queues[heir].queue.takeIn(run.unsavedOutcomes)
    }

    // MARK: Delivery

    /// Calls `body` with the queue of that id; returns `nil` if it is already delivered.
    package mutating func withQueue<Result>(_ id: Int, _ body: (inout DestinationQueue) -> Result) -> Result? {
        guard isOpen else { return nil }
        if queues.first.id == id { return body(&queues.first) }
        guard let index = queues.others.firstIndex(where: { $0.id == id }) else { return nil }
        let result = body(&queues.others[index])
        if !queues.others[index].isOpen, queues.others[index].queue.isEmpty {
            var queue = queues.others.remove(at: index)
            if queue.isInMemory { takeIn(queue) }
            queue.close()
        }
        return result
    }

    /// True if a delivery from that queue needs the upload lock of its format.
    ///
    /// Delivery to a former destination needs no lock: its server is different, and its run folders belong to this
    /// process.
    package func needsUploadLock(_ id: Int) -> Bool {
        isOpen && queues.indices.contains { queues[$0].id == id && queues[$0].isOpen }
    }

    /// Takes the upload lock of the queue's format, which one process of the store holds at a time; returns `nil` while
    /// another process holds it. The lock is released with its last reference.
    package mutating func lockForUpload(_ id: Int) throws(FileError) -> (any FileLock)? {
        guard let index = queues.indices.first(where: { queues[$0].id == id }) else { return nil }
        let format = queues[index].destination.format.name
        if let lock = uploadLocks[format]?.lock { return lock }
        let lock = try queues[index].folder.lockForUpload()
        uploadLocks[format] = UploadLock(lock: lock)
        return lock
    }
}

/// Reference to an upload lock that does not hold it.
struct UploadLock: Sendable {
    weak var lock: (any FileLock)?
}
