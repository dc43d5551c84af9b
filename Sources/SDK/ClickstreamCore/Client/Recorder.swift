/// Owner of all mutable state of one client: passes each input to the machine that decides, and performs the effects.
///
/// Without a clock: every input has its time. ``SharedRecorder`` holds the recorder behind a lock and ends each use with
/// ``RecorderAccess/finish()``. Under that lock: change, encode, append; never call out, wait or send.
package struct Recorder: ~Copyable {
    package var access: RecorderAccess
    /// Unique ids of the users whose first touch was in this process.
    var newUsers: Set<String> = []
    /// The last reading of the device; see ``ClickstreamClient/Device/refresh(with:since:)``.
    var reading: ClickstreamClient.Device

    package var configuration: ClickstreamClient.Configuration { access.configuration }
    package var device: ClickstreamClient.Device { access.device }
    @inline(__always)
    var isRecording: Bool { access.isRecording }

    // MARK: Lifecycle

    /// The app became visible.
    package mutating func foreground(at moment: Moment) {
        access.admission.resume(at: moment)
        access.perform(access.lifecycle.foreground(isEnabled: access.admission.isAdmitting, at: moment), at: moment)
        if let observer = access.observer { observer.didAppear(&access, at: moment) }
    }

    /// True if ``foreground(at:)`` has an effect.
    package var canAppear: Bool {
        var visibility = access.lifecycle.visibility
        return visibility.receive(.foreground) != .nothing
    }

    /// The app became invisible.
    package mutating func background(at moment: Moment) {
        if let observer = access.observer { observer.willLeave(&access, at: moment) }
        let tracksEngagement = configuration.tracksUserEngagement
        if access.lifecycle.visibility.isVisible { access.admission.depart(at: moment) }
        access.perform(
            access.lifecycle.background(
                isEnabled: access.admission.isAdmitting,
                tracksEngagement: tracksEngagement,
                at: moment
            ),
            at: moment
        )
        if access.lifecycle.visibility == .background { access.admission.pause(at: moment) }
    }

    /// Graceful end of the client: its events are recorded, and the store is closed. Later events are refused and counted.
    package mutating func terminate(at moment: Moment) {
        endApp(at: moment)
        prepareForEnd()
        access.log.store.close()
    }

    /// Records the end of the app. The store stays open.
    mutating func endApp(at moment: Moment) {
        if let observer = access.observer { observer.willLeave(&access, at: moment) }
        let tracksEngagement = configuration.tracksUserEngagement
        if access.lifecycle.visibility.isVisible { access.admission.depart(at: moment) }
        access.perform(
            access.lifecycle.terminate(
                isEnabled: access.admission.isAdmitting,
                tracksEngagement: tracksEngagement,
                at: moment
            ),
            at: moment
        )
        access.dropHeldEvents()
    }

    /// Graceful end of the process while other threads still run: its events are recorded. The store stays open, so that
    /// later events are stored too.
    package mutating func settle(at moment: Moment) {
        guard access.log.store.isOpen else { return access.report(access.log.store.saveEachLateCall()) }
        background(at: moment)
        access.dropHeldEvents()
        prepareForEnd()
        access.log.store.settle()
    }

    /// Moves events from memory to the disk if possible, and ends the watch for crashes.
    private mutating func prepareForEnd() {
        if access.log.store.isOpen {
            access.log.store.leaveMemory()
            if access.log.store.hasNotices { access.followStore() }
        }
        access.crashDraft.end()
    }

    /// The process ends without a further call or flush.
    package mutating func kill() {
        access.lifecycle.vanish()
        access.crashDraft.end()
        access.log.store.close(countsLateCalls: false)
    }

    /// An uncaught failure: stores the event that the next launch records, and ends the process.
    package mutating func crash(message: String, stack: String, at moment: Moment) {
        if access.recordsCrashes, access.log.store.isOpen {
            let isVisible = access.lifecycle.visibility.isVisible
            access.composer.context.followZone(at: moment.wall)
            let report = access.composer.crashReport(
                message: message,
                stack: stack,
                breadcrumbs: access.crashDraft.breadcrumbs.text,
                isVisible: isVisible,
                at: moment
            )
            do {
                try access.log.store.current.crashFiles.write(report)
            } catch {
                access.warn(.crashFileFailed, "\(error)")
            }
        }
        kill()
    }

    /// Keeps a message that the next crash is recorded with.
    package mutating func leaveBreadcrumb(_ message: String, at moment: Moment) {
        guard isRecording, let warning = access.crashDraft.leave(message, at: moment.wall) else { return }
        access.notices.append(warning)
    }

    // MARK: Events

    /// Records an event of the caller's.
    /// - Parameter found: violations found while the event was encoded.
    package mutating func record(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        found: [Violation] = [],
        at moment: Moment
    ) {
        if let refusal = access.refusal { return access.log.store.count(refusal) }
        var draft = EventDraft(name, own: attributes, items: items, isCallers: true)
        let verdict = access.admission.admit(
            name,
            on: access.composer.context.deviceID,
            at: moment,
            adding: &draft.preset
        )
        if case .drop(let outcome) = verdict { return access.log.store.count(outcome) }
        let isOutside = access.lifecycle.visibility == .outside
        if isOutside {
            let timeout = configuration.sessionTimeout.wholeMilliseconds
            access.perform(access.lifecycle.resumeOutside(timeout: timeout, at: moment), at: moment)
        }
        if name == EventName.screenView {
            for violation in found { access.reject(violation, at: moment) }
            recordScreenView(attributes, items, at: moment)
            if isOutside { access.perform(access.lifecycle.forgetScreen(), at: moment) }
            return
        }
        if let violation = Validator.checkEventName(name) {
            access.log.store.countRejected(violation.code)
            return access.reject(violation, at: moment)
        }
        access.emit(draft, found: found, at: moment)
    }

    /// Records a screen view of the caller's: the screen in its attributes becomes the current one.
    private mutating func recordScreenView(_ attributes: Attributes, _ items: [Attributes], at moment: Moment) {
        let given = attributes[AttributeName.screenName]
        if let violation = Validator.checkScreenName(given) {
            access.log.store.countRejected(violation.code)
            return access.reject(violation, at: moment)
        }
        guard case .string(let name) = given else { return }
        var own = attributes
        let screen = Screen.remove(named: name, from: &own)
        access.show(screen, own: own, items: items, at: moment)
    }

    /// Records an event of the caller's without items: as ``record(_:_:_:at:)``, with the same bytes, on the fast path if the
    /// rules have no finding.
    /// - Parameter attempt: result of encoding its attributes before the lock was taken.
    @inline(__always)
    mutating func record(_ name: String, _ attributes: Attributes, _ attempt: FastPathEvent.Attempt, at moment: Moment)
    {
        switch attempt {
        case .made(let event):
            if !record(event, name, attributes, at: moment) { record(name, attributes, [], at: moment) }
        case .tooLong:
            let memory = access.log.spare.bytes
            guard case .made(let event) = FastPathEvent.make(name, attributes, in: memory),
                record(event, name, attributes, at: moment)
            else { return record(name, attributes, [], at: moment) }
        case .unusual:
            record(name, attributes, [], at: moment)
        }
    }

    /// - Returns: false if the fast path is not possible.
    @inline(__always)
    private mutating func record(
        _ event: FastPathEvent,
        _ name: String,
        _ attributes: Attributes,
        at moment: Moment
    ) -> Bool {
        let visibility = access.lifecycle.visibility
        let count = access.composer.count(of: attributes)
        guard visibility != .ended, visibility != .outside, access.admission.isUsual(name),
            let id = access.composer.compose(event, attributes, count: count, into: &access.log.line, at: moment)
        else { return false }
        access.append(name, id, isActive: access.composer.context.isActive, at: moment.wall, violations: [])
        if count > Rules.attributes.usualCount {
            access.warn(of: access.composer.suggestions(forCount: count, of: name))
        }
        access.noteActivity(at: moment)
        return true
    }

    /// Records an event as if that user were logged in; the current user stays.
    package mutating func record(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        as userID: String?,
        at moment: Moment
    ) {
        guard let userID else { return record(name, attributes, items, at: moment) }
        if let violation = Validator.checkUserID(userID) {
            if let refusal = access.refusal { return access.log.store.count(refusal) }
            access.log.store.countRejected(violation.code)
            return access.reject(violation, at: moment)
        }
        access.composer.context.actingUser = access.log.store.state?.users.taken(for: userID, at: moment.wall)
        record(name, attributes, items, at: moment)
        access.composer.context.actingUser = nil
    }

    /// Counts the outcome of middleware for one event.
    mutating func count(_ outcome: MiddlewareOutcome) {
        guard let refusal = access.refusal else { return access.log.store.count(outcome) }
        if outcome.droppedBy != nil { access.log.store.count(refusal) }
    }

    /// Starts or restarts the timing of the next event of that name.
    package mutating func startTiming(_ name: String, at moment: Moment) {
        guard access.lifecycle.visibility != .ended else { return }
        if !access.admission.startTiming(name, at: moment) {
            access.warn(.inputIgnored, "\"\(name.prefix(50))\" is not timed: \(Timings.maxCount) timings are running.")
        }
    }

    /// Ends a timing without an event.
    package mutating func cancelTiming(_ name: String) {
        access.admission.cancelTiming(name)
    }

    // MARK: Attributes of every event

    package mutating func setGlobals(_ attributes: Attributes, at moment: Moment) {
        let (accepted, refused) = access.composer.check(globals: attributes)
        if isRecording {
            for violation in refused { access.reject(violation, at: moment) }
        }
        access.composer.context.globals.merge(accepted)
        access.warn(of: access.composer.suggestions(forGlobals: accepted))
    }

    package mutating func deleteGlobalAttributes(_ names: [String]) {
        access.composer.context.globals.remove(names)
    }

    // MARK: Device

    /// Changes the device properties of later events, except those that the configuration sets.
    package mutating func update(_ changed: ClickstreamClient.Device) {
        let changed = changed.with(configuration.device)
        guard changed != device else { return }
        if changed.zoneOffset != device.zoneOffset { access.composer.context.zone = .fixed }
        access.composer.context.take(changed)
    }

    /// Takes over a new reading of the device, except the properties that the app or the configuration sets. The zone is
    /// read with the next event.
    package mutating func refresh(_ new: ClickstreamClient.Device) {
        var changed = device
        changed.refresh(with: new, since: &reading)
        changed = changed.with(configuration.device)
        if changed != device { access.composer.context.take(changed) }
        access.composer.context.zone.discardReading()
    }

    // MARK: User

    package mutating func addUserAttributes(_ attributes: Attributes, at moment: Moment) {
        guard access.lifecycle.visibility != .ended else { return }
        var violations: [Violation] = []
        let accepted = Validator.checkUserAttributes(
            attributes,
            existingNames: access.user.attributes.lazy.map(\.name),
            into: &violations
        )
        if isRecording {
            for violation in violations { access.reject(violation, at: moment) }
        }
        access.changeState { access in
            access.log.store.state?.users.set(accepted, at: moment.wall)
            let count = access.log.store.state?.users.current.attributes.count ?? 0
            access.warn(of: access.composer.suggestions(forUser: accepted, count: count))
            if accepted[AttributeName.userID] != nil {
                let message = "The user attribute \"_user_id\" is not sent: setUserId says who is logged in."
                access.warn(.inputIgnored, message)
            }
            access.saveState()
        }
        if isRecording { access.emit(EventDraft(EventName.profileSet), at: moment) }
    }

    package mutating func setUserID(_ id: String?, at moment: Moment) {
        guard access.lifecycle.visibility != .ended else { return }
        if let id, let violation = Validator.checkUserID(id) {
            if isRecording { access.reject(violation, at: moment) }
            return
        }
        let ids = access.composer.ids
        var newID: String?
        let isChanged = access.changeState { access in
            let outcome = access.log.store.state?.users.logIn(id, at: moment.wall) {
                let id = ids.next().description
                newID = id
                return id
            }
            guard outcome == .profile else { return false }
            access.saveState()
            return true
        }
        if isChanged, let newID { newUsers.insert(newID) }
        if isChanged, isRecording { access.emit(EventDraft(EventName.profileSet), at: moment) }
    }

    // MARK: Switch

    package mutating func disable() {
        access.admission.disable(profile: access.user)
    }

    package mutating func enable(at moment: Moment) {
        switch access.admission.enable(profile: access.user) {
        case .none:
            break
        case .relaunch:
            if access.lifecycle.visibility != .ended { relaunch(at: moment) }
        case .resume(let isProfileChanged):
            if access.settings.namesAnotherApp, isRecording, launchAnotherApp(from: configuration, at: moment) {
                return
            }
            access.lifecycle.enable(at: moment)
            if isProfileChanged, isRecording { access.emit(EventDraft(EventName.profileSet), at: moment) }
        }
    }
}
