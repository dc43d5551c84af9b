/// Decides on each event: recorded now, held until consent is given, or dropped.
///
/// Owner of everything that the decision depends on: the switch, the decisions on consent with the events that wait for them,
/// sampling rates, and running timings. ``isUnconditional``, the answer for the fast path, follows each change by itself.
struct Admission: Sendable {
    /// Decision on an event.
    enum Verdict: Sendable, Equatable {
        /// Recorded now.
        case now
        /// Encoded now, and held in memory; see ``hold(_:limit:)``.
        case hold
        /// Not recorded, and counted with this outcome.
        case drop(EventOutcome)
    }

    /// Switch of recording.
    private enum Switch: Sendable {
        case on
        case off
        /// Off, and everything was erased meanwhile.
        case erased
    }

    private var recording = Switch.on {
        didSet {
            revision &+= 1
            update()
        }
    }
    private var gate: ConsentGate {
        didSet {
            revision &+= 1
            update()
        }
    }
    private var sampler: Sampler { didSet { update() } }
    private var timings = Timings() { didSet { update() } }
    /// Events that wait for consent; `nil` unless ``gate`` holds them.
    private var held: HeldEvents?
    /// The user at the moment when ``refusal`` began, by the switch or by consent; `nil` without one.
    private var profileWhenRefused: User?
    /// True if every event is encoded as it is: recording is neither disabled nor closed by consent, and no name is sampled or
    /// timed.
    private(set) var isUnconditional = false
    /// Number of changes of the switch and of the decisions on consent so far.
    private(set) var revision = 0

    /// - Parameters:
    ///   - rates: by event name, the share of devices that record it.
    ///   - stored: the session as the state stores it, for events that wait.
    ///   - profile: the current user.
    init(_ gate: ConsentGate, _ rates: [String: Double], _ stored: SessionMachine.Stored, profile: User) {
        self.gate = gate
        sampler = Sampler(rates: rates)
        followGate(stored)
        _ = followProfile(profile)
        update()
    }

    private mutating func update() {
        isUnconditional = refusal == nil && sampler.isEmpty && timings.isEmpty
    }

    // MARK: Events

    /// The outcome of events that are dropped because recording is disabled, or closed by consent; `nil` if they are not.
    var refusal: EventOutcome? {
        guard isEnabled else { return .disabled }
        return gate.analytics == .closed ? .consentDropped : nil
    }

    /// False if recording is disabled, or closed by consent.
    @inline(__always)
    var isAdmitting: Bool { isUnconditional || refusal == nil }

    /// True if consent lets events be recorded now.
    @inline(__always)
    var isOpen: Bool { gate.analytics == .open }

    /// Decision on an event of the library.
    var verdict: Verdict { refusal.map { .drop($0) } ?? (isOpen ? .now : .hold) }

    /// True if an event of the app is admitted without attributes of sampling and timing.
    @inline(__always)
    func isUsual(_ name: String) -> Bool {
        isUnconditional || refusal == nil && !timings.isTimed(name) && !sampler.isSampled(name)
    }

    /// Decides on an event of the app, and ends its timing.
    /// - Parameters:
    ///   - deviceID: the device that is in the sample of the name or not.
    ///   - preset: receives the attributes that sampling and timing add.
    mutating func admit(
        _ name: String,
        on deviceID: String,
        at moment: Moment,
        adding preset: inout Attributes
    ) -> Verdict {
        guard !isUnconditional, refusal == nil else { return verdict }
        if let duration = timings.end(name, at: moment.awake) { preset[AttributeName.eventDuration] = duration }
        switch sampler.verdict(on: name, deviceID: deviceID) {
        case .unsampled: break
        case .kept(let rate): preset.set(AttributeName.samplingRate, to: .double(rate))
        case .sampledOut: return .drop(.sampledOut)
        }
        return verdict
    }

    // MARK: Switch

    var isEnabled: Bool {
        if case .on = recording { true } else { false }
    }

    /// Disables recording.
    /// - Parameter profile: the current user.
    mutating func disable(profile: User) {
        guard case .on = recording else { return }
        recording = .off
        _ = followProfile(profile)
    }

    /// Consequence of enabling recording.
    enum Resumption: Sendable, Equatable {
        /// It was enabled already.
        case none
        /// The app goes on.
        /// - isProfileChanged: true if the profile has to be recorded: it changed since recording was refused, and consent does not
        ///   refuse it either.
        case resume(isProfileChanged: Bool)
        /// The app is to be launched as a new installation.
        case relaunch
    }

    /// Enables recording.
    /// - Parameter profile: the current user.
    mutating func enable(profile: User) -> Resumption {
        let before = recording
        if case .on = before { return .none }
        recording = .on
        let isProfileChanged = followProfile(profile)
        if case .off = before { return .resume(isProfileChanged: isProfileChanged) }
        return .relaunch
    }

    /// Keeps the profile while recording is refused, by the switch, by consent or by both.
    /// - Returns: true if recording is not refused any more, and the profile has changed since it was.
    private mutating func followProfile(_ profile: User) -> Bool {
        let known = profileWhenRefused ?? profile
        profileWhenRefused = refusal == nil ? nil : known
        return refusal == nil && known != profile
    }

    // MARK: Consent

    /// The decisions on consent, also one that is not in effect yet.
    var consent: Consent { gate.consent }

    /// True if a decision can matter: another process may have made one.
    var usesConsent: Bool { gate.isInUse }

    /// Purposes whose data events carry.
    var allowedPurposes: [ConsentPurpose] { gate.allowed }

    /// Decision on consent without effect yet: it has to be saved first.
    struct Decision: Sendable {
        fileprivate let before: ConsentGate
        fileprivate let next: ConsentGate
        fileprivate let refused: [HeldEvents.Event]

        /// True if events recorded so far must not leave the device.
        var withdraws: Bool { before.withdraws(to: next) }
    }

    /// Consequences of a decision on consent, to be performed in order.
    struct Consequences: Sendable {
        /// Events that waited in vain.
        var dropped: [HeldEvents.Event]
        /// Events that waited and are to be recorded as they are, in order; `nil` if none had to wait.
        var released: [HeldEvents.Event]?
        /// True if recording was closed, and is not any more.
        var reopens: Bool
        /// True if the profile has to be recorded.
        var recordsProfile: Bool
    }

    /// The stored consent after a decision, which may be a withdrawal.
    func consent(after decision: ConsentDecision, for purposes: [ConsentPurpose], stored: Consent?) -> Consent {
        var consent = stored ?? gate.consent
        consent.decide(decision, for: purposes)
        if gate.withdraws(to: gate.with(consent)) { consent.countWithdrawal() }
        return consent
    }

    /// Takes a decision, to be saved and then given effect by ``apply(_:_:profile:)``.
    ///
    /// Events that are to be recorded stay owed until then; those to be dropped count as having happened. Dropped are those that
    /// waited before a withdrawal or an erasure, also by another process and before a new grant.
    mutating func take(_ consent: Consent) -> Decision {
        let (before, next) = (gate, gate.with(consent))
        let isClosed = next.analytics == .closed
        let refused = isClosed || consent.withdrawals > before.consent.withdrawals ? removeHeld() : []
        if isClosed {
            gate = next
            held = nil
        } else {
            gate = before.pending(consent)
        }
        return Decision(before: before, next: next, refused: refused)
    }

    /// Gives effect to a decision.
    /// - Parameters:
    ///   - stored: the session as the state stores it.
    ///   - profile: the current user.
    mutating func apply(_ decision: Decision, _ stored: SessionMachine.Stored, profile: User) -> Consequences {
        let (before, next) = (decision.before, decision.next)
        gate = next
        let reopens = before.analytics == .closed && next.analytics != .closed
        let isNew = !before.allowed.contains(.personalization) && profile.hasProfile
        let hasChanged = followProfile(profile)
        let released = before.analytics == .holding && next.analytics == .open ? removeHeld() : nil
        followGate(stored)
        return Consequences(
            dropped: decision.refused,
            released: released,
            reopens: reopens,
            recordsProfile: next.allowed.contains(.personalization) && (isNew || hasChanged)
        )
    }

    /// Forgets the timings and the decisions of the person whose data is erased.
    /// - Parameter profile: the user of the new installation.
    /// - Returns: the consent of the new installation.
    mutating func erase(_ stored: SessionMachine.Stored, profile: User) -> Consent {
        var consent = gate.consent
        if gate.isInUse { consent.reset() }
        consent.countWithdrawal()
        gate = gate.with(consent)
        followGate(stored)
        profileWhenRefused = nil
        _ = followProfile(profile)
        timings.removeAll()
        if !isEnabled { recording = .erased }
        return consent
    }

    /// Begins or ends the wait of events.
    private mutating func followGate(_ stored: SessionMachine.Stored) {
        held = gate.analytics == .holding ? held ?? HeldEvents(stored) : nil
    }

    // MARK: Held events

    /// Keeps an event until consent is given.
    /// - Returns: false if it is to be dropped: no events are held, or too many.
    mutating func hold(_ event: HeldEvents.Event, limit: Int) -> Bool {
        held?.add(event, limit: limit) ?? false
    }

    /// Removes the events that wait; later ones wait as before.
    mutating func removeHeld() -> [HeldEvents.Event] {
        held?.removeAll() ?? []
    }

    /// The lifecycle events that the stored state owes, after `new` ones were added.
    mutating func owe(_ new: HeldEvents.Debt) -> HeldEvents.Debt {
        gate.analytics == .closed ? HeldEvents.Debt() : held?.owe(new) ?? new
    }

    /// The session as it is stored: see ``HeldEvents/stored(_:)``.
    mutating func stored(_ current: SessionMachine.Stored) -> SessionMachine.Stored {
        held?.stored(current) ?? current
    }

    // MARK: Sampling and timing

    /// Takes over changed sampling rates.
    mutating func sample(_ rates: [String: Double]) {
        sampler = Sampler(rates: rates)
    }

    /// Starts or restarts the timing of the next event of that name.
    /// - Returns: false if too many timings are running.
    mutating func startTiming(_ name: String, at moment: Moment) -> Bool {
        timings.start(name, at: moment.awake)
    }

    /// Ends a timing without an event.
    mutating func cancelTiming(_ name: String) {
        _ = timings.end(name, at: 0)
    }

    /// The app became visible.
    mutating func resume(at moment: Moment) {
        timings.resume(at: moment.awake)
    }

    /// The app is about to become invisible, or to end.
    mutating func depart(at moment: Moment) {
        held?.depart(at: moment)
    }

    /// The app became invisible.
    mutating func pause(at moment: Moment) {
        timings.pause(at: moment.awake)
    }
}
