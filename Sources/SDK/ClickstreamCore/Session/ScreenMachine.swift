/// Screen of the app. Two screens are equal if all three parts are.
package struct Screen: Sendable, Equatable {
    package var name: String
    package var id: String?
    /// The given unique id, or ``derivedUniqueID(of:)``.
    package var uniqueID: String

    package init(name: String, id: String? = nil, uniqueID: String? = nil) {
        self.name = name
        self.id = id
        self.uniqueID = uniqueID ?? Self.derivedUniqueID(of: name)
    }

    package static func == (one: Screen, other: Screen) -> Bool {
        Characters.areSame(one.name, other.name) && Characters.areSame(one.id, other.id)
            && Characters.areSame(one.uniqueID, other.uniqueID)
    }
}

/// State machine of screens, which determines screen views and engagement times. Pure: every input carries its time.
///
/// The engagement clock runs while the app is visible: it starts with a screen or a foreground signal, restarts with
/// each of them, and stops in the background.
package struct ScreenMachine: Sendable, Equatable {
    /// The minimum stay in milliseconds that counts as engagement ("at least one second").
    package static let shortestEngagement: Int64 = 1_000

    /// The current or last screen; `nil` until the first `show`.
    package private(set) var current: Screen?
    /// The wall time of the session's last screen view; set by `show`, reset to `nil` by `startSession`.
    package private(set) var lastView: Timestamp?
    private var clock = Clock.stands

    /// The engagement clock.
    private enum Clock: Sendable, Equatable {
        /// The clock is stopped.
        ///
        /// Transitions: `show` while the app is visible and `startClock` lead to ``runs(since:)``. `show` in the
        /// background, `restartRunningClock`, `leave` and `startSession` have no effect.
        case stands
        /// The clock runs since this time of ``Moment/awake``: it stops while the machine is suspended.
        ///
        /// Transitions: `leave`, `startSession` and `show` in the background lead to ``stands``. `show` while the app
        /// is visible, `startClock` and `restartRunningClock` restart it.
        case runs(since: Int64)
    }

    /// - Parameter lastView: the last view of a session that continues in this process, if it had one.
    package init(lastView: Timestamp? = nil) {
        self.lastView = lastView
    }

    /// Screen view to be recorded, with its predecessor.
    package struct View: Sendable, Equatable {
        package var screen: Screen
        /// True if this is the session's first view.
        package var isEntrance: Bool
        package var previous: Screen?
        package var previousTimestamp: Timestamp?
        /// The time on the previous screen in milliseconds, if any.
        package var engagement: Int64?
    }

    /// Result of showing a screen. `engagement` belongs to the old screen and is recorded first.
    package struct Transition: Sendable, Equatable {
        /// The time on the old screen in milliseconds, if it counts as engagement.
        package var engagement: Int64?
        package var view: View
    }

    /// Returns true if `screen` is the current screen, so that showing it has no effect.
    package func isShown(_ screen: Screen) -> Bool { current == screen }

    /// Returns the result of showing `screen` now; `nil` if it is the current screen. Does not change the state; see
    /// ``show(_:visible:at:)``.
    package func transition(to screen: Screen, at moment: Moment) -> Transition? {
        guard !isShown(screen) else { return nil }
        let stay = current == nil ? 0 : elapsed(at: moment)
        return Transition(
            engagement: stay >= Self.shortestEngagement ? stay : nil,
            view: View(
                screen: screen,
                isEntrance: lastView == nil,
                previous: current,
                previousTimestamp: lastView,
                engagement: stay > 0 ? stay : nil
            )
        )
    }

    /// Makes `screen` the current screen; restarts the clock if the app is visible.
    package mutating func show(_ screen: Screen, visible: Bool, at moment: Moment) {
        current = screen
        lastView = moment.wall
        clock = visible ? .runs(since: moment.awake) : .stands
    }

    /// Handles the foreground signal: restarts the clock.
    package mutating func startClock(at moment: Moment) {
        clock = .runs(since: moment.awake)
    }

    /// Handles the resumption of recording: restarts a running clock, and leaves a stopped one stopped.
    package mutating func restartRunningClock(at moment: Moment) {
        if case .runs = clock { clock = .runs(since: moment.awake) }
    }

    /// Handles leaving the app: stops the clock.
    /// - Returns: the stay in milliseconds, if it counts as engagement.
    package mutating func leave(at moment: Moment) -> Int64? {
        let stay = elapsed(at: moment)
        clock = .stands
        return stay >= Self.shortestEngagement ? stay : nil
    }

    /// Handles the start of a new session in this process: the current screen becomes its first view.
    /// - Returns: the view of the current screen, if any; the caller must still call ``show(_:visible:at:)``.
    package mutating func startSession() -> View? {
        lastView = nil
        clock = .stands
        return current.map { View(screen: $0, isEntrance: true) }
    }

    private func elapsed(at moment: Moment) -> Int64 {
        switch clock {
        case .stands: 0
        case .runs(let since): max(0, moment.awake - since)
        }
    }
}
