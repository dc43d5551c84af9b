/// The store opened once more, and the transfer of state and queues from one opening to the next.
extension OpenStore {
    // MARK: Opening

    /// Opens a store in addition to this one, with the same formats.
    /// - Parameters:
    ///   - last: the number of the run folder that this store recorded to; see ``StoreFolder/takeRun(after:)``.
    ///   - keepsIDs: true if its queues are parts of this store's queues: they have the same ids.
    ///   - parts: the queues to record to again, at most one for each format. For other formats, run folders are taken.
    func opened(
        at location: Location,
        for destination: Destination,
        launches: Bool,
        runAfter last: Int? = nil,
        keepsIDs: Bool = false,
        continuing parts: [DestinationQueue] = []
    ) throws(StoreError) -> OpenStore {
        var store = try OpenStore(
            at: location,
            for: destination,
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
        return store
    }

    /// Opens the store on the disk again after its folder was removed, and transfers everything that can be read.
    mutating func openedAnew(because error: FileError, without gone: Set<String>) throws(StoreError) -> OpenStore {
        var next = try opened(
            at: location,
            for: queues.first.destination,
            launches: sessionLock != nil,
            continuing: queues.others.filter { $0.isOpen && !gone.contains($0.queue.own.path) }
        )
        next.findings = [
            Notice.Warning(.storeReopened, "The store was opened anew in \(next.folder.path): \(error.account)")
        ]
        move(to: &next, without: gone)
        return next
    }

    /// Opens the store in memory, and transfers everything that can be read.
    mutating func openedInMemory(
        at location: Location,
        because error: FileError,
        without gone: Set<String>
    ) throws(StoreError) -> OpenStore {
        var next = try opened(at: location, for: queues.first.destination, launches: false, keepsIDs: true)
        next.hasSession = hasSession
        next.noteMemory(because: StoreError(error))
        move(to: &next, without: gone)
        return next
    }

    /// Opens the store in memory on the disk again, and transfers all queues and the events in memory.
    /// - Returns: `nil` if an operation fails. This store then has the queues on the disk, with the events that were moved.
    mutating func openedOnDisk(at home: Location) throws(StoreError) -> OpenStore? {
        let gone = queues.gone
        guard let parts = queues.resumeParts(without: gone) else { return nil }
        var next = try opened(
            at: home,
            for: queues.first.destination,
            launches: hasSession,
            keepsIDs: true,
            continuing: parts
        )
        next.findings += next.queues.takeOver(queues.removeParts(), without: gone)
        guard next.queues.takeEvents(of: &queues) else {
            next.releaseSession()
            findings += next.findings
            let memory = queues.others
            queues.others = []
            queues.close(next.queues.firstLast)
            queues.others += memory
            return nil
        }
        next.findings.append(Notice.Warning(.storeRestored, "Events are kept in \(next.folder.path) again."))
        next.findings += next.queues.takeRest(of: queues)
        transferState(to: &next)
        releaseSession()
        return next
    }

    /// Reports that the store is in memory.
    mutating func noteMemory(because error: StoreError) {
        let limits = location.limits
        findings.append(
            Notice.Warning(
                .storeInMemory,
                "Events are kept in memory alone, at most \(limits.maxEvents ?? 0) of \(limits.maxBytes) bytes, until the "
                    + "store can be used: \(error)"
            )
        )
    }

    // MARK: Transfer

    /// Transfers the state and the queues that `next` does not record to, also those without events: those that were recorded to
    /// can be recorded to again, and the others are released when their manifests are written.
    private mutating func move(to next: inout OpenStore, without gone: Set<String>) {
        transferState(to: &next)
        next.findings += next.queues.takeOver(queues.firstLast, without: gone)
        releaseSession()
    }

    func transferState(to next: inout OpenStore) {
        if let state = shared.current { next.shared.takeUp(state) }
        next.shared.release()
    }

    /// Ends the store, except for undelivered queues, which are transferred to `next`.
    mutating func retire(to next: inout OpenStore) {
        next.findings += queues.retire(to: &next.queues)
        releaseSession()
    }

    // MARK: Descriptors

    /// True while the store holds the locks of its session and of its run folders. One system call for each.
    var holdsLocks: Bool {
        sessionLock?.isHeld ?? true
            && queues.indices.allSatisfy { queues[$0].locks.allSatisfy(\.isHeld) }
    }

    /// Opens the store again without its locks, as after a host that closes descriptors it did not open, such as a program that
    /// becomes a daemon after the client has started.
    ///
    /// Another process may have taken the run folders, and delivered their events. The content on disk is complete, so the store
    /// is opened as at a launch, and nothing in memory is written. Events of former destinations of the same app go to its present
    /// one.
    mutating func openedWithLocks(because error: FileError) throws(StoreError) -> OpenStore {
        // Locks may still be held, such as those of run folders that were taken since.
        releaseSession()
        for index in queues.indices where isReopened(queues[index]) {
            for lock in queues[index].locks { lock.unlock() }
        }
        var next = try opened(
            at: location,
            for: queues.first.destination,
            launches: sessionLock != nil,
            runAfter: queues.first.run
        )
        next.findings.append(
            Notice.Warning(
                .storeReopened,
                "The program closed descriptors of the store, which was opened again in \(next.folder.path), with all events: "
                    + "\(error.account). Start the client after the program has closed what it inherited."
            )
        )
        transferState(to: &next)
        for queue in queues.firstLast where queue.isOpen {
            guard let index = next.queues.index(openFor: queue.format) else { continue }
            next.queues[index].queue.takeIn(queue.queue.own.unsavedOutcomes)
        }
        next.queues.close(queues.others.filter { !isReopened($0) })
        return next
    }

    /// True for a queue whose run folders another opening of the store takes.
    private func isReopened(_ queue: DestinationQueue) -> Bool { queue.isOpen || queue.folder.path == folder.path }
}
