import ClickstreamCore
import Synchronization

extension EventShard: DeliveryStore {
    func deliver<Result: Sendable>(
        _ step: DeliveryStep,
        _ body: (inout EventStore, DeliverySettings, inout [Notice]) -> Result
    ) -> Result {
        change { state in
            let settings = DeliverySettings(
                configuration: state.configuration,
                device: device,
                isEnabled: state.isEnabled
            )
            let result = body(&state.log.store, settings, &state.notices)
            if state.log.store.hasNotices { state.notices += state.log.store.takeOpeningNotices() }
            return result
        }
    }
}

extension EventShard {
    // MARK: Switches

    /// Changes the configuration of later events and requests, except their destination. Its global attributes are valid.
    /// - Returns: notices, which the caller is to report outside its own locks.
    func configure(_ changed: ClickstreamClient.Configuration) -> [Notice] {
        sendsUserAttributes.store(changed.sendsUserAttributesInEveryEvent, ordering: .relaxed)
        samples.store(!changed.sampling.isEmpty, ordering: .relaxed)
        return collectingNotices { state in
            let before = state.configuration
            state.configuration = changed
            state.configuration.endpoint = before.endpoint
            state.configuration.authCookie = before.authCookie
            if changed.globalAttributes != before.globalAttributes {
                state.globals = GlobalAttributes(changed.globalAttributes)
            }
        }
    }

    /// Sends later events to the endpoint of `changed`, with its cookie. Events recorded before are still sent to the former one.
    /// - Returns: why the shard keeps the former endpoint; `nil` if it does not.
    func redirect(to changed: ClickstreamClient.Configuration) -> StoreError? {
        changeQuietly { state -> StoreError? in
            let before = state.configuration
            guard changed.endpoint != before.endpoint || changed.authCookie != before.authCookie else { return nil }
            do throws(StoreError) {
                try state.log.store.redirect(to: Destination(changed))
            } catch {
                return error
            }
            state.configuration.endpoint = changed.endpoint
            state.configuration.authCookie = changed.authCookie
            return nil
        }
    }

    /// Starts or stops recording and delivery.
    func setEnabled(_ isEnabled: Bool) {
        changeQuietly { $0.isEnabled = isEnabled }
    }

    /// Adds the line of every later event to its notice.
    func observeLines() {
        change { $0.log.observeLines() }
    }

    // MARK: Accounting

    /// The ledger of the shard's run folders, the number of pending events there, and their size on disk.
    var manifest: (ledger: Ledger, pendingEvents: Int, storedBytes: Int) {
        change { state in
            let (ledger, pending) = state.log.store.ledger
            return (ledger, pending, state.log.store.storedBytes)
        }
    }

    /// Counts the shard's run folders, and its events in memory.
    func count(in accounts: inout StoreAccounts) {
        changeQuietly { accounts.add($0.log.store) }
    }

    /// The folder of the store, also while the shard's events are in memory; `nil` if it cannot be read.
    var folderOnDisk: StoreFolder? { changeQuietly { $0.log.store.folderOnDisk } }

    /// The number of events that this process recorded or refused. Never decreases.
    var recordedEvents: Int { change { $0.recorded } }

    /// The number of events that this process refused, by reason: rejected by a rule, disabled, without consent, sampled out.
    var refusedEvents: [EventOutcome: Int] { change { $0.refused } }

    /// The configuration of later events and requests.
    var configuration: ClickstreamClient.Configuration { change { $0.configuration } }

    /// True if events are recorded and sent.
    var isEnabled: Bool { change { $0.isEnabled } }

    /// True if events recorded now are lost with the process.
    var isInMemory: Bool { change { $0.log.store.isInMemory } }

    /// The files whose `synchronize` makes recorded events survive a loss of power; to be called outside the lock.
    var filesToSynchronize: [any AppendableFile] { change { $0.log.store.filesToSynchronize } }

    // MARK: End

    /// Graceful end: the store is closed. Later events are refused, and counted as disabled in a manifest of the store before
    /// their calls return.
    func terminate() {
        change { state in
            state.log.store.leaveMemory()
            state.notices += state.log.store.takeOpeningNotices()
            state.log.store.close()
            guard let failure = state.log.store.saveEachLateCall() else { return }
            state.notices.append(.warning(.init(.stateNotSaved, "\(failure)")))
        }
    }

    /// Writes the manifests, as before the end of the process; recording may continue.
    func settle() {
        change { state in
            state.log.store.leaveMemory()
            state.notices += state.log.store.takeOpeningNotices()
            state.log.store.settle()
        }
    }

    /// Ends the shard as `kill -9` would.
    func kill() {
        change { $0.log.store.close(countsLateCalls: false) }
    }

    /// Adds the events after the end that could not be counted in a manifest at once.
    func saveLateCalls() {
        change { state in
            guard let failure = state.log.store.saveLateCalls() else { return }
            state.notices.append(.warning(.init(.stateNotSaved, "\(failure)")))
        }
    }
}
