/// Owns all mutable state of one client, and turns what happens to the app into stored events.
///
/// Knows no clock: every input carries its time. Not to be used from two threads at once: ``ClickstreamClient`` holds it
/// behind a lock. Under that lock: change, encode, append; never call out, wait or send.
package struct Recorder: ~Copyable {
    package private(set) var configuration: Configuration
    package private(set) var device: Device
    private let ids: any IDSource
    private let observesLines: Bool
    private var store: EventStore
    private var deviceID: String
    private var users: KnownUsers
    private var sessions: SessionMachine
    private var screens: ScreenMachine
    private var launches: LaunchMachine
    private var visibility = Visibility.launched
    private var globals: Attributes = [:]
    /// The profile as it was when recording was switched off; `nil` while it is on.
    private var profileBeforeDisabling: User?
    private var writer: EventWriter
    private var line: [UInt8] = []
    private var storeIsFailing = false
    /// What the stored state says: when the session, and when the queue was last active.
    private var savedActivity: (session: Timestamp?, queue: Timestamp?)
    /// What there is to tell, until the shell takes it.
    private var notices: [Notice] = []

    package var isEnabled: Bool { profileBeforeDisabling == nil }
    private var isVisible: Bool { visibility.isVisible }

    // MARK: Launch

    /// A launch: loads what the disk holds, and records what it means.
    /// - Parameters:
    ///   - launches: whether this is a launch; otherwise somebody only looks after the store, and nothing is recorded or
    ///     changed by opening it.
    ///   - observesLines: whether the lines of recorded events are wanted in the notices.
    package init(
        configuration: Configuration,
        device: Device,
        ids: any IDSource,
        store opened: consuming EventStore,
        launches isLaunch: Bool,
        observesLines: Bool,
        at moment: Moment
    ) {
        self.configuration = configuration
        self.device = device
        self.ids = ids
        self.observesLines = observesLines
        store = opened
        let crash = isLaunch ? store.crash() : nil
        notices = store.takeOpeningNotices()

        var stored =
            store.storedState
            ?? StoredState(
                deviceID: device.deviceID ?? ids.next().description,
                users: KnownUsers(current: User(uniqueID: ids.next().description, firstTouch: moment.wall)),
                session: nil
            )
        stored.noteActivity(in: store.lastActive)
        if let crash, crash.movesLastActive { stored.session?.lastActive = crash.timestamp }
        deviceID = device.deviceID ?? stored.deviceID
        users = stored.users
        launches = LaunchMachine(versions: stored.versions)
        let findings = launches.launch(LaunchMachine.Versions(app: device.app.version, system: device.osVersion))
        let (machine, decision) = SessionMachine.launch(
            stored: stored.session,
            timeout: configuration.sessionTimeout,
            uniqueID: users.current.uniqueID,
            at: moment
        )
        sessions = machine
        screens = ScreenMachine(lastView: decision.isNew ? nil : stored.lastView)
        writer = EventWriter(session: machine.session)
        writer.prepare(appID: configuration.appID, device: device, deviceID: deviceID)
        writer.prepare(user: users.current, attributesInEveryEvent: configuration.sendsUserAttributesInEveryEvent)
        writer.prepare(session: machine.session)
        guard isLaunch else {
            visibility = .ended
            return
        }
        tell(decision)
        // The state goes first: a process that dies in between neither reuses a number nor opens for the first time again.
        saveState()
        if let crash {
            append(
                crash.line,
                name: EventName.appException,
                id: crash.id,
                active: crash.movesLastActive,
                at: crash.timestamp,
                violations: []
            )
            do {
                try store.removeCrash()
            } catch {
                notices.append(.warning("\(error)"))
            }
        }
        var refused: [Violation] = []
        globals.merge(Validator.checkGlobals(configuration.globalAttributes, existing: [:], into: &refused))
        for finding in findings {
            switch finding {
            case .appUpdated(let version):
                emit(EventName.appUpdate, preset: [AttributeName.previousAppVersion: version], at: moment)
            case .systemUpdated(let version):
                emit(EventName.osUpdate, preset: [AttributeName.previousOSVersion: version], at: moment)
            case .firstOpen:
                emit(EventName.firstOpen, at: moment)
            }
        }
        emit(EventName.appStart, preset: [AttributeName.isFirstTime: true], at: moment)
        if decision.isNew { emit(EventName.sessionStart, at: moment) }
        for violation in refused { reject(violation, at: moment) }
    }

    // MARK: Lifecycle

    package mutating func foreground(at moment: Moment) {
        switch visibility.receive(.foreground) {
        case .nothing, .left: break
        case .appeared:
            if isEnabled { screens.startClock(at: moment) }
        case .returned:
            if isEnabled { comeBack(at: moment) } else { tell(.none) }
        }
    }

    private mutating func comeBack(at moment: Moment) {
        let decision = sessions.foreground(
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
        saveState()
        emit(EventName.appStart, preset: [AttributeName.isFirstTime: false], at: moment)
        emit(EventName.sessionStart, at: moment)
        if let view {
            screens.show(view.screen, visible: true, at: moment)
            saveState()
            emit(view, own: [:], items: [], violations: [], at: moment)
        }
    }

    package mutating func background(at moment: Moment) {
        var next = visibility
        guard next.receive(.background) == .left else { return }
        leave(to: next, at: moment)
    }

    /// The orderly end of the process.
    package mutating func terminate(at moment: Moment) {
        var next = visibility
        if next.receive(.terminate) == .left { leave(to: next, at: moment) }
        visibility = next
        if store.isOpen { store.close() }
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
        if store.isOpen { store.close() }
    }

    /// An uncaught failure: what the next launch will record is put on disk now, then the process is over.
    package mutating func crash(message: String, stack: String, at moment: Moment) {
        if visibility != .ended, isEnabled, configuration.tracksExceptions {
            let event = Event(
                EventName.appException,
                id: ids.next(),
                timestamp: moment.wall,
                preset: [
                    AttributeName.exceptionMessage: CrashReport.cut(message: message),
                    AttributeName.exceptionStack: CrashReport.cut(stack: stack),
                ]
            )
            // The event has no attributes of a caller's, and globals were checked when they were set: nothing to report.
            var none: [Violation] = []
            encode(event, error: nil, verdict: verdict(on: event, into: &none), at: moment)
            let report = CrashReport(
                id: event.id,
                timestamp: moment.wall,
                movesLastActive: isVisible,
                line: line
            )
            do {
                try store.write(report)
            } catch {
                notices.append(.warning("\(error)"))
            }
        }
        kill()
    }

    // MARK: Screens

    /// The platform reports that a screen appeared.
    package mutating func screen(_ screen: Screen, at moment: Moment) {
        guard isRecording, configuration.tracksScreenViews else { return }
        show(screen, own: [:], items: [], violations: [], at: moment)
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
        saveState()
        emit(transition.view, own: own, items: items, violations: violations, at: moment)
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
        emit(EventName.screenView, preset: preset, own: own, items: items, violations: violations, at: moment)
    }

    /// A screen view that the caller records: takes the screen out of the attributes, and makes it the current one.
    private mutating func recordScreenView(_ attributes: Attributes, _ items: [Attributes], at moment: Moment) {
        let given = attributes[AttributeName.screenName]
        if let violation = Validator.checkScreenName(given) {
            reject(violation, at: moment)
            return
        }
        guard case .string(let name) = given else { return }
        let screen = Screen(
            name: name,
            id: Self.text(attributes[AttributeName.screenID]),
            uniqueID: Self.text(attributes[AttributeName.screenUniqueID]) ?? Screen.derivedUniqueID(of: name)
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
        guard isRecording else { return }
        if name == EventName.screenView {
            recordScreenView(attributes, items, at: moment)
            return
        }
        if let violation = Validator.checkEventName(name) {
            reject(violation, at: moment)
            return
        }
        emit(name, own: attributes, items: items, at: moment)
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
        let accepted = Validator.checkGlobals(attributes, existing: globals, into: &violations)
        if isRecording {
            for violation in violations { reject(violation, at: moment) }
        }
        globals.merge(accepted)
    }

    package mutating func deleteGlobalAttributes(_ names: [String]) {
        for name in names { globals.remove(name) }
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
        users.set(accepted, at: moment.wall)
        profileChanged(at: moment)
    }

    package mutating func setUserID(_ id: String?, at moment: Moment) {
        guard visibility != .ended else { return }
        if let id, let violation = Validator.checkUserID(id) {
            if isRecording { reject(violation, at: moment) }
            return
        }
        let ids = ids
        guard users.logIn(id, at: moment.wall, newID: { ids.next().description }) == .profile else { return }
        profileChanged(at: moment)
    }

    private mutating func profileChanged(at moment: Moment) {
        writer.prepare(user: users.current, attributesInEveryEvent: configuration.sendsUserAttributesInEveryEvent)
        saveState()
        if isRecording { emit(EventName.profileSet, at: moment) }
    }

    // MARK: Switches

    package mutating func disable() {
        if profileBeforeDisabling == nil { profileBeforeDisabling = users.current }
    }

    package mutating func enable(at moment: Moment) {
        guard let before = profileBeforeDisabling else { return }
        profileBeforeDisabling = nil
        screens.restartRunningClock(at: moment)
        if before != users.current, visibility != .ended { emit(EventName.profileSet, at: moment) }
    }

    package mutating func configure(_ changed: Configuration, at moment: Moment) {
        guard changed != configuration else { return }
        let appID = configuration.appID
        let newGlobals = changed.globalAttributes == configuration.globalAttributes ? [:] : changed.globalAttributes
        configuration = changed
        if changed.appID != appID {
            configuration.appID = appID
            notices.append(
                .warning("The app id of a running client stays \"\(appID)\": start another client for another app.")
            )
        }
        writer.prepare(appID: configuration.appID, device: device, deviceID: deviceID)
        writer.prepare(user: users.current, attributesInEveryEvent: configuration.sendsUserAttributesInEveryEvent)
        setGlobals(newGlobals, at: moment)
    }

    package mutating func update(_ changed: Device) {
        guard changed != device else { return }
        device = changed
        deviceID = changed.deviceID ?? deviceID
        writer.prepare(appID: configuration.appID, device: device, deviceID: deviceID)
    }

    // MARK: Delivery

    /// Hands the store to the uploader for a moment; `nil` once the process is over.
    package mutating func withStore<Result>(_ body: (inout EventStore) -> Result) -> Result? {
        store.isOpen ? body(&store) : nil
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

    // MARK: Encoding

    private mutating func emit(
        _ name: String,
        preset: Attributes = [:],
        own: Attributes = [:],
        items: [Attributes] = [],
        violations found: [Violation] = [],
        at moment: Moment
    ) {
        var violations = found
        var event = Event(name, id: ids.next(), timestamp: moment.wall, preset: preset, own: own, items: items)
        let verdict = verdict(on: event, into: &violations)
        if !items.isEmpty { event.items = Validator.checkItems(items, into: &violations) }
        encode(event, error: violations.firstError, verdict: verdict, at: moment)
        append(line, name: name, id: event.id, active: isVisible, at: moment.wall, violations: violations)
        guard isVisible, !storeIsFailing else { return }
        sessions.wasActive(at: moment)
        // On a clock that was set back, this can be the very moment that the queue was last active when the state was
        // saved: then the queue alone does not say that it is the later one.
        if moment.wall == savedActivity.queue, moment.wall != savedActivity.session { saveState() }
    }

    /// Which of the event's own and of the global attributes stand in it.
    private func verdict(on event: Event, into violations: inout [Violation]) -> AttributeVerdict {
        let presets = writer.presets
        return Validator.checkAttributes(
            own: event.own,
            globals: globals,
            presetCount: presets.count + event.preset.count,
            isPreset: { presets.contains($0) || event.preset[$0] != nil },
            into: &violations
        )
    }

    private mutating func encode(_ event: Event, error: Violation?, verdict: AttributeVerdict, at moment: Moment) {
        line.removeAll(keepingCapacity: true)
        writer.write(event, globals: globals, verdict: verdict, error: error, at: moment, into: &line)
    }

    private mutating func append(
        _ bytes: [UInt8],
        name: String,
        id: UniqueID,
        active: Bool,
        at timestamp: Timestamp,
        violations: [Violation]
    ) {
        do {
            try store.append(bytes, isActive: active, timestamp: timestamp)
            storeIsFailing = false
            for eviction in store.takeEvictions() {
                notices.append(.evicted(events: eviction.events, reason: "cap on \(eviction.reason.rawValue)"))
            }
            if observesLines || configuration.logsEvents {
                notices.append(.recorded(name: name, id: id, line: bytes, violations: violations))
            } else if !violations.isEmpty {
                notices.append(.recorded(name: name, id: id, line: [], violations: violations))
            }
        } catch {
            storeIsFailing = true
            notices.append(.unstored(name: name, id: id, reason: "\(error)"))
        }
    }

    private mutating func saveState() {
        let state = StoredState(
            deviceID: deviceID,
            users: users,
            session: SessionMachine.Stored(
                id: sessions.session.id,
                number: sessions.session.number,
                start: sessions.session.start,
                lastActive: sessions.lastActive.wall
            ),
            queueActive: store.lastActive,
            lastView: screens.lastView,
            versions: launches.versions
        )
        do {
            try store.save(state)
            savedActivity = (state.session?.lastActive, state.queueActive)
        } catch {
            notices.append(.warning("\(error)"))
        }
    }

    private mutating func tell(_ decision: SessionMachine.Decision) {
        notices.append(
            .sessionDecided(number: sessions.session.number, isNew: decision.isNew, reason: decision.reason)
        )
    }
}
