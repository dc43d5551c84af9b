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
                number: 1,
                isLaunch: launches
            )
        }
    }

    /// Opens the store on the disk. A failure that may pass, such as a full disk, is tried twice more at once: in memory, later
    /// events would be delivered before those of earlier processes.
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
                guard error.mayPass || error.isFullDisk, attempt < FileError.attempts else { throw error }
            }
            attempt += 1
        }
    }

    private static func inMemory(
        instead home: Place,
        because error: StoreError,
        destination: Destination,
        queueID: Int,
        number: Int,
        isLaunch: Bool
    ) throws(StoreError) -> EventStore {
        let files = TransientFileSystem()
        let root = "memory-\(home.limits.shard)-\(number)"
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
        store.memoryCount = number
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
        for name in ["state", "state.old"] + ((try? UserLog.names(home.files, path)) ?? []) {
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

    /// Appends an event after a disk error: to a new segment, to a new folder, or to memory.
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

    /// Recovers from a disk error that makes a location unusable: continues in the same folder with new segments, opens the
    /// store again if its folder was removed, or moves it to memory.
    ///
    /// The folder that contains undelivered events is not exchanged for another one: the order of events is that of one run
    /// folder, followed by that of the part in memory (``QueueParts``).
    /// - Parameter looksAgain: true for the first attempt; otherwise the store moves to memory.
    /// - Returns: true if the operation may be tried again. False for a transient error, such as a full disk, and for a store
    ///   in memory. A store that may not use memory is created again if the records of its open segment would otherwise be
    ///   lost.
    package mutating func leave(because error: FileError, at timestamp: Timestamp?, looksAgain: Bool = true) -> Bool {
        if error.errno == FileError.closed { return looksAgain && reopen(because: error) }
        guard isOpen, home == nil, error.meansLostPlace else { return false }
        let gone = queues.gone
        let isGone = gone.contains(queues.first.queue.own.path)
        let hasRecords = queues.first.queue.own.openSegment.map { $0.bytes > 0 } == true
        guard goesToMemory || hasRecords && looksAgain && isGone else { return false }
        if looksAgain, endSegments(without: gone) {
            findings.append(
                .warning("Further events are in a new segment of \(queues.first.queue.own.path): \(error.account)")
            )
            return true
        }
        // The lock belongs to the state that is left behind.
        shared.release()
        if looksAgain, isGone, openAnew(because: error, without: gone) { return true }
        return goesToMemory && moveToMemory(because: error, at: timestamp, without: gone)
    }

    /// Ends the open segments, so that the next events begin new ones.
    /// - Returns: false if that is impossible: a folder was removed, or a file has no name.
    private mutating func endSegments(without gone: Set<String>) -> Bool {
        for index in queues.indices where queues[index].isOpen {
            if gone.contains(queues[index].queue.own.path) { return false }
            guard queues[index].queue.endSegment() else { return false }
        }
        return true
    }

    /// Opens the store again after its folder was removed.
    private mutating func openAnew(because error: FileError, without gone: Set<String>) -> Bool {
        do {
            var next = try opened(
                for: queues.first.destination,
                limits: limits,
                launches: sessionLock != nil,
                keepsIDs: false,
                continuing: queues.others.filter { $0.isOpen && !gone.contains($0.queue.own.path) }
            )
            next.findings = [.warning("The store was opened anew in \(next.folder.path): \(error.account)")]
            move(to: &next, without: gone)
            self = next
            return true
        } catch {
            // The caller continues with memory.
            return false
        }
    }

    private mutating func moveToMemory(
        because error: FileError,
        at timestamp: Timestamp?,
        without gone: Set<String>
    ) -> Bool {
        do {
            var next = try EventStore.inMemory(
                instead: place,
                because: StoreError(error),
                destination: queues.first.destination,
                queueID: queues.first.id,
                number: memoryCount + 1,
                isLaunch: false
            )
            for other in queues.others where other.isOpen { try next.open(other.destination, id: other.id) }
            next.lastReturn = timestamp
            next.hasSession = hasSession
            move(to: &next, without: gone)
            self = next
            return true
        } catch {
            return false
        }
    }

    /// Transfers the state and the queues that `next` does not record to, also those without events: those that were recorded to
    /// can be recorded to again, and the others are released when their manifests are written.
    private mutating func move(to next: inout EventStore, without gone: Set<String>) {
        if let state { next.shared.takeUp(state) }
        next.shared.release()
        next.findings += next.queues.takeOver(queues.firstLast, without: gone)
        sessionLock?.unlock()
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
