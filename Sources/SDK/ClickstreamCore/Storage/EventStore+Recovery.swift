/// Recovery from an unusable disk: a store whose folder cannot be used continues in a new folder or in memory, and returns to the
/// disk as soon as possible.
///
/// Events recorded in memory are delivered like others, but are lost with the process unless the disk becomes usable
/// before its orderly end. Memory is bounded by ``QueueLimits/inMemory``; events beyond that are evicted and counted.
/// Each move is reported once.
extension EventStore {
    // MARK: Leaving the disk

    /// Appends an event after a disk error: to a new segment, to a new folder, or to memory.
    /// - Parameter append: appends the event to a queue of the store.
    mutating func retry(
        after failure: FileError,
        at timestamp: Timestamp,
        _ append: (inout QueueList) throws(FileError) -> Void
    ) throws(FileError) {
        guard leave(because: failure, at: timestamp) else { throw failure }
        do {
            try append(&current.queues)
        } catch {
            guard leave(because: error, at: timestamp, isFirstAttempt: false) else { throw error }
            try append(&current.queues)
        }
    }

    /// True if the store's folder on disk was removed or moved by another program. Costs one file lookup.
    package var isGone: Bool { isOpen && !isInMemory && current.queues.first.isGone }

    /// Moves the store if its folder was removed by another program. Costs one file lookup.
    /// - Returns: true if the store moved.
    package mutating func leaveIfGone(at timestamp: Timestamp? = nil) -> Bool {
        guard isOpen, memory.isAllowed, !isInMemory, current.queues.first.isGone else { return false }
        return leave(
            because: FileError(.open, current.queues.first.queue.own.path, errno: FileError.absent),
            at: timestamp
        )
    }

    /// Restores access by path to the records of the open segment if another program removed, renamed or replaced its
    /// file: in the same folder, or by moving the store if the folder is gone too. Costs two file lookups.
    /// - Returns: true if the store moved.
    package mutating func keepNamed() -> Bool {
        guard isOpen, !isInMemory else { return false }
        if keepLocks() { return true }
        do {
            for index in current.queues.indices where current.queues[index].isOpen {
                try current.queues[index].queue.keepNamed()
            }
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
    /// - Parameter isFirstAttempt: true for the first attempt; otherwise the store moves to memory.
    /// - Returns: true if the operation may be tried again. False for a transient error, such as a full disk, and for a store
    ///   in memory. A store that may not use memory is created again if the records of its open segment would otherwise be
    ///   lost.
    package mutating func leave(because error: FileError, at timestamp: Timestamp?, isFirstAttempt: Bool = true) -> Bool
    {
        if error.errno == FileError.closed { return isFirstAttempt && reopen(because: error) }
        guard isOpen, !isInMemory, error.meansLostLocation else { return false }
        let gone = current.queues.gone
        let isGone = gone.contains(current.queues.first.queue.own.path)
        let hasRecords = current.queues.first.queue.own.openSegment.map { $0.bytes > 0 } == true
        guard memory.isAllowed || hasRecords && isFirstAttempt && isGone else { return false }
        if isFirstAttempt, current.queues.endSegments(without: gone) {
            let path = current.queues.first.queue.own.path
            let message = "Further events are in a new segment of \(path): \(error.account)"
            current.findings.append(Notice.Warning(.storeReopened, message))
            return true
        }
        // The lock belongs to the state that is left behind.
        current.shared.release()
        if isFirstAttempt, isGone, openAnew(because: error, without: gone) { return true }
        return memory.isAllowed && moveToMemory(because: error, at: timestamp, without: gone)
    }

    /// Opens the store again after its folder was removed.
    private mutating func openAnew(because error: FileError, without gone: Set<String>) -> Bool {
        do {
            current = try current.openedAnew(because: error, without: gone)
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
        let home = current.location
        do {
            current = try current.openedInMemory(
                at: memory.location(insteadOf: home),
                because: error,
                without: gone
            )
            memory.enter(insteadOf: home, at: timestamp)
            return true
        } catch {
            return false
        }
    }

    /// Opens the store again if it does not hold its locks.
    /// - Returns: true if it was opened again.
    @discardableResult
    mutating func keepLocks() -> Bool {
        guard isOpen, !isInMemory, !current.holdsLocks else { return false }
        return reopen(because: FileError(.lock, current.queues.first.queue.own.path, errno: FileError.closed))
    }

    /// Opens the store again after its descriptors were closed.
    /// - Returns: false if the store cannot be opened now; each call tries again.
    private mutating func reopen(because error: FileError) -> Bool {
        guard isOpen, !isInMemory else { return false }
        do {
            current = try current.openedWithLocks(because: error)
            return true
        } catch {
            return false
        }
    }

    // MARK: Returning to the disk

    /// Tries to return to the disk, at most every ten seconds. Events in memory are moved to the ends of the queues on the
    /// disk; once there is none left, new events are recorded there.
    /// - Parameter timestamp: the current time; `nil` skips the interval.
    mutating func returnToDisk(at timestamp: Timestamp?) {
        guard isOpen, memory.beginsReturn(at: timestamp), let home = memory.home else { return }
        do {
            guard let next = try current.openedOnDisk(at: home) else { return }
            memory.leave()
            self = EventStore(next, memory: memory)
        } catch {
            // Already reported when the store moved to memory.
        }
    }

    /// Moves events in memory to the disk before the end of the process, if the disk is usable. Tries again at once after a
    /// failure, since there is no later time.
    package mutating func leaveMemory() {
        guard isOpen, isInMemory || current.queues.others.contains(where: \.isInMemory) else { return }
        for _ in 0..<FileError.attempts where isInMemory { returnToDisk(at: nil) }
        guard isInMemory else {
            current.findings += current.queues.absorbMemory()
            return
        }
        let left = current.queues.eventsInMemory
        guard left > 0 else { return }
        current.findings.append(Notice.Warning(.eventsLost, "\(left) events that were kept in memory alone are lost."))
    }

    // MARK: Another store

    /// Opens a store on the disk in addition to this one, as at a launch, with the same formats: that of another app, or of the
    /// same once more.
    func opened(for destination: Destination, limits: QueueLimits) throws(StoreError) -> EventStore {
        var location = memory.home ?? current.location
        location.limits = limits
        var memory = memory
        memory.leave()
        return EventStore(try current.opened(at: location, for: destination, launches: true), memory: memory)
    }

    /// Opens this store once more, as at a launch, in another run folder. This one is to be retired then.
    mutating func reopened() throws(StoreError) -> EventStore {
        settle()
        current.releaseSession()
        let limits = (memory.home ?? current.location).limits
        var next = try opened(for: current.queues.first.destination, limits: limits)
        // The state on the disk is older.
        if isInMemory { current.transferState(to: &next.current) }
        return next
    }

    /// Ends the store, except for undelivered queues, which are transferred to `next`.
    mutating func retire(to next: inout EventStore) {
        guard isOpen else { return }
        current.retire(to: &next.current)
        isOpen = false
    }

    /// The store's folder on disk, even while the store is in memory; `nil` if it cannot be opened.
    package var folderOnDisk: StoreFolder? {
        guard let home = memory.home else { return current.folder }
        let name = StoreFolder.escaped(current.queues.first.destination.appID)
        // Then none of its run folders can be read either.
        return try? StoreFolder(home.files, existing: "\(home.root)/\(name)")
    }
}
