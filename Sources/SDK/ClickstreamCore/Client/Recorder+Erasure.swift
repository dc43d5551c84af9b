/// Removal of everything that is stored about a person.
extension Recorder {
    /// Removes identity, events and state, and launches the app as a new installation: now, or when recording is enabled, since
    /// the launch could not be recorded before.
    package mutating func eraseAll(at moment: Moment) {
        guard access.lifecycle.visibility != .ended, access.log.store.isOpen else { return }
        changeState { recorder in
            recorder.eraseState(at: moment)
            recorder.access.dropHeldEvents(as: .purged)
            recorder.access.completeWithdrawal(ofAllQueues: true, as: .purged)
        }
        if access.isEnabled { relaunch(at: moment) }
    }

    /// Replaces the stored state by that of a new installation which lists all run folders for removal.
    private mutating func eraseState(at moment: Moment) {
        let uniqueID = configuration.uniqueID
        var fresh = StoredState.fresh(device: device, uniqueID: uniqueID, ids: access.composer.ids, at: moment.wall)
        fresh.consent = access.admission.erase(access.lifecycle.stored, profile: fresh.users.current)
        // Later profiles are in a file with another number: that of before is removed, at the latest by the next launch.
        fresh.users.position.file = access.log.store.state?.users.position.file ?? 0
        access.log.store.state = fresh
        for warning in access.log.store.beginWithdrawal(ofUsers: true) { access.notices.append(.warning(warning)) }
        do {
            // Twice: the predecessor file must not contain the former identity.
            try access.log.store.saveState(twice: true)
        } catch {
            access.notices.append(.warning("\(error)"))
        }
        newUsers = [fresh.users.current.uniqueID]
        access.composer.context.user = fresh.users.current
        access.composer.context.deviceID = device.deviceID ?? fresh.deviceID
        access.composer.context.isPersonalized = access.admission.isPersonalized
        access.composer.context.globals = GlobalAttributes()
        access.crashDraft.forget()
    }

    /// Launches the app on its emptied store.
    mutating func relaunch(at moment: Moment) {
        var next: EventStore
        do {
            next = try access.log.store.reopened()
        } catch {
            access.notices.append(.warning("The session continues with a new identity: \(error)"))
            return
        }
        let visibility = access.lifecycle.visibility
        access.log.store.retire(to: &next)
        let carried = Carried(
            visibility: visibility,
            globals: GlobalAttributes(),
            newGlobals: configuration.globalAttributes,
            notices: access.takeNotices(),
            observer: access.observer,
            isOnline: access.isOnline,
            reading: reading,
            zone: access.composer.context.zone,
            newUsers: newUsers
        )
        self = Recorder(
            configuration: configuration,
            device: device,
            ids: access.composer.ids,
            store: next,
            launches: true,
            observesLines: access.log.observesLines,
            carrying: carried,
            crashes: access.crashDraft.end(),
            at: moment
        )
    }
}
