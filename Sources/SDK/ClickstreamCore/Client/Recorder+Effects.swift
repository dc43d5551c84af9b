extension Recorder {
    // MARK: Lifecycle

    /// Performs the effects of a lifecycle input, in order.
    mutating func perform(_ effects: [Lifecycle.Effect], at moment: Moment) {
        for effect in effects {
            switch effect {
            case .decideSession:
                changeState { recorder in
                    let next = recorder.lifecycle.decideSession(
                        lastNumber: recorder.log.store.lastNumber,
                        timeout: recorder.configuration.sessionTimeout,
                        uniqueID: recorder.user.uniqueID,
                        at: moment
                    )
                    recorder.perform(next, at: moment)
                }
            case .report(let decision): report(decision)
            case .enter(let session): composer.context.session = session
            case .show(let screen): composer.context.screen = screen
            case .becomeActive(let isActive): composer.context.isActive = isActive
            case .save(let events, let lastView): saveState(owing: events, viewBefore: lastView)
            case .saveIfFailing: if log.isFailing { saveState() }
            case .emit(let draft): record(lifecycleEvent: draft, at: moment)
            case .view(let view, let own, let items):
                perform(lifecycle.view(view, own: own, items: items, at: moment), at: moment)
            }
        }
    }

    mutating func report(_ decision: SessionMachine.Decision) {
        let number = lifecycle.session.number
        notices.append(.sessionDecided(number: number, isNew: decision.isNew, reason: decision.reason))
    }

    // MARK: Events

    /// Records an event of the lifecycle, and reports it to the observer.
    mutating func record(lifecycleEvent draft: EventDraft, at moment: Moment) {
        emit(draft, at: moment)
        if let observer { observer.didRecord(draft, &self, at: moment) }
    }

    /// Records an event.
    /// - Parameters:
    ///   - found: violations found before the rules are applied.
    ///   - now: the time of the call, if it differs from the event's.
    mutating func emit(_ draft: EventDraft, found: [Violation] = [], at moment: Moment, now: Moment? = nil) {
        let composed = composer.compose(draft, found: found, into: &log.line, at: moment)
        append(
            composed.event.name,
            composed.event.id,
            isActive: composer.context.isActive,
            at: moment.wall,
            violations: composed.violations
        )
        warn(of: composer.suggestions(for: composed))
        noteActivity(at: now ?? moment)
    }

    /// Reports a violation, and records `_clickstream_error` with its code and reason.
    mutating func reject(_ violation: Violation, at moment: Moment) {
        notices.append(.rejected([violation]))
        let preset: Attributes = [
            AttributeName.errorCode: violation.code.rawValue,
            AttributeName.errorMessage: violation.message,
        ]
        emit(EventDraft(EventName.clickstreamError, preset: preset), at: moment)
    }

    mutating func warn(of suggestions: [Violation]) {
        for suggestion in suggestions {
            notices.append(.warning("suggestion \(suggestion.code): \(suggestion.message)"))
        }
    }

    /// Stores the event in the log's line.
    mutating func append(
        _ name: String,
        _ id: UniqueID,
        isActive: Bool,
        at timestamp: Timestamp,
        violations: [Violation]
    ) {
        guard admission.isOpen else {
            hold(HeldEvents.Event(name, id, log.line.json, isActive, timestamp, violations))
            return
        }
        if log.store.isStateUnsaved { saveState(isRepeated: true) }
        let failure = log.append(isActive: isActive, at: timestamp)
        if log.store.hasNotices { followStore() }
        log.report(
            name,
            id,
            violations: violations,
            failure: failure,
            logsEvents: settings.configuration.logsEvents,
            isOutside: lifecycle.visibility == .outside,
            into: &notices
        )
    }

    /// An event that was stored in the foreground is the app's last activity.
    @inline(__always)
    mutating func noteActivity(at moment: Moment) {
        guard composer.context.isActive, !log.isFailing else { return }
        lifecycle.wasActive(at: moment)
        if log.hidesActivity(at: moment.wall) { saveState() }
    }

    // MARK: State

    /// Runs `body` with the lock of the state that all processes share, after taking over their changes. Can be nested.
    @discardableResult
    mutating func changeState<Result>(_ body: (inout Recorder) -> Result) -> Result {
        withState { recorder, findings in
            recorder.notices += findings
            recorder.takeSharedUser()
            recorder.takeSharedConsent()
            return body(&recorder)
        }
    }

    /// Takes over the current user of the state, whose lock is held.
    private mutating func takeSharedUser() {
        guard let shared = log.store.state?.users.current, shared != user else { return }
        composer.context.user = shared
    }

    /// Saves this process's session; see ``EventLog/save(_:owing:versions:viewBefore:isRepeated:warnings:)``.
    mutating func saveState(
        owing events: [String] = [],
        versions: LaunchMachine.Versions? = nil,
        viewBefore: Timestamp? = nil,
        isRepeated: Bool = false
    ) {
        let debt = HeldEvents.Debt(events: events, versions: versions, viewBefore: viewBefore)
        changeState { $0.save(debt, isRepeated: isRepeated) }
    }

    /// Saves this process's session; to be called with the lock of the shared state.
    mutating func save(_ new: HeldEvents.Debt, isRepeated: Bool = false) {
        let debt = admission.owe(new)
        let hasMoved = log.save(
            admission.stored(lifecycle.stored),
            lastView: lifecycle.lastView,
            owing: debt.events,
            versions: debt.versions,
            viewBefore: debt.viewBefore,
            isRepeated: isRepeated,
            warnings: &notices
        )
        if hasMoved { followStore() }
    }

    /// Saves session and identity in the store's new place, memory or disk.
    mutating func followStore() {
        notices += log.store.takeOpeningNotices()
        if device.deviceID == nil, let stored = log.store.state?.deviceID, stored != composer.context.deviceID {
            composer.context.deviceID = stored
        }
        saveState(isRepeated: true)
        crashDraft.move()
    }

    // MARK: Crashes

    var recordsCrashes: Bool { isRecording && admission.isOpen && settings.configuration.tracksExceptions }

    /// Replaces the draft for a crash after a change of the context or the settings.
    @inline(never)
    mutating func keepCrashDraft(_ revision: Int) {
        let warning = crashDraft.keep(
            revision: revision,
            for: log.store.isInMemory ? .none : recordsCrashes ? .record : .clear,
            path: { () throws(FileError) in try log.store.newTraces() },
            draft: { composer.crashDraft(isVisible: lifecycle.visibility.isVisible) }
        )
        if let warning { notices.append(warning) }
    }
}

extension Recorder: StoreOwner {
    package var store: EventStore {
        _read { yield log.store }
        _modify { yield &log.store }
    }
}
