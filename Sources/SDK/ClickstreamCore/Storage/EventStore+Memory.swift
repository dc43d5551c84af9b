/// In-memory fallback: a store whose folder is unusable continues in memory, and returns to the disk as soon as
/// possible.
///
/// Events recorded in memory are delivered like others, but are lost with the process unless the disk becomes usable
/// before its orderly end. Memory is bounded by ``QueueLimits/inMemory``; events beyond that are evicted and counted.
/// Each move is reported once.
extension EventStore {
    /// Location and limits of a store.
    struct Place: Sendable {
        var files: any FileSystem
        var root: String
        var limits: QueueLimits
    }

    /// The interval in milliseconds between attempts to return to the disk.
    static let patience: Int64 = 10_000

    // MARK: Opening

    /// Opens the store for a launch: on disk, or in memory if its folder is unusable.
    ///
    /// A store in memory begins with the identity and the session of the folder, if they are readable.
    /// - Parameters:
    ///   - goesToMemory: true if the store may use memory, now and later.
    ///   - launches: false for a process without a session of its own.
    /// - Throws: an error if neither is possible: the store was written by a later version, the disk is broken (`EIO`),
    ///   or the in-memory store cannot be opened.
    package static func opened(
        files: any FileSystem,
        root: String,
        destination: Destination,
        limits: QueueLimits,
        goesToMemory: Bool,
        launches: Bool = true
    ) throws(StoreError) -> EventStore {
        do {
            var store = try onDisk(
                files: files,
                root: root,
                destination: destination,
                limits: limits,
                launches: launches
            )
            store.goesToMemory = goesToMemory
            return store
        } catch {
            guard goesToMemory, error.leavesMemory else { throw error }
            let place = Place(files: files, root: root, limits: limits)
            return try inMemory(
                instead: place,
                because: error,
                destination: destination,
                queueID: 1,
                isLaunch: launches
            )
        }
    }

    /// Opens the store on the disk. A failure that may pass is tried twice more at once, as in reading a file.
    private static func onDisk(
        files: any FileSystem,
        root: String,
        destination: Destination,
        limits: QueueLimits,
        launches: Bool
    ) throws(StoreError) -> EventStore {
        var attempt = 1
        while true {
            do throws(StoreError) {
                return try EventStore(
                    files: files,
                    root: root,
                    destination: destination,
                    limits: limits,
                    launches: launches
                )
            } catch {
                guard error.mayPass, attempt < FileError.attempts else { throw error }
            }
            attempt += 1
        }
    }

    private static func inMemory(
        instead home: Place,
        because error: StoreError,
        destination: Destination,
        queueID: Int,
        isLaunch: Bool = true
    ) throws(StoreError) -> EventStore {
        let files = TransientFileSystem()
        let root = home.limits.shard == 0 ? "memory" : "memory-\(home.limits.shard)"
        let limits = home.limits.inMemory
        let folder = try StoreFolder(files, root: root, appID: destination.appID)
        if isLaunch { copyState(from: home, to: folder, of: destination.appID) }
        var store = try EventStore(
            files: files,
            root: root,
            destination: destination,
            limits: limits,
            launches: isLaunch,
            queueID: queueID
        )
        store.goesToMemory = true
        store.home = home
        store.findings.append(
            .warning(
                "Events are kept in memory alone, at most \(limits.maxEvents ?? 0) of \(limits.maxBytes) bytes, until the "
                    + "store can be used: \(error)"
            )
        )
        return store
    }

    /// Copies the identity and the session to the in-memory store, as far as they are readable.
    private static func copyState(from home: Place, to folder: StoreFolder, of appID: String) {
        let path = "\(home.root)/\(StoreFolder.escaped(appID))"
        for name in ["state", "state.old"] {
            // Unreadable or invalid state is reported elsewhere; the app then starts as after an installation.
            guard let bytes = try? home.files.contents(of: "\(path)/\(name)") else { continue }
            do {
                try folder.files.replace("\(folder.path)/\(name)", with: bytes, durably: false)
            } catch {
                return
            }
        }
    }

    // MARK: Moving

    /// Appends an event after a disk error: to a new folder, or to memory.
    /// - Parameter append: appends the event to a queue of the store.
    mutating func retry(
        after failure: FileError,
        at timestamp: Timestamp,
        _ append: (inout QueueList) throws(FileError) -> Void
    ) throws(FileError) {
        guard leave(because: failure, at: timestamp) else { throw failure }
        do {
            try append(&queues)
        } catch {
            guard leave(because: error, at: timestamp, looksAgain: false) else { throw error }
            try append(&queues)
        }
    }

    /// True if the store's folder on disk was removed or moved by another program. Costs one file lookup.
    package var isGone: Bool { isOpen && home == nil && queues.first.isGone }

    /// Moves the store if its folder was removed by another program. Costs one file lookup.
    /// - Returns: true if the store moved.
    package mutating func leaveIfGone(at timestamp: Timestamp? = nil) -> Bool {
        guard isOpen, goesToMemory, home == nil, queues.first.isGone else { return false }
        return leave(because: FileError(.open, queues.first.queue.own.path, errno: FileError.absent), at: timestamp)
    }

    /// Restores access by path to the records of the open segment if another program removed, renamed or replaced its
    /// file: in the same folder, or by moving the store if the folder is gone too. Costs two file lookups.
    /// - Returns: true if the store moved.
    package mutating func keepNamed() -> Bool {
        guard isOpen, home == nil else { return false }
        if keepLocks() { return true }
        do {
            for index in queues.indices where queues[index].isOpen { try queues[index].queue.keepNamed() }
        } catch {
            if leave(because: error, at: nil) { return true }
        }
        return leaveIfGone()
    }

    /// Moves the store after a disk error that makes its location unusable.
    /// - Parameter looksAgain: true if the folder may be created again; otherwise the store moves to memory.
    /// - Returns: true if the store moved. False for a transient error, such as a full disk, and for a store in memory.
    ///   A store that may not use memory is created again if the records of its open segment would otherwise be lost.
    package mutating func leave(because error: FileError, at timestamp: Timestamp?, looksAgain: Bool = true) -> Bool {
        if error.errno == FileError.closed { return looksAgain && reopen(because: error) }
        guard isOpen, home == nil, error.meansLostPlace else { return false }
        let hasRecords = queues.first.queue.own.openSegment.map { $0.bytes > 0 } == true
        guard goesToMemory || hasRecords && looksAgain && queues.first.isGone else { return false }
        // The lock belongs to the state that is left behind.
        shared.release()
        let gone = goneQueues
        if looksAgain {
            do {
                var next = try opened(for: queues.first.destination, limits: limits, launches: sessionLock != nil)
                next.findings = [.warning("The store was opened anew in \(next.folder.path): \(error.account)")]
                move(to: &next, without: gone)
                self = next
                return true
            } catch {
                // Continue with memory.
            }
        }
        guard goesToMemory else { return false }
        do {
            var next = try EventStore.inMemory(
                instead: place,
                because: StoreError(error),
                destination: queues.first.destination,
                queueID: nextQueueID,
                isLaunch: false
            )
            for other in queues.otherDestinations { try next.open(other) }
            next.lastReturn = timestamp
            move(to: &next, without: gone)
            self = next
            return true
        } catch {
            return false
        }
    }

    /// Tries to return to the disk, at most every ten seconds; on success, new events are recorded there.
    /// - Parameter timestamp: the current time; `nil` skips the interval.
    mutating func returnToDisk(at timestamp: Timestamp?) {
        guard let home else { return }
        if let timestamp {
            guard let last = lastReturn else {
                lastReturn = timestamp
                return
            }
            guard abs(timestamp - last) >= Self.patience else { return }
            lastReturn = timestamp
        }
        let gone = goneQueues
        do {
            var next = try opened(for: queues.first.destination, limits: home.limits)
            next.findings.append(.warning("Events are kept in \(next.folder.path) again."))
            shared.release()
            move(to: &next, without: gone)
            self = next
            // Events in memory that are not in flight are moved to the disk at once.
            absorb { $0.segments.allSatisfy { $0.flight == nil } }
        } catch {
            // Already reported when the store moved to memory.
        }
    }

    /// The ids of queues whose folders were removed; determined before the folders are created again.
    private var goneQueues: Set<Int> { Set(queues.firstLast.filter(\.isGone).map(\.id)) }

    private mutating func move(to next: inout EventStore, without gone: Set<Int>) {
        if let state { next.shared.takeUp(state) }
        next.shared.release()
        for queue in queues.firstLast where gone.contains(queue.id) {
            let (ledger, events) = next.take(eventsOf: queue)
            next.queues[next.heir(of: queue)].queue.takeIn(ledger)
            if events > 0 {
                next.findings.append(.warning("\(events) events went with \(queue.queue.own.path)."))
            }
        }
        queues.others.removeAll { gone.contains($0.id) }
        if gone.contains(queues.first.id) {
            sessionLock?.unlock()
            next.queues.close(queues.others.filter { !$0.isOpen || !$0.queue.isEmpty })
        } else {
            retire(to: &next)
        }
    }

    // MARK: Leaving memory

    /// Moves events in memory to the disk before the end of the process, if the disk is usable.
    package mutating func leaveMemory() {
        guard isOpen, isInMemory || queues.others.contains(where: \.isInMemory) else { return }
        returnToDisk(at: nil)
        absorb { _ in true }
        let left = home == nil ? 0 : queues.openPendingEvents
        if left > 0 { findings.append(.warning("\(left) events that were kept in memory alone are lost.")) }
    }

    /// Moves the events of in-memory queues to the disk; each event keeps its id.
    private mutating func absorb(where isReady: (RunFolder) -> Bool) {
        guard home == nil else { return }
        for queue in queues.others where queue.isInMemory && isReady(queue.queue.own) {
            let (ledger, _) = take(eventsOf: queue)
            takeIn(queue, ledger)
        }
        queues.others.removeAll { $0.isInMemory && isReady($0.queue.own) }
    }

    /// Appends the readable events of an abandoned queue; each keeps its id.
    /// - Returns: the queue's accounting without these events, and the number of lost events.
    private mutating func take(eventsOf queue: DestinationQueue) -> (ledger: Ledger, lost: Int) {
        let heir = heir(of: queue)
        var ledger = queue.queue.ledger
        var lost = 0
        for range in queue.queue.own.pendingRanges {
            guard queue.destination == queues[heir].destination, let reading = queue.reading(of: range) else {
                ledger[.missing] += range.events
                lost += range.events
                continue
            }
            ledger[.damaged] += reading.range.damaged
            ledger[.missing] += reading.range.missing
            lost += range.events - reading.records.count
            for record in reading.records {
                do {
                    var line = EventLine(json: reading.bytes[record.json])
                    try queues[heir].queue.append(
                        &line,
                        partition: reading.partition(of: record),
                        isActive: record.isActive,
                        timestamp: record.timestamp
                    )
                    ledger.recorded -= 1
                } catch {
                    ledger[.unstored] += 1
                    lost += 1
                }
            }
        }
        return (ledger, lost)
    }

    /// Returns the index of the queue that takes over the events or the accounting of a closed one: of the same format.
    private func heir(of queue: DestinationQueue) -> Int {
        queues.index(openFor: queue.destination.format.name) ?? 0
    }

    /// Takes over the accounting and the dead letters of an empty in-memory queue.
    mutating func takeIn(_ queue: DestinationQueue, _ ledger: Ledger? = nil) {
        let heir = heir(of: queue)
        queues[heir].queue.takeIn(ledger ?? queue.queue.ledger)
        do {
            let letters = try queue.folder.deadLetters.all()
            guard !letters.isEmpty else { return }
            try queues[heir].folder.deadLetters.add(letters)
        } catch {
            findings.append(.warning("\(error)"))
        }
    }
}

extension DestinationQueue {
    /// Returns the records of a range; `nil` if its file does not exist or is not readable.
    fileprivate func reading(of range: QueueRange) -> QueueReading? {
        do {
            return try QueueReading(queue.source(of: range), range, maxRawBytes: .max)
        } catch {
            return nil
        }
    }

    /// True if the queue's folder was removed. Costs one file lookup.
    var isGone: Bool {
        do {
            return try files.size(of: queue.own.path + "/lock") == nil
        } catch {
            // An error of the lookup does not prove that the folder is gone.
            return false
        }
    }
}

extension StoreError {
    /// True if a launch may continue in memory: not for a store written by a later version, nor on a broken disk.
    fileprivate var leavesMemory: Bool {
        switch self {
        case .laterVersion: false
        case .failed(let error): error.errno != FileError.broken
        case .foreignFolder, .notFolder, .notWritable: true
        }
    }
}
