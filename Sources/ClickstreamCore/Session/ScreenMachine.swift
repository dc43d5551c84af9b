/// One screen of the app. Two screens are the same when all three parts are.
package struct Screen: Sendable, Equatable {
    package var name: String
    package var id: String?
    /// The given one, or ``derivedUniqueID(of:)``: every screen has one, however it is recorded.
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

/// Decides which screen views and engagement times are recorded. Knows no clock: every input carries its time.
///
/// The engagement clock runs while the app is visible: it starts with a screen or with the foreground signal, starts
/// again with each of them, and stops in the background.
package struct ScreenMachine: Sendable, Equatable {
    /// The shortest stay, in milliseconds, that is engagement ("at least one second").
    package static let shortestEngagement: Int64 = 1_000

    /// The screen that is shown, or was shown last; `nil` until the first `show`, and never again.
    package private(set) var current: Screen?
    /// The wall time of the session's latest view; `nil` before its first: left by `show`, come back to by `startSession`.
    package private(set) var lastView: Timestamp?
    private var clock = Clock.stands

    /// The engagement clock.
    private enum Clock: Sendable, Equatable {
        /// Nothing is being measured.
        ///
        /// Left by `show` while the app is visible and by `startClock`, to ``runs(since:)``. `show` in the background,
        /// `restartRunningClock`, `leave` and `startSession` leave it standing.
        case stands
        /// Measures since this reading of the steady clock.
        ///
        /// Left by `leave`, `startSession` and `show` in the background, to ``stands``. `show` while the app is visible,
        /// `startClock` and `restartRunningClock` start it again.
        case runs(since: Int64)
    }

    /// - Parameter lastView: of the session that goes on in this process, when it has had a view.
    package init(lastView: Timestamp? = nil) {
        self.lastView = lastView
    }

    /// A view to be recorded, with what it says about the way to it.
    package struct View: Sendable, Equatable {
        package var screen: Screen
        /// Whether this is the session's first view.
        package var isEntrance: Bool
        package var previous: Screen?
        package var previousTimestamp: Timestamp?
        /// Milliseconds on the previous screen, when there were any.
        package var engagement: Int64?
    }

    /// What showing a screen leads to. `engagement` comes first, and belongs to the old screen.
    package struct Transition: Sendable, Equatable {
        /// Milliseconds on the old screen, when they are enough to be engagement.
        package var engagement: Int64?
        package var view: View
    }

    /// Whether showing `screen` would be a transition.
    package func isShown(_ screen: Screen) -> Bool { current == screen }

    /// What showing `screen` now leads to; `nil` when it is shown already. Changes nothing: ``show(_:visible:at:)`` does.
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

    /// The screen is shown from now on; the clock starts again when the app is visible.
    package mutating func show(_ screen: Screen, visible: Bool, at moment: Moment) {
        current = screen
        lastView = moment.wall
        clock = visible ? .runs(since: moment.steady) : .stands
    }

    /// The foreground signal: the clock starts again.
    package mutating func startClock(at moment: Moment) {
        clock = .runs(since: moment.steady)
    }

    /// Recording was switched on again: a clock that runs starts again, none is started.
    package mutating func restartRunningClock(at moment: Moment) {
        if case .runs = clock { clock = .runs(since: moment.steady) }
    }

    /// The app is left: the clock stops.
    /// - Returns: the stay's milliseconds, when they are enough to be engagement.
    package mutating func leave(at moment: Moment) -> Int64? {
        let stay = elapsed(at: moment)
        clock = .stands
        return stay >= Self.shortestEngagement ? stay : nil
    }

    /// A new session starts in this process: what was before it is forgotten, and the current screen is viewed anew.
    /// - Returns: the view of the current screen, when there is one; it still has to be shown.
    package mutating func startSession() -> View? {
        lastView = nil
        clock = .stands
        return current.map { View(screen: $0, isEntrance: true) }
    }

    private func elapsed(at moment: Moment) -> Int64 {
        switch clock {
        case .stands: 0
        case .runs(let since): max(0, moment.steady - since)
        }
    }
}
