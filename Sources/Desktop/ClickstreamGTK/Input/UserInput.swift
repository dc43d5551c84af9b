import ClickstreamCapture

/// State machine that distinguishes activations by the user from changes by the program. Pure: every input carries its
/// monotonic time in milliseconds.
///
/// A control reports the same signal in both cases, some of them after an animation. A change belongs to the user if the
/// last press, release or key was inside of the control a short time ago. One press is at most one click: a control with
/// several parts, and an action of a button, report more than one signal.
struct UserInput: Equatable {
    /// The time after an input inside of a control in which a change of the control belongs to it.
    static let insideTime: Int64 = 1_000
    /// The time after a key that activates in which a click anywhere in the window belongs to it: a shortcut.
    static let keyTime: Int64 = 500

    /// The widget under the pointer or with the focus at the last input, and its ancestors up to the window.
    private var chain: [InstanceID] = []
    /// The widgets under the pointer at the last release, if the press was elsewhere.
    private var releaseChain: [InstanceID] = []
    private var time = Int64.min / 2
    private var source = Source.pointer
    /// True from press to release.
    private(set) var isPressed = false
    /// True once the input was reported as a click.
    private(set) var isSpent = true

    enum Source: Hashable {
        case pointer
        /// Key that activates the widget with the focus, or the default button of the window.
        case activatingKey
        /// Key that may be bound to an action or a mnemonic.
        case shortcutKey
        case otherKey
        /// Key that enters text or moves the focus. No change of a control belongs to it.
        case editingKey
    }

    /// Handles a press of a button or the touch of a finger.
    mutating func press(_ chain: [InstanceID], at time: Int64) {
        begin(chain, .pointer, at: time)
        isPressed = true
    }

    /// Handles the end of a press.
    mutating func release(_ chain: [InstanceID], at time: Int64) {
        isPressed = false
        releaseChain = chain
        self.time = time
    }

    /// Handles a key.
    mutating func key(_ chain: [InstanceID], _ source: Source, at time: Int64) {
        guard source == .editingKey else { return begin(chain, source, at: time) }
        guard !isPressed else { return }
        begin([], source, at: time)
        isSpent = true
    }

    /// Handles a wheel or a scroll gesture.
    mutating func wheel(_ chain: [InstanceID], at time: Int64) {
        guard !isPressed else { return }
        begin(chain, .pointer, at: time)
    }

    private mutating func begin(_ chain: [InstanceID], _ source: Source, at time: Int64) {
        self.chain = chain
        releaseChain.removeAll(keepingCapacity: true)
        self.source = source
        self.time = time
        isSpent = false
    }

    /// The widgets that the last input may activate, beginning with the innermost; none if it is a click already.
    var unspentChain: [InstanceID] {
        isSpent || isPressed || source == .shortcutKey ? [] : releaseChain.isEmpty ? chain : releaseChain
    }

    /// True if a change of a widget now belongs to the last input, which was inside of it.
    func isInside(_ id: InstanceID, at now: Int64) -> Bool {
        (isPressed || now - time < Self.insideTime) && (chain.contains(id) || releaseChain.contains(id))
    }

    /// Attributes a click to the last input, if that was inside of the widget.
    mutating func claimInside(_ id: InstanceID, at now: Int64) -> Bool {
        guard !isSpent, isInside(id, at: now) else { return false }
        isSpent = true
        return true
    }

    /// Attributes a click to the last input.
    /// - Parameter window: the window of the widget.
    /// - Returns: true if the click is one of the user, and the first of the input.
    mutating func claim(_ id: InstanceID, window: InstanceID?, at now: Int64) -> Bool {
        guard !isSpent else { return false }
        let isShortcut =
            source != .pointer && source != .otherKey && now - time < Self.keyTime
            && window.map { chain.last == $0 } ?? false
        guard isShortcut || isInside(id, at: now) else { return false }
        isSpent = true
        return true
    }

    /// Attributes the activation of an action without a widget to the last input.
    /// - Returns: true for a shortcut, if no other click was attributed to it.
    mutating func claimShortcut(at now: Int64) -> Bool {
        guard !isSpent, source == .shortcutKey, now - time < Self.keyTime else { return false }
        isSpent = true
        return true
    }
}
