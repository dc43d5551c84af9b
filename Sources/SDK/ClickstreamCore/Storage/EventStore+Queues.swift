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
        let format = format ?? queues.first.format
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

    /// Returns true if a queue is open for that format.
    func isRecorded(_ format: String) -> Bool { queues.index(openFor: format) != nil }

    /// Opens a queue for events of another format, in run folders of its own, and adopts those of ended processes.
    /// - Parameters:
    ///   - id: the id of the queue; `nil` for a new one.
    ///   - part: the queue to record to again, instead of taking a run folder.
    mutating func open(
        _ destination: Destination,
        id: Int? = nil,
        continuing part: DestinationQueue? = nil
    ) throws(StoreError) {
        let folder = try folder.folder(of: destination.format)
        var queue: DestinationQueue
        if let part {
            queue = part.reopened(for: destination)
        } else {
            queue = try newQueue(id ?? queues.nextID, for: destination, in: folder)
            findings += Self.notices(of: queue.queue.opening)
        }
        for run in try folder.adoptable(beside: queue.run) {
            findings += Self.notices(of: try queue.queue.adopt(files, run))
            queue.locks.append(run.lock)
        }
        queues.others.append(queue)
    }

    /// Returns a queue in an unused run folder.
    private func newQueue(
        _ id: Int,
        for destination: Destination,
        in folder: StoreFolder
    ) throws(StoreError) -> DestinationQueue {
        try DestinationQueue(
            id: id,
            destination: destination,
            folder: folder,
            run: folder.takeRun(for: limits),
            limits: limits,
            isSequential: destination.format.isSequential
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
        let next = try newQueue(queues.nextID, for: destination, in: queues[index].folder)
        if index == 0 {
            if sessionLock != nil {
                do {
                    sessionLock = try next.folder.lockSession(ofRun: next.run)
                } catch {
                    throw StoreError(error)
                }
            }
            run = next.run
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
        try opened(
            for: destination,
            limits: limits,
            launches: launches,
            runAfter: last,
            keepsIDs: false,
            continuing: []
        )
    }

    /// Opens a store on the disk in addition to this one, with the same formats.
    /// - Parameters:
    ///   - keepsIDs: true if its queues are parts of this store's queues: they have the same ids.
    ///   - parts: the queues to record to again, at most one for each format. For other formats, run folders are taken.
    func opened(
        for destination: Destination,
        limits: QueueLimits,
        launches: Bool,
        runAfter last: Int? = nil,
        keepsIDs: Bool,
        continuing parts: [DestinationQueue]
    ) throws(StoreError) -> EventStore {
        var store = try EventStore(
            files: place.files,
            root: place.root,
            destination: destination,
            limits: limits,
            launches: launches,
            queueID: keepsIDs ? queues.first.id : queues.nextID,
            runAfter: last,
            continuing: parts.last { $0.format == destination.format.name }
        )
        for queue in queues.others where queue.isOpen {
            var other = queue.destination
            other.appID = destination.appID
            let part = parts.last { $0.format == queue.format }
            try store.open(other, id: keepsIDs ? queue.id : nil, continuing: part)
        }
        store.goesToMemory = goesToMemory
        store.memoryCount = memoryCount
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
        next.findings += queues.retire(to: &next.queues)
        sessionLock?.unlock()
        shared.release()
        isOpen = false
    }

    // MARK: Delivery

    /// Returns the queue with that id, to be read under the lock of the store; `nil` if it is already delivered.
    package mutating func parts(of id: Int) -> QueueParts? {
        guard isOpen else { return nil }
        findings += queues.releaseDelivered()
        return QueueParts(queues.parts(of: id))
    }

    /// Returns the destination of the queue with that id; `nil` if it is already delivered.
    package mutating func destination(of id: Int) -> Destination? {
        guard isOpen else { return nil }
        if queues.first.id == id { return queues.first.destination }
        findings += queues.releaseDelivered()
        return queues.parts(of: id).last?.destination
    }

    /// Calls `body` with the part of a queue that contains a range; returns `nil` if there is none any more.
    package mutating func withQueue<Result>(
        containing range: QueueRange,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        guard isOpen, let index = queues.index(containing: range) else { return nil }
        let result = body(&queues[index])
        findings += queues.releaseDelivered()
        return result
    }

    /// Acquires the upload lock of the queue's format, which one process of the store holds at a time. It is released with its
    /// last reference. If the folder cannot be used, the store moves.
    ///
    /// Delivery to a former destination needs no lock: its server is different, and its run folders belong to this
    /// process.
    /// - Returns: the lock, `nil` if none is needed; the reason if there is to be no delivery.
    package mutating func lockForUpload(_ id: Int) -> (lock: (any FileLock)?, reason: FlushError?) {
        guard isOpen, let index = queues.indices.first(where: { queues[$0].id == id && queues[$0].isOpen }) else {
            return (nil, nil)
        }
        let format = queues[index].destination.format.name
        if let lock = uploadLocks[format]?.lock { return (lock, nil) }
        do {
            guard let lock = try queues[index].folder.lockForUpload() else { return (nil, .storeInUse) }
            uploadLocks[format] = UploadLock(lock: lock)
            return (lock, nil)
        } catch {
            // Events that can still be read there need no lock: no other process can deliver them now.
            if !error.isLackOfDescriptors, leave(because: error, at: nil) { return (nil, nil) }
            return (nil, .store(reason: "\(error)"))
        }
    }
}

/// Reference to an upload lock that does not hold it.
struct UploadLock: Sendable {
    weak var lock: (any FileLock)?
}
