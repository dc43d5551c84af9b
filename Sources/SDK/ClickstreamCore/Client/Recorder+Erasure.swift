/// Removal of everything that is stored about a person.
extension Recorder {
    /// Removes identity, events and state, and launches the app as a new installation: now, or when recording is enabled, since
    /// the launch could not be recorded before.
    package mutating func eraseAll(at moment: Moment) {
        guard lifecycle.visibility != .ended, log.store.isOpen else { return }
        changeState { recorder in
            recorder.eraseState(at: moment)
            recorder.dropHeldEvents(as: .purged)
            recorder.completeWithdrawal(ofAllQueues: true, as: .purged)
        }
        if isEnabled { relaunch(at: moment) }
    }

    /// Replaces the stored state by that of a new installation which lists all run folders for removal.
    private mutating func eraseState(at moment: Moment) {
        let uniqueID = configuration.uniqueID
        var fresh = StoredState.fresh(device: device, uniqueID: uniqueID, ids: composer.ids, at: moment.wall)
        fresh.consent = admission.erase(lifecycle.stored, profile: fresh.users.current)
        // Later profiles are in a file with another number: that of before is removed, at the latest by the next launch.
        fresh.users.position.file = log.store.state?.users.position.file ?? 0
        log.store.state = fresh
        for warning in log.store.beginWithdrawal(ofUsers: true) { notices.append(.warning(warning)) }
        do {
            // Twice: the predecessor file must not contain the former identity.
            try log.store.saveState(twice: true)
        } catch {
            notices.append(.warning("\(error)"))
        }
        newUsers = [fresh.users.current.uniqueID]
        composer.context.user = fresh.users.current
        composer.context.deviceID = device.deviceID ?? fresh.deviceID
        composer.context.isPersonalized = admission.isPersonalized
        composer.context.globals = GlobalAttributes()
        crashDraft.forget()
    }

    /// Launches the app on its emptied store.
    mutating func relaunch(at moment: Moment) {
        var next: EventStore
        do {
            next = try log.store.reopened()
        } catch {
            notices.append(.warning("The session continues with a new identity: \(error)"))
            return
        }
        let visibility = lifecycle.visibility
        log.store.retire(to: &next)
        let carried = Carried(
            visibility: visibility,
            globals: GlobalAttributes(),
            newGlobals: configuration.globalAttributes,
            notices: takeNotices(),
            observer: observer,
            isOnline: isOnline,
            reading: reading,
            zone: composer.context.zone,
            newUsers: newUsers
        )
        self = Recorder(
            configuration: configuration,
            device: device,
            ids: composer.ids,
            store: next,
            launches: true,
            observesLines: log.observesLines,
            carrying: carried,
            crashes: crashDraft.end(),
            at: moment
        )
    }
}
