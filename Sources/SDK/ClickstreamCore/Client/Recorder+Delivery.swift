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

    /// Performs a step of delivery, after applying the changes of other processes that it depends on.
    mutating func deliver<Result>(
        _ step: DeliveryStep,
        _ body: (inout EventStore, DeliverySettings, inout [Notice]) -> Result
    ) -> Result {
        switch step {
        // This process may have left something of a withdrawal.
        case .flush: if admission.usesConsent || log.store.isStateOutdated { changeState { _ in } }
        case .request: if log.store.isStateOutdated { changeState { _ in } }
        case .local: break
        }
        let settings = DeliverySettings(
            configuration: configuration,
            device: device,
            isEnabled: isEnabled && admission.isOpen
        )
        let result = body(&log.store, settings, &notices)
        if log.store.hasNotices { followStore() }
        return result
    }

    /// True if recorded events go to files without a name. Costs a look at one file.
    package var isStoreGone: Bool { log.store.isGone }

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
