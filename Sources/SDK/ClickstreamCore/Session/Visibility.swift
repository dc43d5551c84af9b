/// State machine of the app's visibility, driven by signals of the platform.
package enum Visibility: Sendable, Equatable, CaseIterable {
    /// The process was launched and counts as visible, before the first signal.
    ///
    /// Transitions: `foreground` (``Change/appeared``), `background` (``Change/left``), `terminate` (``Change/left``),
    /// `vanish`.
    case launched
    /// In the foreground.
    ///
    /// Transitions: `background` (``Change/left``), `terminate` (``Change/left``), `vanish`; `foreground` has no
    /// effect.
    case foreground
    /// In the background.
    ///
    /// Transitions: `foreground` (``Change/returned``), `terminate`, `vanish`; `background` has no effect.
    case background
    /// Never visible: another program records to the app's store.
    ///
    /// Transitions: `terminate`, `vanish`; `foreground` and `background` have no effect.
    case outside
    /// The process has ended; final, no signal has an effect.
    case ended

    /// Signal of the platform, or of a caller that reports for it.
    package enum Signal: Sendable, Equatable, CaseIterable {
        case foreground
        case background
        /// The orderly end of the process.
        case terminate
        /// An end without notification: a kill or a crash.
        case vanish
    }

    /// Effect of a signal on the app.
    package enum Change: Sendable, Equatable {
        case nothing
        /// The first foreground signal after the launch; its consequences were decided at the launch.
        case appeared
        /// The app returned from the background.
        case returned
        /// The app is no longer visible: it entered the background or ended.
        case left
    }

    package var isVisible: Bool { self == .launched || self == .foreground }

    /// Applies a signal and returns its effect.
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
