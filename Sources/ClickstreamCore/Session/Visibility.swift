/// Whether the app can be seen, and what a signal of the platform changes about that.
package enum Visibility: Sendable, Equatable, CaseIterable {
    /// The process was launched and counts as visible, though nothing was said yet.
    ///
    /// Left by `foreground` (``Change/appeared``), `background` (``Change/left``), `terminate` (``Change/left``), `vanish`.
    case launched
    /// The platform said foreground.
    ///
    /// Left by `background` (``Change/left``), `terminate` (``Change/left``), `vanish`; another `foreground` changes nothing.
    case foreground
    /// The platform said background.
    ///
    /// Left by `foreground` (``Change/returned``), `terminate`, `vanish`; another `background` changes nothing.
    case background
    /// Nobody sees anything: somebody records from outside the app.
    ///
    /// Left by `terminate`, `vanish`; `foreground` and `background` change nothing.
    case outside
    /// The process is over: nothing leaves, no signal changes anything.
    case ended

    /// What the platform, or whoever speaks for it, says.
    package enum Signal: Sendable, Equatable, CaseIterable {
        case foreground
        case background
        /// The orderly end of the process.
        case terminate
        /// The end without a word: a kill, a crash.
        case vanish
    }

    /// What a signal means for the app.
    package enum Change: Sendable, Equatable {
        case nothing
        /// The first foreground after the launch: it was decided at the launch what that means.
        case appeared
        /// The app comes back from the background.
        case returned
        /// The app goes away from the eyes of a person: to the background, or to its end.
        case left
    }

    package var isVisible: Bool { self == .launched || self == .foreground }

    /// Takes a signal in.
    package mutating func receive(_ signal: Signal) -> Change {
        switch (self, signal) {
        case (.launched, .foreground):
            self = .foreground
            return .appeared
        case (.background, .foreground):
            self = .foreground
            return .returned
        case (.launched, .background), (.foreground, .background):
            self = .background
            return .left
        case (.launched, .terminate), (.foreground, .terminate):
            self = .ended
            return .left
        case (.background, .terminate), (.outside, .terminate), (.launched, .vanish), (.foreground, .vanish),
            (.background, .vanish), (.outside, .vanish):
            self = .ended
            return .nothing
        case (.foreground, .foreground), (.background, .background), (.outside, .foreground), (.outside, .background),
            (.ended, _):
            return .nothing
        }
    }
}
