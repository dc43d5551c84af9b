/// State machine of the visibility of the app: it is visible while one of its windows is active. Pure: every input
/// carries its monotonic time in milliseconds.
///
/// Between two windows of the app no window is active for a moment, which does not count.
struct AppVisibility: Equatable {
    /// The time without an active window after which the app is hidden.
    static let debounce: Int64 = 50

    enum Action: Equatable {
        case show
        case hide
        /// Call ``expire(at:)`` after this number of milliseconds.
        case wait(Int64)
    }

    private var state = State.neverActive

    private enum State: Equatable {
        /// No window was active yet, for example without a window manager.
        case neverActive
        case visible
        case leaving(since: Int64)
        case hidden
    }

    /// Handles a change of the active windows.
    mutating func update(hasActiveWindow: Bool, at now: Int64) -> Action? {
        switch (state, hasActiveWindow) {
        case (.neverActive, true), (.hidden, true):
            state = .visible
            return .show
        case (.leaving, true):
            state = .visible
            return nil
        case (.visible, false):
            state = .leaving(since: now)
            return .wait(Self.debounce)
        default:
            return nil
        }
    }

    /// Handles the end of the debounce time.
    mutating func expire(at now: Int64) -> Action? {
        guard case .leaving(let since) = state else { return nil }
        guard now - since >= Self.debounce else { return .wait(since + Self.debounce - now) }
        state = .hidden
        return .hide
    }
}
