/// Owner of all mutable state of one client: passes each input to the machine that decides, and performs the effects.
///
/// Without a clock: every input has its time. ``SharedRecorder`` holds the recorder behind a lock and ends each use with
/// ``finish()``. Under that lock: change, encode, append; never call out, wait or send.
package struct Recorder: ~Copyable {
    var settings: ClientSettings
    var lifecycle: Lifecycle
    var composer: EventComposer
    var log: EventLog
    /// Unique ids of the users whose first touch was in this process.
    var newUsers: Set<String> = []
    var crashDraft: CrashDraftFile
    /// Notices that have not been taken by ``finish()``.
    var notices: [Notice]
    var observer: (any RecorderObserver)?
    var admission: Admission
    /// The last reading of the device; see ``Device/refresh(with:since:)``.
    var reading: Device
    /// False while the device is offline, as reported by the platform's adapter.
    package var isOnline = true

    package var configuration: Configuration { settings.configuration }
    package var device: Device { composer.context.device }
    package var isEnabled: Bool { admission.isEnabled }
    /// False if events are dropped; see ``refusal``.
    @inline(__always)
    var isRecording: Bool { lifecycle.visibility != .ended && admission.isAdmitting }
    /// The outcome of events that are dropped because recording is disabled, closed by consent, or has ended; `nil` if they are
    /// not.
    var refusal: Ledger.Outcome? { lifecycle.visibility == .ended ? .disabled : admission.refusal }

    // MARK: Lifecycle

    /// The app became visible.
    package mutating func foreground(at moment: Moment) {
        admission.resume(at: moment)
        perform(lifecycle.foreground(isEnabled: admission.isAdmitting, at: moment), at: moment)
        if let observer { observer.didAppear(&self, at: moment) }
    }

    /// True if ``foreground(at:)`` has an effect.
    package var canAppear: Bool {
        var visibility = lifecycle.visibility
        return visibility.receive(.foreground) != .nothing
    }

    /// The app became invisible.
    package mutating func background(at moment: Moment) {
        if let observer { observer.willLeave(&self, at: moment) }
        let tracksEngagement = configuration.tracksUserEngagement
        if lifecycle.visibility.isVisible { admission.depart(at: moment) }
        perform(
            lifecycle.background(isEnabled: admission.isAdmitting, tracksEngagement: tracksEngagement, at: moment),
            at: moment
        )
        if lifecycle.visibility == .background { admission.pause(at: moment) }
    }

    /// Graceful end of the client: its events are recorded, and the store is closed. Later events are refused and counted.
    package mutating func terminate(at moment: Moment) {
        endApp(at: moment)
        prepareForEnd()
        log.store.close()
    }

    /// Records the end of the app. The store stays open.
    mutating func endApp(at moment: Moment) {
        if let observer { observer.willLeave(&self, at: moment) }
        let tracksEngagement = configuration.tracksUserEngagement
        if lifecycle.visibility.isVisible { admission.depart(at: moment) }
        perform(
            lifecycle.terminate(isEnabled: admission.isAdmitting, tracksEngagement: tracksEngagement, at: moment),
            at: moment
        )
        dropHeldEvents()
    }

    /// Graceful end of the process while other threads still run: its events are recorded. The store stays open, so that
    /// later events are stored too.
    package mutating func settle(at moment: Moment) {
        guard log.store.isOpen else { return report(log.store.bookEachLateCall()) }
        background(at: moment)
        dropHeldEvents()
        prepareForEnd()
        log.store.settle()
    }

    /// Moves events from memory to the disk if possible, and ends the watch for crashes.
    private mutating func prepareForEnd() {
        if log.store.isOpen {
            log.store.leaveMemory()
            if log.store.hasNotices { followStore() }
        }
        crashDraft.end()
    }

    /// The process ends without a further call or flush.
    package mutating func kill() {
        lifecycle.vanish()
        crashDraft.end()
        log.store.close(countsLateCalls: false)
    }

    /// An uncaught failure: stores the event that the next launch records, and ends the process.
    package mutating func crash(message: String, stack: String, at moment: Moment) {
        if recordsCrashes {
            let isVisible = lifecycle.visibility.isVisible
            composer.context.followZone(at: moment.wall)
            let report = composer.crashReport(
                message: message,
                stack: stack,
                breadcrumbs: crashDraft.breadcrumbs.text,
                isVisible: isVisible,
                at: moment
            )
            do {
                try log.store.write(report)
            } catch {
                notices.append(.warning("\(error)"))
            }
        }
        kill()
    }

    /// Keeps a message that the next crash is recorded with.
    package mutating func leaveBreadcrumb(_ message: String, at moment: Moment) {
        guard isRecording, let warning = crashDraft.leave(message, at: moment.wall) else { return }
        notices.append(warning)
    }

    // MARK: Screens

    /// The platform reports that a screen appeared.
    package mutating func screen(_ screen: Screen, at moment: Moment) {
        guard isRecording, configuration.tracksScreenViews else { return }
        if let violation = Validator.checkScreenName(.string(screen.name)) { return reject(violation, at: moment) }
        show(screen.withUsableIDs, at: moment)
    }

    /// A screen view that the caller records: the screen in its attributes becomes the current one.
    private mutating func recordScreenView(_ attributes: Attributes, _ items: [Attributes], at moment: Moment) {
        let given = attributes[AttributeName.screenName]
        if let violation = Validator.checkScreenName(given) {
            log.store.countRejected(violation.code)
            return reject(violation, at: moment)
        }
        guard case .string(let name) = given else { return }
        var own = attributes
        let screen = Screen.remove(named: name, from: &own)
        show(screen, own: own, items: items, at: moment)
    }

    private mutating func show(
        _ screen: Screen,
        own: Attributes = [:],
        items: [Attributes] = [],
        at moment: Moment
    ) {
        let tracksEngagement = configuration.tracksUserEngagement
        perform(
            lifecycle.show(screen, own: own, items: items, tracksEngagement: tracksEngagement, at: moment),
            at: moment
        )
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
        if let refusal { return log.store.count(refusal) }
        var draft = EventDraft(name, own: attributes, items: items, isCallers: true)
        let verdict = admission.admit(name, on: composer.context.deviceID, at: moment, adding: &draft.preset)
        if case .drop(let outcome) = verdict { return log.store.count(outcome) }
        let isOutside = lifecycle.visibility == .outside
        if isOutside {
            perform(lifecycle.resumeOutside(timeout: configuration.sessionTimeout, at: moment), at: moment)
        }
        if name == EventName.screenView {
            for violation in found { reject(violation, at: moment) }
            recordScreenView(attributes, items, at: moment)
            if isOutside { perform(lifecycle.forgetScreen(), at: moment) }
            return
        }
        if let violation = Validator.checkEventName(name) {
            log.store.countRejected(violation.code)
            return reject(violation, at: moment)
        }
        emit(draft, found: found, at: moment)
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
            let memory = log.spare.bytes
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
        let count = composer.count(of: attributes)
        guard lifecycle.visibility != .ended, lifecycle.visibility != .outside, admission.isUsual(name),
            let id = composer.compose(event, attributes, count: count, into: &log.line, at: moment)
        else { return false }
        append(name, id, isActive: composer.context.isActive, at: moment.wall, violations: [])
        if count > Rules.attributes.usualCount { warn(of: composer.suggestions(forCount: count, of: name)) }
        noteActivity(at: moment)
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
            if let refusal { return log.store.count(refusal) }
            log.store.countRejected(violation.code)
            return reject(violation, at: moment)
        }
        composer.context.actingUser = log.store.state?.users.taken(for: userID, at: moment.wall)
        record(name, attributes, items, at: moment)
        composer.context.actingUser = nil
    }

    // MARK: Attributes of every event

    package mutating func setGlobals(_ attributes: Attributes, at moment: Moment) {
        let (accepted, refused) = composer.check(globals: attributes)
        if isRecording {
            for violation in refused { reject(violation, at: moment) }
        }
        composer.context.globals.merge(accepted)
        warn(of: composer.suggestions(forGlobals: accepted))
    }

    package mutating func deleteGlobalAttributes(_ names: [String]) {
        composer.context.globals.remove(names)
    }

    /// Changes the device properties of later events, except those that the configuration sets.
    package mutating func update(_ changed: Device) {
        let changed = changed.with(configuration.device)
        guard changed != device else { return }
        if changed.zoneOffset != device.zoneOffset { composer.context.zone = .fixed }
        composer.context.take(changed)
    }

    /// Takes over a new reading of the device, except the properties that the app or the configuration sets. The zone is
    /// read with the next event.
    package mutating func refresh(_ new: Device) {
        var changed = device
        changed.refresh(with: new, since: &reading)
        changed = changed.with(configuration.device)
        if changed != device { composer.context.take(changed) }
        composer.context.zone.discardReading()
    }

    // MARK: User

    package mutating func addUserAttributes(_ attributes: Attributes, at moment: Moment) {
        guard lifecycle.visibility != .ended else { return }
        var violations: [Violation] = []
        let accepted = Validator.checkUserAttributes(
            attributes,
            existingNames: user.attributes.lazy.map(\.name),
            into: &violations
        )
        if isRecording {
            for violation in violations { reject(violation, at: moment) }
        }
        changeState { recorder in
            recorder.log.store.state?.users.set(accepted, at: moment.wall)
            let count = recorder.log.store.state?.users.current.attributes.count ?? 0
            recorder.warn(of: recorder.composer.suggestions(forUser: accepted, count: count))
            if accepted[AttributeName.userID] != nil {
                let warning = "The user attribute \"_user_id\" is not sent: setUserId says who is logged in."
                recorder.notices.append(.warning(warning))
            }
            recorder.saveState()
        }
        if isRecording { emit(EventDraft(EventName.profileSet), at: moment) }
    }

    package mutating func setUserID(_ id: String?, at moment: Moment) {
        guard lifecycle.visibility != .ended else { return }
        if let id, let violation = Validator.checkUserID(id) {
            if isRecording { reject(violation, at: moment) }
            return
        }
        let ids = composer.ids
        let isChanged = changeState { recorder in
            var newID: String?
            let outcome = recorder.log.store.state?.users.logIn(id, at: moment.wall) {
                let id = ids.next().description
                newID = id
                return id
            }
            guard outcome == .profile else { return false }
            if let newID { recorder.newUsers.insert(newID) }
            recorder.saveState()
            return true
        }
        if isChanged, isRecording { emit(EventDraft(EventName.profileSet), at: moment) }
    }

    // MARK: Switch

    package mutating func disable() {
        admission.disable(profile: user)
    }

    package mutating func enable(at moment: Moment) {
        switch admission.enable(profile: user) {
        case .none:
            break
        case .relaunch:
            if lifecycle.visibility != .ended { relaunch(at: moment) }
        case .resume(let isProfileChanged):
            if settings.namesAnotherApp, isRecording { return launchAnotherApp(from: configuration, at: moment) }
            lifecycle.enable(at: moment)
            if isProfileChanged, isRecording { emit(EventDraft(EventName.profileSet), at: moment) }
        }
    }

    // MARK: Notices

    /// Ends a use of the recorder: brings the draft for a crash up to date, and returns the notices since the last call.
    package mutating func finish() -> [Notice] {
        let revision = composer.context.revision &+ settings.revision &+ admission.revision
        if crashDraft.revision != revision { keepCrashDraft(revision) }
        return takeNotices()
    }

    mutating func takeNotices() -> [Notice] {
        guard !notices.isEmpty else { return [] }
        defer { notices.removeAll(keepingCapacity: true) }
        return notices
    }

    package mutating func note(_ notice: Notice) {
        notices.append(notice)
    }

    /// Adds the line of every later event to its notice.
    package mutating func observeLines() {
        log.observeLines()
    }
}
