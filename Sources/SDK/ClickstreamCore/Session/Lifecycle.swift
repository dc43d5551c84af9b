/// Decides the consequences of the app's lifecycle: owns visibility, session, screens and launch.
///
/// A pure machine: every input has its time, and the result is a list of effects, to be performed in order. Two of them,
/// ``Effect/decideSession`` and ``Effect/view(_:own:items:)``, continue here once their predecessors are performed.
package struct Lifecycle: Sendable, Equatable {
    package private(set) var visibility: Visibility
    private var sessions: SessionMachine
    private var screens: ScreenMachine
    private var launches: LaunchMachine
    private var sleeps: SleepDetector
    private var clockJumps: ClockJumpDetector
    /// True while the session was decided for an event from outside the app that has not been recorded yet.
    private var awaitsFirstEvent = false

    package enum Effect: Sendable, Equatable {
        /// Lock the shared state, then continue with ``decideSession(lastNumber:timeout:uniqueID:at:)``.
        case decideSession
        /// Report the decision on the session.
        case report(SessionMachine.Decision)
        /// Later events belong to this session.
        case enter(Session)
        /// Later events carry this screen.
        case show(Screen?)
        /// Later events are recorded in the foreground (true) or in the background.
        case becomeActive(Bool)
        /// Save the state, with the names of the events that follow from it.
        /// - lastView: the latest view before the one that is owed.
        case save(owing: [String], lastView: Timestamp?)
        /// Save the state without owed events if they could not be stored.
        case saveIfFailing
        case emit(EventDraft)
        /// Continue with ``view(_:own:items:at:)``.
        case view(ScreenMachine.View, own: Attributes, items: [Attributes])
    }

    /// State left by earlier processes.
    package struct Past: Sendable, Equatable {
        /// The session that continues within the time-out.
        package var session: SessionMachine.Stored?
        /// The session's latest screen view.
        package var lastView: Timestamp?
        /// True if `_session_start` of that session has not been recorded.
        package var owesStart: Bool
        /// The greatest session number that any process has used.
        package var lastNumber: Int
        package var versions: LaunchMachine.Versions?
        /// False while another process has a session.
        package var isAlone: Bool

        package init(
            session: SessionMachine.Stored? = nil,
            lastView: Timestamp? = nil,
            owesStart: Bool = false,
            lastNumber: Int = 0,
            versions: LaunchMachine.Versions? = nil,
            isAlone: Bool = true
        ) {
            self.session = session
            self.lastView = lastView
            self.owesStart = owesStart
            self.lastNumber = lastNumber
            self.versions = versions
            self.isAlone = isAlone
        }
    }

    /// The session that events belong to now.
    package var session: Session { sessions.session }
    /// The time of the last activity.
    package var lastActive: Moment { sessions.lastActive }
    /// The time of the session's latest screen view.
    package var lastView: Timestamp? { screens.lastView }
    /// The versions of the latest launch.
    package var versions: LaunchMachine.Versions? { launches.versions }
    /// The session as the state stores it.
    package var stored: SessionMachine.Stored {
        SessionMachine.Stored(
            id: session.id,
            number: session.number,
            start: session.start,
            lastActive: lastActive.wall
        )
    }

    // MARK: Launch

    /// Continues the session of an earlier process, or starts the next.
    package static func begin(
        after past: Past,
        visibility: Visibility,
        timeout: Int64,
        uniqueID: String,
        at moment: Moment
    ) -> (lifecycle: Lifecycle, decision: SessionMachine.Decision) {
        var (sessions, decision) = SessionMachine.launch(
            stored: past.session,
            lastNumber: past.lastNumber,
            timeout: timeout,
            uniqueID: uniqueID,
            at: moment
        )
        if !past.isAlone, past.session == nil { decision.reason = "another process has a session" }
        let lifecycle = Lifecycle(
            visibility: visibility,
            sessions: sessions,
            screens: ScreenMachine(lastView: decision.isNew ? nil : past.lastView),
            launches: LaunchMachine(versions: past.versions),
            sleeps: SleepDetector(at: moment),
            clockJumps: ClockJumpDetector(at: moment)
        )
        return (lifecycle, decision)
    }

    private init(
        visibility: Visibility,
        sessions: SessionMachine,
        screens: ScreenMachine,
        launches: LaunchMachine,
        sleeps: SleepDetector,
        clockJumps: ClockJumpDetector
    ) {
        self.visibility = visibility
        self.sessions = sessions
        self.screens = screens
        self.launches = launches
        self.sleeps = sleeps
        self.clockJumps = clockJumps
    }

    /// A launch of the app.
    /// - Parameter startsSession: true if `_session_start` is owed for the current session.
    /// - Returns: the events of the launch.
    package mutating func launch(
        _ now: LaunchMachine.Versions,
        startsSession: Bool,
        at moment: Moment
    ) -> [EventDraft] {
        if visibility == .foreground { screens.startClock(at: moment) }
        var events = launches.launch(now).map { finding in
            switch finding {
            case .appUpdated(let version):
                EventDraft(finding.eventName, preset: [AttributeName.previousAppVersion: version])
            case .systemUpdated(let version):
                EventDraft(finding.eventName, preset: [AttributeName.previousOSVersion: version])
            case .firstOpen:
                EventDraft(finding.eventName)
            }
        }
        events.append(Self.appStart(isFirst: true))
        if startsSession { events.append(EventDraft(EventName.sessionStart)) }
        return events
    }

    /// Begins to record from outside the app, without lifecycle events.
    /// - Parameter lastNumber: the greatest session number, read again under the lock of the state: another process may have
    ///   used this session's meanwhile.
    package mutating func join(
        _ decision: SessionMachine.Decision,
        lastNumber: Int,
        timeout: Int64,
        uniqueID: String,
        at moment: Moment
    ) -> [Effect] {
        awaitsFirstEvent = true
        guard decision.isNew, lastNumber >= session.number else {
            return [.report(decision), .save(owing: [], lastView: nil)]
        }
        sessions =
            SessionMachine.launch(
                stored: nil,
                lastNumber: lastNumber,
                timeout: timeout,
                uniqueID: uniqueID,
                at: moment
            ).machine
        return [.enter(session), .report(decision), .save(owing: [], lastView: nil)]
    }

    // MARK: Visibility

    /// The app became visible.
    package mutating func foreground(isEnabled: Bool, at moment: Moment) -> [Effect] {
        switch visibility.receive(.foreground) {
        case .nothing, .left: return []
        case .appeared:
            if isEnabled { screens.startClock(at: moment) }
            return []
        case .returned:
            return [.becomeActive(true), isEnabled ? .decideSession : .report(.none)]
        }
    }

    /// Continues the session after a pause, or starts the next; see ``Effect/decideSession``.
    package mutating func decideSession(
        lastNumber: Int,
        timeout: Int64,
        uniqueID: String,
        at moment: Moment
    ) -> [Effect] {
        let decision = sessions.foreground(
            lastNumber: lastNumber,
            timeout: timeout,
            uniqueID: uniqueID,
            at: moment
        )
        if visibility == .outside {
            guard decision.isNew else { return [] }
            screens = ScreenMachine()
            return [.report(decision), .enter(session), .save(owing: [], lastView: nil)]
        }
        guard decision.isNew else {
            screens.startClock(at: moment)
            return [.report(decision), .emit(Self.appStart(isFirst: false))]
        }
        let view = screens.startSession()
        screens.startClock(at: moment)
        var effects: [Effect] = [
            .report(decision),
            .enter(session),
            .save(owing: [EventName.appStart, EventName.sessionStart], lastView: nil),
            .emit(Self.appStart(isFirst: false)),
            .emit(EventDraft(EventName.sessionStart)),
        ]
        if let view { effects.append(.view(view, own: [:], items: [])) }
        effects.append(.saveIfFailing)
        return effects
    }

    /// The app became invisible.
    package mutating func background(isEnabled: Bool, tracksEngagement: Bool, at moment: Moment) -> [Effect] {
        guard visibility.receive(.background) == .left else { return [] }
        return leave(isEnabled: isEnabled, tracksEngagement: tracksEngagement, at: moment)
    }

    /// The client ends in order.
    package mutating func terminate(isEnabled: Bool, tracksEngagement: Bool, at moment: Moment) -> [Effect] {
        guard visibility.receive(.terminate) == .left else { return [.becomeActive(false)] }
        return leave(isEnabled: isEnabled, tracksEngagement: tracksEngagement, at: moment)
    }

    /// The process ends without a further call.
    package mutating func vanish() {
        _ = visibility.receive(.vanish)
    }

    /// The time of an input, before the input itself.
    /// - Returns: the sleep of the machine since the input before, if any.
    @inline(__always)
    package mutating func receiveInput(at moment: Moment) -> SystemSleep? {
        sleeps.receive(moment)
    }

    /// True if the app leaves with the last input before a sleep, and returns with the first one after it.
    package func isInterrupted(by sleep: SystemSleep, timeout: Int64) -> Bool {
        visibility.isVisible && sleep.duration >= timeout
    }

    /// True if ``correctClock(timeout:at:)`` may find a jump of the wall clock.
    @inline(__always)
    package func mayHaveJumped(at moment: Moment) -> Bool {
        clockJumps.isPossible(at: moment)
    }

    /// Corrects the session's start if the wall clock has jumped by the timeout or more.
    /// - Returns: the jump in milliseconds, if any; negative if the clock was set back.
    package mutating func correctClock(timeout: Int64, at moment: Moment) -> Int64? {
        guard let jump = clockJumps.receive(moment, timeout: timeout) else { return nil }
        sessions.clockJumped(by: jump)
        return jump
    }

    /// The events of leaving still count as recorded in the foreground.
    private mutating func leave(isEnabled: Bool, tracksEngagement: Bool, at moment: Moment) -> [Effect] {
        let engagement = screens.leave(at: moment)
        sessions.wasActive(at: moment)
        var effects: [Effect] = [.save(owing: [], lastView: nil)]
        if isEnabled {
            if let engagement, tracksEngagement { effects.append(.emit(Self.userEngagement(engagement))) }
            effects.append(.emit(EventDraft(EventName.appEnd)))
        }
        effects.append(.becomeActive(false))
        return effects
    }

    // MARK: Screens

    /// A screen is shown by the app. Changes nothing yet: the effects do.
    /// - Parameters:
    ///   - own: the caller's attributes of the view.
    ///   - items: the caller's items of the view.
    package func show(
        _ screen: Screen,
        own: Attributes = [:],
        items: [Attributes] = [],
        tracksEngagement: Bool,
        at moment: Moment
    ) -> [Effect] {
        guard let transition = screens.transition(to: screen, at: moment) else { return [] }
        let view = Effect.view(transition.view, own: own, items: items)
        guard let engagement = transition.engagement, tracksEngagement else { return [view] }
        return [.emit(Self.userEngagement(engagement)), view]
    }

    /// The view of a screen becomes current; see ``Effect/view(_:own:items:)``.
    package mutating func view(
        _ view: ScreenMachine.View,
        own: Attributes,
        items: [Attributes],
        at moment: Moment
    ) -> [Effect] {
        screens.show(view.screen, visible: visibility.isVisible, at: moment)
        return [
            .save(owing: [EventName.screenView], lastView: view.previousTimestamp),
            .show(view.screen),
            .emit(EventDraft(view, own: own, items: items)),
        ]
    }

    /// Forgets the screen: from outside the app, an event has no screen before or after it.
    package mutating func forgetScreen() -> [Effect] {
        screens = ScreenMachine(lastView: screens.lastView)
        return [.show(nil)]
    }

    // MARK: Events

    /// An event was recorded while the app is in use.
    @inline(__always)
    package mutating func wasActive(at moment: Moment) {
        sessions.wasActive(at: moment)
    }

    /// An event is about to be recorded from outside the app: after a pause of the time-out the next session starts.
    package mutating func resumeOutside(timeout: Int64, at moment: Moment) -> [Effect] {
        if awaitsFirstEvent {
            awaitsFirstEvent = false
            return []
        }
        // The shared state costs a lock and a read: not for every event.
        return moment.steady - lastActive.steady >= timeout ? [.decideSession] : []
    }

    /// Recording was enabled again: a running engagement clock restarts.
    package mutating func enable(at moment: Moment) {
        screens.restartRunningClock(at: moment)
    }

    private static func appStart(isFirst: Bool) -> EventDraft {
        EventDraft(EventName.appStart, preset: [AttributeName.isFirstTime: isFirst])
    }

    private static func userEngagement(_ milliseconds: Int64) -> EventDraft {
        EventDraft(EventName.userEngagement, preset: [AttributeName.engagementTime: milliseconds])
    }
}

extension EventDraft {
    /// `_screen_view` of a view.
    fileprivate init(_ view: ScreenMachine.View, own: Attributes, items: [Attributes]) {
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
        self.init(
            EventName.screenView,
            preset: preset,
            own: own,
            items: items,
            isCallers: !own.isEmpty || !items.isEmpty
        )
    }
}
