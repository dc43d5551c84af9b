extension Recorder {
    /// The files whose `synchronize` makes recorded events survive a loss of power; to be called outside the lock.
    package var filesToSynchronize: [any AppendableFile] { log.store.filesToSynchronize }

    /// The number of the run folder that is recorded to.
    package var run: Int { log.store.run }

    /// The ledger of this process's run folders, and the number of pending events there.
    package var ledger: (ledger: Ledger, pendingEvents: Int) { log.store.ledger }

    /// The events of this app that a server will never take.
    package var deadLetters: DeadLetters { log.store.deadLetters }

    /// Queues dead letters again, those with these event ids or all.
    package mutating func requeueDeadLetters(_ ids: Set<String>?) throws(StoreError) -> Int {
        try log.store.requeueDeadLetters(ids)
    }

    /// Takes the lock for delivery from one of the store's queues.
    /// - Returns: the lock, or the reason if it cannot be had.
    package mutating func lockForUpload(_ id: Int) -> (lock: (any FileLock)?, reason: FlushError?) {
        // Another process of the store may have withdrawn consent, or this one may have left something of a withdrawal.
        if gate.isInUse || log.store.isStateOutdated { changeState { _ in } }
        guard log.store.needsUploadLock(id) else { return (nil, nil) }
        do {
            guard let lock = try log.store.lockForUpload(id) else { return (nil, .storeInUse) }
            return (lock, nil)
        } catch {
            // Events that can still be read there need no lock: no other process can deliver them now.
            if !error.isLackOfDescriptors, log.store.leave(because: error, at: nil) {
                followStore()
                return (nil, nil)
            }
            return (nil, .store(reason: "\(error)"))
        }
    }

    /// Applies a withdrawal of consent by another process, for a request that is about to begin. Costs reading one line of a file
    /// unless the state has changed.
    /// - Returns: true if the events of a range are still to be sent.
    package mutating func isPending(_ range: QueueRange) -> Bool {
        if log.store.isStateOutdated { changeState { _ in } }
        return log.store.isPending(range)
    }

    /// True if recorded events go to files without a name. Costs a look at one file.
    package var isStoreGone: Bool { log.store.isGone }

    /// Checks that the files of recorded events still have their names. Costs a look at two files.
    package mutating func lookForStore() {
        if log.store.keepNamed() { followStore() }
    }

    /// Counts events that were refused because the client has ended.
    package mutating func countLate(_ events: Int) {
        log.store.count(.disabled, events)
    }

    /// Adds the events that came after the end to the ledger of the store.
    package mutating func bookLateCalls() {
        report(log.store.bookLateCalls())
    }

    /// Reports a failure to write the ledger.
    mutating func report(_ failure: StoreError?) {
        guard let failure else { return }
        notices.append(.warning("\(failure)"))
    }
}
