/// Owns all mutable state of one client, and turns what happens to the app into stored events.
///
/// Knows no clock: every input carries its time. Not to be used from two threads at once: ``ClickstreamClient`` holds it
/// behind a lock. Under that lock: change, encode, append; never call out, wait or send.
package struct Recorder: ~Copyable {
    /// What another app of the same process leaves to the next: an app id was changed.
    package struct Carried {
        fileprivate var visibility: Visibility
        fileprivate var globals: GlobalAttributes
        /// Globals that were configured with the app id.
        fileprivate var newGlobals: Attributes
        fileprivate var notices: [Notice]
    }

    package private(set) var configuration: Configuration
    package private(set) var device: Device
    private let ids: any IDSource
    private var observesLines: Bool
    var store: EventStore
    private var deviceID: String
    /// As the shared state had it when we last looked.
    private var users: KnownUsers
    private var sessions: SessionMachine
    private var screens: ScreenMachine
    private var launches: LaunchMachine
    private var visibility = Visibility.launched
    /// Whether the session was decided for an event from outside that is still to come.
    private var awaitsFirstEvent = false
    private var globals = GlobalAttributes()
    /// The profile as it was when recording was switched off; `nil` while it is on.
    private var profileBeforeDisabling: User?
    private var writer: EventWriter
    private var line = EventLine()
    /// For what an event says, where that is more than fits on the stack of the caller.
    private let spare = SpareMemory()
    private var storeIsFailing = false
    /// Events that the disk would not take since it last took one.
    private var lostInARow = 0
    /// The app whose store this is. ``configuration`` names another when it was changed while recording was switched off,
    /// until ``enable(at:)``.
    private let appID: String
    private var advice = Advice()
    /// What the stored state says: when the session, and when the queue was last active.
    private var savedActivity: (session: Timestamp?, queue: Timestamp?)
    /// Notices crashes; `nil` where nobody can, or where it was tried in vain.
    private var crashes: (any CrashCapture)?
    private var watchesCrashes = false
    /// What there is to tell, until the shell takes it.
    private var notices: [Notice] = []

    package var isEnabled: Bool { profileBeforeDisabling == nil }
    private var isVisible: Bool { visibility.isVisible }
    /// Whether an event says that the app is in use.
    private var isActive: Bool { isVisible || visibility == .outside }

    // MARK: Launch

    /// A launch: loads what the disk holds, and records what it means.
    /// - Parameters:
    ///   - launches: whether this is a launch; otherwise somebody only looks after the store, and nothing is recorded or
    ///     changed by opening it.
    ///   - records: whether somebody who is no launch records nevertheless: in the stored session or the next, which the
    ///     events go on with, and without any event of the library's own.
    ///   - observesLines: whether the lines of recorded events are wanted in the notices.
    ///   - carried: what goes on from another app of the same process; `nil`: nothing.
    ///   - crashes: notices crashes of this process, and reads the traces of others'.
    package init(
        configuration: Configuration,
        device: Device,
        ids: any IDSource,
        store opened: consuming EventStore,
        launches isLaunch: Bool,
        records: Bool = false,
        observesLines: Bool,
        carrying carried: Carried? = nil,
        crashes: (any CrashCapture)? = nil,
        at moment: Moment
    ) {
        self.configuration = configuration
        let cookieRefusal = configuration.cookieRefusal
        if cookieRefusal != nil { self.configuration.authCookie = nil }
        appID = configuration.appID
        self.device = device
        self.ids = ids
        self.observesLines = observesLines
        store = opened
        self.crashes = isLaunch ? crashes : nil
        let stories = isLaunch ? store.crashes(crashes) : []
        notices = (carried?.notices ?? []) + store.takeOpeningNotices()
        if let cookieRefusal { notices.append(.warning("\(cookieRefusal). Requests go without it.")) }
        visibility = carried?.visibility ?? .launched
        globals = carried?.globals ?? GlobalAttributes()

        let stored =
            store.state
            ?? StoredState(
                deviceID: device.deviceID ?? ids.next().description,
                users: KnownUsers(current: User(uniqueID: ids.next().description, firstTouch: moment.wall))
            )
        store.state = stored
        var ended = store.pastSessions
        for index in ended.indices {
            for story in stories where story.run == ended[index].run && story.report.movesLastActive {
                ended[index].session.lastActive = story.report.timestamp
            }
        }
        // A process that starts while another lives has a session of its own; whoever records from outside goes on with theirs.
        var past = store.isAlone || records ? ended.max { $0.session.precedes($1.session) } : nil
        for story in stories where story.run == nil && story.report.movesLastActive {
            past?.session.lastActive = story.report.timestamp
        }
        let debts = ended.compactMap(\.debt)
        deviceID = device.deviceID ?? stored.deviceID
        users = stored.users
        let known = debts.reduce(stored.versions) { $1.versionsBefore($0) }
        launches = LaunchMachine(versions: known)
        let findings = launches.launch(LaunchMachine.Versions(app: device.app.version, system: device.osVersion))
        var (machine, decision) = SessionMachine.launch(
            stored: past?.session,
            lastNumber: store.lastNumber,
            timeout: configuration.sessionTimeout,
            uniqueID: users.current.uniqueID,
            at: moment
        )
        if !store.isAlone, past == nil { decision.reason = "another process has a session" }
        let startsSession = decision.isNew || past?.debt?.events.contains(EventName.sessionStart) == true
        sessions = machine
        screens = ScreenMachine(lastView: decision.isNew ? nil : past?.lastView)
        writer = EventWriter(session: machine.session)
        writer.prepare(appID: appID, device: device, deviceID: deviceID)
        writer.prepare(user: users.current, attributesInEveryEvent: configuration.sendsUserAttributesInEveryEvent)
        writer.prepare(session: machine.session)
        guard isLaunch else {
            visibility = records ? .outside : .ended
            if records { begin(decision, versions: stored.versions, at: moment) }
            return
        }
        tell(decision)
        for owing in ended where owing.lacksStart && (decision.isNew || owing.run != past?.run) {
            recordStart(of: owing.session, at: moment)
        }
        // The state goes first: a process that dies in between neither reuses a number nor opens for the first time again.
        var events = stories.map { _ in EventName.appException }
        events += findings.map(\.eventName) + [EventName.appStart]
        if startsSession { events.append(EventName.sessionStart) }
        let living = store.livingSessions
        store.state?.sessions = living
        store.state?.versions = launches.versions
        saveState(owing: events, versions: known)
        for story in stories { record(story) }
        var refused: [Violation] = []
        let initial = carried?.newGlobals ?? configuration.globalAttributes
        let accepted = Validator.checkGlobals(initial, existing: globals.attributes, into: &refused)
        globals.merge(accepted)
        var suggestions: [Violation] = []
        advice.look(atGlobals: accepted, into: &suggestions)
        warn(of: suggestions)
        for finding in findings {
            switch finding {
            case .appUpdated(let version):
                emit(finding.eventName, preset: [AttributeName.previousAppVersion: version], at: moment)
            case .systemUpdated(let version):
                emit(finding.eventName, preset: [AttributeName.previousOSVersion: version], at: moment)
            case .firstOpen:
                emit(finding.eventName, at: moment)
            }
        }
        emit(EventName.appStart, preset: [AttributeName.isFirstTime: true], at: moment)
        if startsSession { emit(EventName.sessionStart, at: moment) }
        if visibility == .foreground { screens.startClock(at: moment) }
        // What the disk would not take is told already, and is not owed to the next launch.
        if storeIsFailing { saveState() }
        store.endChange()
        for violation in refused { reject(violation, at: moment) }
        prepareForCrash()
    }

    /// Records the start of a session that ended before its process came to that. In the state the session stands until
    /// this launch has saved its own: a launch that dies before that records the start again, under the same id.
    private mutating func recordStart(of stored: SessionMachine.Stored, at moment: Moment) {
        let bits = SHA256.digest(of: Array("\(deviceID) \(stored.id) \(EventName.sessionStart)".utf8)).prefix(16)
        let (high, low) = (bits.prefix(8), bits.suffix(8))
        let event = Event(
            EventName.sessionStart,
            id: UniqueID(
                randomBitsHigh: high.reduce(0) { $0 << 8 | UInt64($1) },
                low: low.reduce(0) { $0 << 8 | UInt64($1) }
            ),
            timestamp: stored.start
        )
        let start = Moment(wall: stored.start, steady: moment.steady)
        writer.prepare(session: Session(id: stored.id, number: stored.number, start: stored.start, takenUpAt: start))
        line.removeAll()
        writer.write(event, globals: [:], verdict: AttributeVerdict(), error: nil, at: start, into: &line)
        append(name: event.name, id: event.id, active: false, at: event.timestamp, violations: [])
        writer.prepare(session: sessions.session)
    }

    /// Begins to record from outside. The next launch compares versions as if this had not been.
    private mutating func begin(
        _ decision: SessionMachine.Decision,
        versions: LaunchMachine.Versions?,
        at moment: Moment
    ) {
        awaitsFirstEvent = true
        launches = LaunchMachine(versions: versions)
        beginChange()
        defer { store.endChange() }
        // Another process may have given the number away since we looked.
        let last = store.lastNumber
        if decision.isNew, last >= sessions.session.number {
            sessions =
                SessionMachine.launch(
                    stored: nil,
                    lastNumber: last,
                    timeout: configuration.sessionTimeout,
                    uniqueID: users.current.uniqueID,
                    at: moment
                ).machine
            writer.prepare(session: sessions.session)
        }
        tell(decision)
        saveState()
        var refused: [Violation] = []
        globals.merge(Validator.checkGlobals(configuration.globalAttributes, existing: [:], into: &refused))
        if !refused.isEmpty { notices.append(.rejected(refused)) }
    }

    // MARK: Lifecycle

    package mutating func foreground(at moment: Moment) {
        switch visibility.receive(.foreground) {
        case .nothing, .left: break
        case .appeared:
            if isEnabled { screens.startClock(at: moment) }
        case .returned:
            if isEnabled { comeBack(at: moment) } else { tell(.none) }
            prepareForCrash()
        }
    }

    private mutating func comeBack(at moment: Moment) {
        beginChange()
        defer { store.endChange() }
        let decision = sessions.foreground(
            lastNumber: store.lastNumber,
            timeout: configuration.sessionTimeout,
            uniqueID: users.current.uniqueID,
            at: moment
        )
        tell(decision)
        guard decision.isNew else {
            screens.startClock(at: moment)
            emit(EventName.appStart, preset: [AttributeName.isFirstTime: false], at: moment)
            return
        }
        writer.prepare(session: sessions.session)
        let view = screens.startSession()
        screens.startClock(at: moment)
        saveState(owing: [EventName.appStart, EventName.sessionStart])
        emit(EventName.appStart, preset: [AttributeName.isFirstTime: false], at: moment)
        emit(EventName.sessionStart, at: moment)
        if let view {
            screens.show(view.screen, visible: true, at: moment)
            saveState(owing: [EventName.screenView])
            emit(view, own: [:], items: [], violations: [], at: moment)
        }
        if storeIsFailing { saveState() }
    }

    package mutating func background(at moment: Moment) {
        var next = visibility
        guard next.receive(.background) == .left else { return }
        leave(to: next, at: moment)
        prepareForCrash()
    }

    /// The orderly end of the client: what it means is recorded, the store closed. Later events are refused and counted.
    package mutating func terminate(at moment: Moment) {
        var next = visibility
        if next.receive(.terminate) == .left { leave(to: next, at: moment) }
        visibility = next
        guard store.isOpen else {
            crashes?.end()
            return
        }
        store.leaveMemory()
        if store.hasNotices { settleIn() }
        crashes?.end()
        store.close()
    }

    /// The orderly end of the process, while other threads still run: what it means is recorded and stored. The store stays
    /// open, so that an event which is recorded until the process is gone survives it, as it does a kill.
    package mutating func settle(at moment: Moment) {
        guard store.isOpen else { return report(store.bookEachLateCall()) }
        background(at: moment)
        store.leaveMemory()
        if store.hasNotices { settleIn() }
        crashes?.end()
        store.settle()
    }

    /// Counts events that were refused outside because the client has ended.
    package mutating func countLate(_ events: Int) {
        store.count(.disabled, events)
    }

    /// Adds the events that came after the end to the books of the store.
    package mutating func bookLateCalls() {
        report(store.bookLateCalls())
    }

    private mutating func report(_ failure: StoreError?) {
        guard let failure else { return }
        notices.append(.warning("\(failure)"))
    }

    /// What is recorded on leaving still counts as recorded in the foreground.
    private mutating func leave(to next: Visibility, at moment: Moment) {
        let engagement = screens.leave(at: moment)
        sessions.wasActive(at: moment)
        saveState()
        if isEnabled {
            if let engagement, configuration.tracksUserEngagement {
                emit(EventName.userEngagement, preset: [AttributeName.engagementTime: engagement], at: moment)
            }
            emit(EventName.appEnd, at: moment)
        }
        visibility = next
    }

    /// The process disappears: no call, no flush.
    package mutating func kill() {
        _ = visibility.receive(.vanish)
        crashes?.end()
        store.close(countsLateCalls: false)
    }

    // MARK: Crashes

    private var recordsCrashes: Bool { isRecording && configuration.tracksExceptions }

    /// An uncaught failure: what the next launch will record is put on disk now, then the process is over.
    package mutating func crash(message: String, stack: String, at moment: Moment) {
        if recordsCrashes {
            do {
                try store.write(crashReport(message: message, stack: stack, at: moment))
            } catch {
                notices.append(.warning("\(error)"))
            }
        }
        kill()
    }

    private mutating func crashReport(message: String, stack: String, at moment: Moment) -> CrashReport {
        let event = Event(
            EventName.appException,
            id: ids.next(),
            timestamp: moment.wall,
            preset: [
                AttributeName.exceptionMessage: CrashReport.cut(message: message),
                AttributeName.exceptionStack: CrashReport.cut(stack: stack),
            ]
        )
        // Globals that do not fit are told of in the event; nobody is left to be told by a notice.
        var violations: [Violation] = []
        let verdict = verdict(on: event, into: &violations)
        let error = violations.firstError
        var line: [UInt8] = []
        writer.write(event, globals: globals.attributes, verdict: verdict, error: error, at: moment, into: &line)
        return CrashReport(id: event.id, timestamp: moment.wall, movesLastActive: isVisible, line: line)
    }

    /// Puts down what a crash from now on would be recorded with. Called after whatever changes that, never for an event;
    /// costs an event's encoding and one write.
    private mutating func prepareForCrash() {
        // What is kept in memory does not outlive a crash.
        guard let crashes, !store.isInMemory else { return }
        guard recordsCrashes else {
            if watchesCrashes, let failure = crashes.keep(nil) { notices.append(.warning("\(failure)")) }
            return
        }
        if !watchesCrashes {
            do {
                try crashes.watch(store.newTraces())
                watchesCrashes = true
            } catch {
                notices.append(.warning("crashes of this process will not be recorded: \(error)"))
                self.crashes = nil
                return
            }
        }
        let session = sessions.session
        let report = crashReport(
            message: "",
            stack: "",
            at: Moment(wall: session.start, steady: session.takenUp)
        )
        let draft = CrashDraft(report: report, steadyAtSessionStart: session.takenUp - session.elapsedBefore)
        if let failure = crashes.keep(draft) { notices.append(.warning("\(failure)")) }
    }

    /// Records what an earlier process's crash left. The report is removed once its event survives this process; until then
    /// later launches record it again, under the same id.
    private mutating func record(_ crash: EventStore.StoredCrash) {
        line = EventLine(json: crash.report.line[...])
        append(
            name: EventName.appException,
            id: crash.report.id,
            active: crash.report.movesLastActive,
            at: crash.report.timestamp,
            violations: []
        )
        guard !storeIsFailing, !store.isInMemory else { return }
        do {
            try store.remove(crash)
        } catch {
            notices.append(.warning("\(error)"))
        }
    }

    // MARK: Screens

    /// The platform reports that a screen appeared.
    package mutating func screen(_ screen: Screen, at moment: Moment) {
        guard isRecording, configuration.tracksScreenViews else { return }
        if let violation = Validator.checkScreenName(.string(screen.name)) {
            reject(violation, at: moment)
            return
        }
        // An id that no attribute could hold counts as not given.
        let usable = Screen(
            name: screen.name,
            id: Self.text(screen.id.map { .string($0) }),
            uniqueID: Self.text(.string(screen.uniqueID))
        )
        show(usable, own: [:], items: [], violations: [], at: moment)
    }

    private mutating func show(
        _ screen: Screen,
        own: Attributes,
        items: [Attributes],
        violations: [Violation],
        at moment: Moment
    ) {
        guard let transition = screens.transition(to: screen, at: moment) else { return }
        if let engagement = transition.engagement, configuration.tracksUserEngagement {
            emit(EventName.userEngagement, preset: [AttributeName.engagementTime: engagement], at: moment)
        }
        screens.show(screen, visible: isVisible, at: moment)
        saveState(owing: [EventName.screenView], lastView: transition.view.previousTimestamp)
        emit(transition.view, own: own, items: items, violations: violations, at: moment)
        prepareForCrash()
    }

    private mutating func emit(
        _ view: ScreenMachine.View,
        own: Attributes,
        items: [Attributes],
        violations: [Violation],
        at moment: Moment
    ) {
        writer.prepare(screen: view.screen)
        var preset: Attributes = [AttributeName.screenName: view.screen.name]
        preset[AttributeName.screenID] = view.screen.id
        preset[AttributeName.screenUniqueID] = view.screen.uniqueID
        preset[AttributeName.entrances] = view.isEntrance ? 1 : 0
        if let previous = view.previous {
            preset[AttributeName.previousScreenName] = previous.name
            preset[AttributeName.previousScreenID] = previous.id
            preset[AttributeName.previousScreenUniqueID] = previous.uniqueID
        }
        preset[AttributeName.previousTimestamp] = view.previousTimestamp?.milliseconds
        preset[AttributeName.engagementTime] = view.engagement
        emit(
            EventName.screenView,
            preset: preset,
            own: own,
            items: items,
            violations: violations,
            isCallers: !own.isEmpty || !items.isEmpty,
            at: moment
        )
    }

    /// A screen view that the caller records: takes the screen out of the attributes, and makes it the current one.
    private mutating func recordScreenView(_ attributes: Attributes, _ items: [Attributes], at moment: Moment) {
        let given = attributes[AttributeName.screenName]
        if let violation = Validator.checkScreenName(given) {
            store.countRejected(violation.code)
            reject(violation, at: moment)
            return
        }
        guard case .string(let name) = given else { return }
        let screen = Screen(
            name: name,
            id: Self.text(attributes[AttributeName.screenID]),
            uniqueID: Self.text(attributes[AttributeName.screenUniqueID])
        )
        var own = attributes
        own.remove(AttributeName.screenName)
        for name in [AttributeName.screenID, AttributeName.screenUniqueID] {
            // One that breaks a rule stays, to be discarded and told like any other attribute.
            guard let value = own[name], Validator.violation(name, value, Rules.attributes) == nil else { continue }
            own.remove(name)
        }
        // What the machine decides, the caller does not.
        for name in Self.decidedByMachine { own.remove(name) }
        show(screen, own: own, items: items, violations: [], at: moment)
    }

    /// The text of an id that a caller gives; a whole number is taken as text, anything unusable as not given.
    private static func text(_ value: AttributeValue?) -> String? {
        switch value {
        case .integer(let number): String(number)
        case .string(let text) where Validator.checkScreenName(value) == nil: text
        default: nil
        }
    }

    private static let decidedByMachine = [
        AttributeName.entrances, AttributeName.previousScreenName, AttributeName.previousScreenID,
        AttributeName.previousScreenUniqueID, AttributeName.previousTimestamp, AttributeName.engagementTime,
    ]

    // MARK: Events

    private var isRecording: Bool { isEnabled && visibility != .ended }

    /// Records what the caller calls an event.
    package mutating func record(_ name: String, _ attributes: Attributes, _ items: [Attributes], at moment: Moment) {
        guard isRecording else {
            store.count(.disabled)
            return
        }
        if visibility == .outside { goOn(at: moment) }
        if name == EventName.screenView {
            recordScreenView(attributes, items, at: moment)
            if visibility == .outside { forgetScreen() }
            return
        }
        if let violation = Validator.checkEventName(name) {
            store.countRejected(violation.code)
            reject(violation, at: moment)
            return
        }
        emit(name, own: attributes, items: items, isCallers: true, at: moment)
    }

    /// Records what the caller calls an event: as ``record(_:_:_:at:)``, with the same bytes, but at a fraction of the cost
    /// where the rules have nothing to say of it.
    /// - Parameter attempt: what came of making its JSON before the lock was taken.
    @inline(__always)
    mutating func record(_ name: String, _ attributes: Attributes, _ attempt: UsualEvent.Attempt, at moment: Moment) {
        switch attempt {
        case .made(let event):
            if !record(event, name, attributes, at: moment) { record(name, attributes, [], at: moment) }
        case .tooLong:
            let memory = spare.bytes
            guard case .made(let event) = UsualEvent.make(name, attributes, in: memory),
                record(event, name, attributes, at: moment)
            else { return record(name, attributes, [], at: moment) }
        case .unusual:
            record(name, attributes, [], at: moment)
        }
    }

    /// - Returns: whether it could be recorded so.
    @inline(__always)
    private mutating func record(
        _ event: UsualEvent,
        _ name: String,
        _ attributes: Attributes,
        at moment: Moment
    ) -> Bool {
        let count = writer.presets.count + attributes.count + globals.attributes.count
        guard isRecording, visibility != .outside, let json = globals.json, count <= Rules.attributes.most,
            json.isEmpty || !attributes.sharesName(with: globals.attributes)
        else { return false }
        let id = ids.next()
        line.removeAll()
        writer.write(event, id: id, globals: json, at: moment, into: &line)
        append(name: name, id: id, active: isActive, at: moment.wall, violations: [])
        if count > Rules.attributes.usualCount { warn(of: advice.look(atCount: count, of: name)) }
        noteActivity(at: moment)
        return true
    }

    /// Records an event as if that user were logged in, for this event alone; nothing of it is stored beside the event.
    package mutating func record(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        as userID: String?,
        at moment: Moment
    ) {
        guard let userID else { return record(name, attributes, items, at: moment) }
        if let violation = Validator.checkUserID(userID) {
            if isRecording { reject(violation, at: moment) }
            return
        }
        let everyAttribute = configuration.sendsUserAttributesInEveryEvent
        writer.prepare(user: users.taken(for: userID, at: moment.wall), attributesInEveryEvent: everyAttribute)
        record(name, attributes, items, at: moment)
        writer.prepare(user: users.current, attributesInEveryEvent: everyAttribute)
    }

    /// From outside, the app is in use when an event is recorded and at no other time: after a long pause the next session
    /// starts.
    private mutating func goOn(at moment: Moment) {
        guard !awaitsFirstEvent else {
            awaitsFirstEvent = false
            return
        }
        // The shared state costs a lock and a reading: not for every event.
        guard moment.steady - sessions.lastActive.steady >= configuration.sessionTimeout else { return }
        beginChange()
        defer { store.endChange() }
        let decision = sessions.foreground(
            lastNumber: store.lastNumber,
            timeout: configuration.sessionTimeout,
            uniqueID: users.current.uniqueID,
            at: moment
        )
        guard decision.isNew else { return }
        tell(decision)
        writer.prepare(session: sessions.session)
        screens = ScreenMachine()
        saveState()
    }

    /// From outside, one event says nothing of the next: no screen is shown before it or after it.
    private mutating func forgetScreen() {
        screens = ScreenMachine(lastView: screens.lastView)
        writer.prepare(screen: nil)
    }

    /// Stands for something that was refused: a `_clickstream_error` event with the code and the reason.
    private mutating func reject(_ violation: Violation, at moment: Moment) {
        notices.append(.rejected([violation]))
        emit(
            EventName.clickstreamError,
            preset: [
                AttributeName.errorCode: violation.code.rawValue,
                AttributeName.errorMessage: violation.message,
            ],
            at: moment
        )
    }

    // MARK: Attributes of every event

    package mutating func setGlobals(_ attributes: Attributes, at moment: Moment) {
        var violations: [Violation] = []
        let accepted = Validator.checkGlobals(attributes, existing: globals.attributes, into: &violations)
        if isRecording {
            for violation in violations { reject(violation, at: moment) }
        }
        globals.merge(accepted)
        var suggestions: [Violation] = []
        advice.look(atGlobals: accepted, into: &suggestions)
        warn(of: suggestions)
        prepareForCrash()
    }

    package mutating func deleteGlobalAttributes(_ names: [String]) {
        globals.remove(names)
        prepareForCrash()
    }

    // MARK: User

    package mutating func addUserAttributes(_ attributes: Attributes, at moment: Moment) {
        guard visibility != .ended else { return }
        var violations: [Violation] = []
        let accepted = Validator.checkUserAttributes(
            attributes,
            existingNames: users.current.attributes.lazy.map(\.name),
            into: &violations
        )
        if isRecording {
            for violation in violations { reject(violation, at: moment) }
        }
        beginChange()
        users.set(accepted, at: moment.wall)
        var suggestions: [Violation] = []
        advice.look(atUser: accepted, count: users.current.attributes.count, into: &suggestions)
        warn(of: suggestions)
        if accepted[AttributeName.userID] != nil {
            notices.append(.warning("The user attribute \"_user_id\" is not sent: setUserId says who is logged in."))
        }
        profileChanged(at: moment)
    }

    package mutating func setUserID(_ id: String?, at moment: Moment) {
        guard visibility != .ended else { return }
        if let id, let violation = Validator.checkUserID(id) {
            if isRecording { reject(violation, at: moment) }
            return
        }
        let ids = ids
        beginChange()
        guard users.logIn(id, at: moment.wall, newID: { ids.next().description }) == .profile else {
            store.endChange()
            return
        }
        profileChanged(at: moment)
    }

    /// Saves the users, and leaves the state's lock.
    private mutating func profileChanged(at moment: Moment) {
        store.state?.users = users
        writer.prepare(user: users.current, attributesInEveryEvent: configuration.sendsUserAttributesInEveryEvent)
        saveState()
        store.endChange()
        if isRecording { emit(EventName.profileSet, at: moment) }
        prepareForCrash()
    }

    // MARK: Switches

    package mutating func disable() {
        if profileBeforeDisabling == nil { profileBeforeDisabling = users.current }
        prepareForCrash()
    }

    package mutating func enable(at moment: Moment) {
        guard let before = profileBeforeDisabling else { return }
        profileBeforeDisabling = nil
        if configuration.appID != appID, visibility != .ended {
            move(from: configuration, at: moment)
            return
        }
        screens.restartRunningClock(at: moment)
        if before != users.current, visibility != .ended { emit(EventName.profileSet, at: moment) }
        prepareForCrash()
    }

    package mutating func configure(_ changed: Configuration, at moment: Moment) {
        guard changed != configuration else { return }
        let before = configuration
        var changed = changed
        if let refusal = changed.cookieRefusal {
            changed.authCookie = before.authCookie
            notices.append(.warning("\(refusal). The former one, if any, stays."))
        }
        let kept = changed.keepLaunchSettings(of: before)
        if !kept.isEmpty {
            let names = kept.map { "'\($0)'" }.joined(separator: ", ")
            notices.append(.warning("\(names) cannot change while a client runs: set it before the launch."))
        }
        configuration = changed
        if changed.appID != appID, isEnabled, visibility != .ended {
            move(from: before, at: moment)
            return
        }
        if changed.endpoint != before.endpoint || changed.authCookie != before.authCookie { redirect(from: before) }
        writer.prepare(user: users.current, attributesInEveryEvent: configuration.sendsUserAttributesInEveryEvent)
        setGlobals(Self.newGlobals(before, configuration), at: moment)
    }

    private static func newGlobals(_ before: Configuration, _ now: Configuration) -> Attributes {
        now.globalAttributes == before.globalAttributes ? [:] : now.globalAttributes
    }

    /// What is recorded from now on goes elsewhere. State, session and screens stay.
    private mutating func redirect(from before: Configuration) {
        guard store.isOpen else { return }
        beginChange()
        defer { store.endChange() }
        let run = store.run
        var destination = Destination(configuration)
        destination.appID = appID
        do {
            try store.redirect(to: destination)
        } catch {
            configuration.endpoint = before.endpoint
            configuration.authCookie = before.authCookie
            notices.append(.warning("The endpoint stays \"\(before.endpoint)\": \(error)"))
            return
        }
        guard store.run != run, visibility != .ended else { return }
        store.state?.sessions.removeAll { $0.run == run }
        saveState()
        // The traces of a crash belong to the run folder of the session.
        crashes?.end()
        watchesCrashes = false
        prepareForCrash()
    }

    /// Another app is recorded from now on: the one so far ends, as by ``terminate(at:)``, and the other is launched.
    /// What the app set for this process (globals, visibility) goes on.
    private mutating func move(from before: Configuration, at moment: Moment) {
        do {
            var next = try store.opened(for: Destination(configuration), limits: QueueLimits(configuration))
            let (now, visibility) = (configuration, visibility)
            configuration = before
            configuration.appID = appID
            if isVisible { leave(to: .ended, at: moment) }
            store.retire(to: &next)
            crashes?.end()
            let carried = Carried(
                visibility: visibility,
                globals: globals,
                newGlobals: Self.newGlobals(before, now),
                notices: takeNotices()
            )
            self = Recorder(
                configuration: now,
                device: device,
                ids: ids,
                store: next,
                launches: true,
                observesLines: observesLines,
                carrying: carried,
                crashes: crashes,
                at: moment
            )
        } catch {
            configuration.appID = appID
            notices.append(.warning("The app id stays \"\(appID)\": \(error)"))
        }
    }

    package mutating func update(_ changed: Device) {
        guard changed != device else { return }
        device = changed
        deviceID = changed.deviceID ?? deviceID
        writer.prepare(appID: appID, device: device, deviceID: deviceID)
        prepareForCrash()
    }

    // MARK: Delivery

    /// The file whose `synchronize` makes what was recorded survive a loss of power; to be called outside the lock.
    package var fileToSynchronize: (any AppendableFile)? { store.fileToSynchronize }

    /// The number of the run folder that is recorded to.
    package var run: Int { store.run }

    /// What became of every event of this process's run folders, and how many are pending there.
    package var ledger: (ledger: Ledger, pendingEvents: Int) { store.ledger }

    /// The events of this app that a server will never take.
    package var deadLetters: DeadLetters { store.deadLetters }

    /// Queues dead letters again, those with these event ids or all.
    package mutating func requeueDeadLetters(_ ids: Set<String>?) throws(StoreError) -> Int {
        try store.requeueDeadLetters(ids)
    }

    /// The right to deliver from one of the store's queues.
    /// - Returns: why it cannot be had, instead.
    package mutating func lockForUpload(_ id: Int) -> (lock: (any FileLock)?, reason: FlushError?) {
        guard store.isOpen, store.queueIDs.first == id else { return (nil, nil) }
        do {
            guard let lock = try store.lockForUpload() else { return (nil, .storeInUse) }
            return (lock, nil)
        } catch {
            // What can still be read there needs no right: no other process can deliver it now.
            if !error.isLackOfDescriptors, store.leave(because: error, at: nil) {
                settleIn()
                return (nil, nil)
            }
            return (nil, .store(reason: "\(error)"))
        }
    }

    /// Whether what is recorded goes to files that nobody will find any more. Costs a look at one file.
    package var isStoreGone: Bool { store.isGone }

    /// Looks whether the files that hold recorded events still have their names. Costs a look at two files.
    package mutating func lookForStore() {
        if store.keepNamed() { settleIn() }
    }

    /// The store is in memory from now on, or on the disk again: session and identity go along.
    private mutating func settleIn() {
        notices += store.takeOpeningNotices()
        if device.deviceID == nil, let stored = store.state?.deviceID, stored != deviceID {
            deviceID = stored
            writer.prepare(appID: appID, device: device, deviceID: deviceID)
        }
        saveState(isRepeated: true)
        // The traces of a crash belong to the run folder of the session.
        if watchesCrashes { crashes?.end() }
        watchesCrashes = false
        prepareForCrash()
    }

    /// Takes what there is to tell.
    package mutating func takeNotices() -> [Notice] {
        guard !notices.isEmpty else { return [] }
        defer { notices.removeAll(keepingCapacity: true) }
        return notices
    }

    package mutating func note(_ notice: Notice) {
        notices.append(notice)
    }

    /// Puts the line of every event from now on into its notice.
    package mutating func observeLines() {
        observesLines = true
    }

    // MARK: Encoding

    private mutating func emit(
        _ name: String,
        preset: Attributes = Attributes(),
        own: Attributes = Attributes(),
        items: [Attributes] = [],
        violations found: [Violation] = [],
        isCallers: Bool = false,
        at moment: Moment
    ) {
        var violations = found
        var event = Event(name, id: ids.next(), timestamp: moment.wall, preset: preset, own: own, items: items)
        let verdict = verdict(on: event, into: &violations)
        if !items.isEmpty { event.items = Validator.checkItems(items, into: &violations) }
        // What stands for a mistake tells of that one.
        let error = name == EventName.clickstreamError && !preset.isEmpty ? nil : violations.firstError
        line.removeAll()
        writer.write(event, globals: globals.attributes, verdict: verdict, error: error, at: moment, into: &line)
        append(name: name, id: event.id, active: isActive, at: moment.wall, violations: violations)
        if isCallers { advise(about: event, verdict: verdict) }
        noteActivity(at: moment)
    }

    /// The event just recorded moves the moment of last activity, unless it was not stored, or the app is not in use.
    private mutating func noteActivity(at moment: Moment) {
        guard isActive, !storeIsFailing else { return }
        sessions.wasActive(at: moment)
        // On a clock that was set back, this can be the very moment that the queue was last active when the state was
        // saved: then the queue alone does not say that it is the later one.
        if moment.wall == savedActivity.queue, moment.wall != savedActivity.session { saveState() }
    }

    /// Warns of suggested limits that an event of the caller's passes, once for each name.
    private mutating func advise(about event: Event, verdict: AttributeVerdict) {
        var findings: [Violation] = []
        let presets = writer.presets
        advice.look(
            at: event.name,
            event.own,
            globals: globals.attributes,
            presetCount: presets.count + event.preset.elements.count { !presets.contains($0.name) },
            verdict: verdict,
            items: event.items,
            into: &findings
        )
        warn(of: findings)
    }

    private mutating func warn(of suggestions: [Violation]) {
        for suggestion in suggestions {
            notices.append(.warning("suggestion \(suggestion.code): \(suggestion.message)"))
        }
    }

    /// Which of the event's own and of the global attributes stand in it.
    private func verdict(on event: borrowing Event, into violations: inout [Violation]) -> AttributeVerdict {
        // Taken out, so that asking for a name keeps no copy of the event.
        let (presets, preset) = (writer.presets, event.preset)
        return Validator.checkAttributes(
            own: event.own,
            globals: globals.attributes,
            presetCount: presets.count
                + preset.elements.count { !Validator.isErrorAttribute($0.name) && !presets.contains($0.name) },
            isPreset: { presets.contains($0) || preset[$0] != nil },
            into: &violations
        )
    }

    /// Stores the event that ``line`` holds.
    private mutating func append(
        name: String,
        id: UniqueID,
        active: Bool,
        at timestamp: Timestamp,
        violations: [Violation]
    ) {
        if store.isStateUnsaved { saveState(isRepeated: true) }
        do {
            try store.append(&line, isActive: active, timestamp: timestamp)
            storeIsFailing = false
            if store.hasNotices { settleIn() }
            if lostInARow > 0 {
                notices.append(.warning("The disk takes events again; \(lostInARow) were lost meanwhile."))
                lostInARow = 0
            }
            for eviction in store.takeEvictions() {
                notices.append(.evicted(events: eviction.events, reason: "cap on \(eviction.reason.rawValue)"))
            }
            if observesLines || configuration.logsEvents {
                notices.append(.recorded(name: name, id: id, line: line.json, violations: violations))
            } else if !violations.isEmpty {
                notices.append(.recorded(name: name, id: id, line: [], violations: violations))
            }
        } catch {
            storeIsFailing = true
            lostInARow += 1
            if store.hasNotices { settleIn() }
            store.count(.unstored)
            notices.append(.unstored(name: name, id: id, reason: "\(error)"))
            // Once: whoever records from outside is told of each event.
            if lostInARow == 1, visibility != .outside {
                notices.append(.warning("Events are lost, and counted, until they can be stored again: \(error)"))
            }
        }
    }

    // MARK: State

    /// Takes the lock of the state that all processes share, and takes up what another changed. To be followed by
    /// `store.endChange()`.
    private mutating func beginChange() {
        // A state that cannot be read is not written over, and the attempt to do so says why.
        if let findings = try? store.beginChange() { notices += findings }
        guard let shared = store.state?.users, shared != users else { return }
        users = shared
        writer.prepare(user: users.current, attributesInEveryEvent: configuration.sendsUserAttributesInEveryEvent)
    }

    /// Saves what this process knows of its session, and what was changed in the shared state.
    /// - Parameters:
    ///   - events: what the state leads to, about to be recorded: the next launch records it if we die before.
    ///   - versions: of the launch before, when these may be updates.
    ///   - lastView: the view before the one that is owed.
    ///   - isRepeated: whether the same was tried before, and what went wrong was told.
    private mutating func saveState(
        owing events: [String] = [],
        versions: LaunchMachine.Versions? = nil,
        lastView: Timestamp? = nil,
        isRepeated: Bool = false
    ) {
        beginChange()
        defer { store.endChange() }
        let number = sessions.session.number
        let entry = StoredSession(
            run: store.run,
            session: SessionMachine.Stored(
                id: sessions.session.id,
                number: number,
                start: sessions.session.start,
                lastActive: sessions.lastActive.wall
            ),
            queueActive: store.lastActive,
            lastView: screens.lastView,
            debt: events.isEmpty
                ? nil
                : StoredSession.Debt(
                    sequence: store.nextSequence,
                    events: events,
                    versions: versions,
                    lastView: lastView
                )
        )
        let isNewNumber = number > (store.state?.lastNumber ?? 0)
        if isNewNumber { store.state?.lastNumber = number }
        store.state?.sessions.removeAll { $0.run == entry.run }
        store.state?.sessions.append(entry)
        do {
            // A number once given stays given, whatever happens to one file.
            try store.saveState(twice: isNewNumber)
            savedActivity = (entry.session.lastActive, entry.queueActive)
        } catch {
            if store.leaveIfGone(at: nil) { return settleIn() }
            if !isRepeated { notices.append(.warning("\(error)")) }
        }
    }

    private mutating func tell(_ decision: SessionMachine.Decision) {
        notices.append(
            .sessionDecided(number: sessions.session.number, isNew: decision.isNew, reason: decision.reason)
        )
    }
}
