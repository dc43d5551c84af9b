/// Removal of everything that is stored about a person.
extension Recorder {
    /// Removes identity, events and state, and launches the app as a new installation: now, or when recording is enabled, since
    /// the launch could not be recorded before.
    package mutating func eraseAll(at moment: Moment) {
        guard access.lifecycle.visibility != .ended, access.log.store.isOpen else { return }
        access.changeState { access in
            access.eraseState(at: moment)
            access.dropHeldEvents(as: .purged)
            access.completeWithdrawal(ofAllQueues: true, for: .purge)
        }
        newUsers = [access.user.uniqueID]
        if access.isEnabled { relaunch(at: moment) }
    }

    /// Launches the app on its emptied store; in a store of its own, another one that was configured meanwhile. Without the consent
    /// to record, which an erasure does not give, the other one is not launched yet.
    mutating func relaunch(at moment: Moment) {
        let isOtherApp = access.settings.namesAnotherApp && isRecording
        let configured = configuration
        var launched = configured
        if !isOtherApp { launched.appID = access.settings.appID }
        var next: EventStore
        do {
            if isOtherApp {
                next = try access.log.store.opened(for: Destination(launched), limits: QueueLimits(launched))
            } else {
                next = try access.log.store.reopened()
            }
        } catch {
            if isOtherApp {
                keepApp(because: error)
                return relaunch(at: moment)
            }
            access.warn(.sessionNotRestarted, "The session continues with a new identity: \(error)")
            return
        }
        let visibility = access.lifecycle.visibility
        access.log.store.retire(to: &next)
        let carried = Carried(
            visibility: visibility,
            globals: GlobalAttributes(),
            newGlobals: launched.globalAttributes,
            notices: access.takeNotices(),
            observer: access.observer,
            isOnline: access.isOnline,
            reading: reading,
            zone: access.composer.context.zone,
            newUsers: isOtherApp ? [] : newUsers,
            revision: access.settings.revision
        )
        self = Recorder(
            configuration: launched,
            device: device,
            ids: access.composer.ids,
            store: next,
            launches: true,
            observesLines: access.log.observesLines,
            carrying: carried,
            crashes: access.crashDraft.end(),
            at: moment
        )
        if configured.appID != launched.appID { configure(configured, at: moment) }
    }
}

extension RecorderAccess {
    /// Replaces the stored state by that of a new installation which lists all run folders for removal.
    fileprivate mutating func eraseState(at moment: Moment) {
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
            warn(.stateNotSaved, "\(error)")
        }
        composer.context.user = fresh.users.current
        composer.context.deviceID = device.deviceID ?? fresh.deviceID
        composer.context.allowedPurposes = admission.allowedPurposes
        composer.context.globals = GlobalAttributes()
        crashDraft.forget()
    }
}
