extension Recorder {
    /// State that another app of the same process passes to the next when the app id changes.
    package struct Carried {
        var visibility: Visibility
        var globals: GlobalAttributes
        /// Global attributes that were configured with the app id.
        var newGlobals: Attributes
        var notices: [Notice]
        var observer: (any RecorderObserver)?
        var isOnline: Bool
        /// The last reading of the device.
        var reading: ClickstreamClient.Device
        var zone: LocalZone
        /// See ``Recorder/newUsers``.
        var newUsers: Set<String>
        /// See ``ClientSettings/revision``.
        var revision: Int
    }

    /// Reads the state that earlier processes left, and records the events of the launch.
    /// - Parameters:
    ///   - device: a reading of the device.
    ///   - zone: the zone whose offset events have, unless the configuration sets one.
    ///   - launches: true for a launch of the app; false for a tool that opens the store from outside.
    ///   - records: true if such a tool records events, in the stored session or the next, without lifecycle events.
    ///   - observesLines: true if notices contain the lines of recorded events.
    ///   - carried: state of the app that the process recorded before.
    ///   - crashes: capture of crashes of this process, and reader of earlier ones.
    package init(
        configuration: ClickstreamClient.Configuration,
        device: ClickstreamClient.Device,
        zone: LocalZone = .fixed,
        ids: any IDSource,
        store opened: consuming EventStore,
        launches: Bool,
        records: Bool = false,
        observesLines: Bool,
        carrying carried: Carried? = nil,
        crashes: (any CrashCapture)?,
        at moment: Moment
    ) {
        reading = carried?.reading ?? device
        let device = device.with(configuration.device)
        var store = opened
        let gate = ConsentGate(configuration.consent, store.state?.consent ?? Consent())
        var notices = (carried?.notices ?? []) + store.takeOpeningNotices()
        let reports = launches && gate.analytics == .open ? store.crashes(crashes, notices: &notices) : []
        let settings = ClientSettings(configuration, revision: carried?.revision ?? 0, warnings: &notices)
        let (state, isNewUser) = store.beginState(configuration, device, ids: ids, at: moment.wall)
        let (ended, past) = PastSessions.found(in: store, state, crashes: reports, records: records)
        let (lifecycle, decision) = Lifecycle.begin(
            after: past,
            visibility: carried?.visibility ?? (launches ? .launched : records ? .outside : .ended),
            timeout: configuration.sessionTimeout.wholeMilliseconds,
            uniqueID: state.users.current.uniqueID,
            at: moment
        )
        let context = EventContext(
            appID: configuration.appID,
            device: device,
            zone: configuration.device.zoneOffset == nil ? carried?.zone ?? zone : .fixed,
            deviceID: device.deviceID ?? state.deviceID,
            user: state.users.current,
            sendsUserAttributes: configuration.sendsUserAttributesInEveryEvent,
            allowedPurposes: gate.allowed,
            session: lifecycle.session,
            globals: carried?.globals ?? GlobalAttributes(),
            isActive: lifecycle.visibility.isActive
        )
        newUsers = isNewUser ? [state.users.current.uniqueID] : carried?.newUsers ?? []
        access = RecorderAccess(
            settings: settings,
            lifecycle: lifecycle,
            composer: EventComposer(ids: ids, context: context),
            log: EventLog(store, observesLines: observesLines),
            admission: Admission(gate, configuration.sampling, lifecycle.stored, profile: context.user),
            crashDraft: CrashDraftFile(launches ? crashes : nil),
            notices: notices,
            observer: carried?.observer,
            isOnline: carried?.isOnline ?? true
        )
        if launches {
            launch(decision, after: past, ended, reports, globals: carried?.newGlobals, at: moment)
        } else if records {
            join(decision, at: moment)
        }
    }

    /// Records the events of a launch, and of earlier processes that ended before they recorded them.
    /// - Parameter globals: attributes of every event in place of the configuration's.
    private mutating func launch(
        _ decision: SessionMachine.Decision,
        after past: Lifecycle.Past,
        _ ended: PastSessions,
        _ reports: [StoredCrash],
        globals: Attributes?,
        at moment: Moment
    ) {
        let globals = globals ?? configuration.globalAttributes
        let refused = access.changeState { access in
            access.identifyUser(at: moment)
            access.report(decision)
            for session in ended.lackingStart(exceptRun: decision.isNew ? nil : ended.latest?.run) {
                access.recordStart(of: session, at: moment)
            }
            let events = access.lifecycle.launch(
                LaunchMachine.Versions(app: access.device.app.version, system: access.device.osVersion),
                startsSession: decision.isNew || past.owesStart,
                at: moment
            )
            // First: a process that ends in between neither reuses a number nor opens for the first time again.
            let living = access.log.store.current.otherSessions.living
            access.log.store.state?.sessions = living
            access.log.store.state?.versions = access.lifecycle.versions
            let owed = reports.map { _ in EventName.appException } + events.map(\.name)
            access.saveState(owing: owed, versions: past.versions)
            for report in reports { access.record(report) }
            let (accepted, refused) = access.composer.check(globals: globals)
            access.composer.context.globals.merge(accepted)
            access.warn(of: access.composer.suggestions(forGlobals: accepted))
            for event in events { access.record(lifecycleEvent: event, at: moment) }
            // Events that the disk refused are reported already, and not owed to the next launch.
            if access.log.isFailing { access.saveState() }
            return refused
        }
        for violation in refused { access.reject(violation, at: moment) }
    }

    /// Begins to record from outside the app. The next launch compares versions as if this had not happened.
    private mutating func join(_ decision: SessionMachine.Decision, at moment: Moment) {
        access.changeState { access in
            if access.identifyUser(at: moment) { access.saveState() }
            let effects = access.lifecycle.join(
                decision,
                lastNumber: access.log.store.lastNumber,
                timeout: access.configuration.sessionTimeout.wholeMilliseconds,
                uniqueID: access.user.uniqueID,
                at: moment
            )
            access.perform(effects, at: moment)
            let (accepted, refused) = access.composer.check(globals: access.configuration.globalAttributes)
            access.composer.context.globals.merge(accepted)
            if !refused.isEmpty { access.notices.append(.rejected(refused)) }
        }
    }

    // MARK: Another app

    /// Ends the app so far, as by ``terminate(at:)``, and launches the configured one in a store of its own. Visibility and
    /// global attributes are kept.
    /// - Returns: false if the other app's store cannot be opened: the app id is reverted with a warning, and all else is
    ///   unchanged.
    mutating func launchAnotherApp(from before: ClickstreamClient.Configuration, at moment: Moment) -> Bool {
        let now = configuration
        var next: EventStore
        do {
            next = try access.log.store.opened(for: Destination(now), limits: QueueLimits(now))
        } catch {
            keepApp(because: error)
            return false
        }
        let visibility = access.lifecycle.visibility
        access.settings.restore(before)
        endApp(at: moment)
        access.log.store.retire(to: &next)
        let carried = Carried(
            visibility: visibility,
            globals: access.composer.context.globals,
            newGlobals: now.newGlobals(since: before),
            notices: access.takeNotices(),
            observer: access.observer,
            isOnline: access.isOnline,
            reading: reading,
            zone: access.composer.context.zone,
            newUsers: [],
            revision: access.settings.revision
        )
        self = Recorder(
            configuration: now,
            device: device,
            ids: access.composer.ids,
            store: next,
            launches: true,
            observesLines: access.log.observesLines,
            carrying: carried,
            crashes: access.crashDraft.end(),
            at: moment
        )
        return true
    }

    /// Takes the app id back, since the store of the configured app cannot be opened.
    mutating func keepApp(because error: StoreError) {
        access.settings.restoreApp()
        access.warn(.settingNotChanged, "The app id stays \"\(access.settings.appID)\": \(error)")
    }
}

extension EventStore {
    /// Returns the stored state, in which the anonymous user has the configured unique id. Adds a fresh state to a store
    /// without one.
    /// - Returns: the state, and true if its current user is new.
    fileprivate mutating func beginState(
        _ configuration: ClickstreamClient.Configuration,
        _ device: ClickstreamClient.Device,
        ids: any IDSource,
        at now: Timestamp
    ) -> (state: StoredState, isNewUser: Bool) {
        let uniqueID = configuration.usableUniqueID
        guard var known = state else {
            let fresh = StoredState.fresh(device: device, uniqueID: uniqueID, ids: ids, at: now)
            state = fresh
            return (fresh, true)
        }
        let isNewUser = uniqueID.map { known.users.identify(as: $0, at: now) } ?? false
        return (known, isNewUser)
    }

    /// Returns the crashes that the launch records, oldest first.
    fileprivate func crashes(_ capture: (any CrashCapture)?, notices: inout [Notice]) -> [StoredCrash] {
        current.crashFiles.crashes(capture, except: WithdrawalList(entries: state?.withdrawn ?? []), notices: &notices)
    }
}

extension PastSessions {
    /// The sessions of earlier processes, and the state that they left.
    ///
    /// A process that starts beside another has a session of its own; a tool that records continues the stored one.
    fileprivate static func found(
        in store: borrowing EventStore,
        _ state: StoredState,
        crashes: [StoredCrash],
        records: Bool
    ) -> (ended: PastSessions, past: Lifecycle.Past) {
        let others = store.current.otherSessions
        let ended = PastSessions(others.past, crashes: crashes, mayContinue: others.isAlone || records)
        return (ended, ended.past(state, lastNumber: store.lastNumber, isAlone: others.isAlone))
    }
}

extension StoredState {
    /// The state of a store without one: a new device and an anonymous user, with the configured ids or random ones.
    static func fresh(
        device: ClickstreamClient.Device,
        uniqueID: String?,
        ids: any IDSource,
        at now: Timestamp
    ) -> StoredState {
        StoredState(
            deviceID: device.deviceID ?? ids.next().description,
            users: KnownUsers(current: User(uniqueID: uniqueID ?? ids.next().description, firstTouch: now))
        )
    }
}

extension Visibility {
    /// True if an event that is recorded now counts as activity of the app.
    fileprivate var isActive: Bool { isVisible || self == .outside }
}

/// Parts of a launch.
extension RecorderAccess {
    /// Records `_session_start` of a session that ended before its process did. The state contains that session until this
    /// launch has saved its own: a launch that ends before records the event again, with the same id.
    fileprivate mutating func recordStart(of session: SessionMachine.Stored, at moment: Moment) {
        let id = composer.compose(startOf: session, into: &log.line, at: moment)
        append(EventName.sessionStart, id, isActive: false, at: session.start, violations: [])
    }

    /// Records the crash of an earlier process. The report is removed once its event is stored; until then each launch
    /// records it again, with the same id.
    fileprivate mutating func record(_ crash: StoredCrash) {
        let report = crash.report
        log.line = EventLine(json: report.line[...])
        append(
            EventName.appException,
            report.id,
            isActive: report.movesLastActive,
            at: report.timestamp,
            violations: []
        )
        guard !log.isFailing, !log.store.isInMemory else { return }
        do {
            try log.store.current.crashFiles.remove(crash)
        } catch {
            warn(.crashFileFailed, "\(error)")
        }
    }

    /// Gives the anonymous user the configured unique id in the shared state, whose lock is held: another process may have
    /// saved its users since this one read them.
    /// - Returns: true if the state has changed.
    @discardableResult
    fileprivate mutating func identifyUser(at moment: Moment) -> Bool {
        guard let uniqueID = configuration.uniqueID else { return false }
        log.store.state?.users.identify(as: uniqueID, at: moment.wall)
        guard let identified = log.store.state?.users.current, identified != user else { return false }
        composer.context.user = identified
        return true
    }
}
