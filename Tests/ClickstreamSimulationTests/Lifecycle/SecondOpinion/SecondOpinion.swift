import ClickstreamCore
import ClickstreamReplay

/// Predicts the events of a script from the lifecycle's table alone: a second opinion on what the library does.
///
/// Written as differently from the library as could be. There are no machines and there is no state but the past: the
/// list of what happened and what was recorded of it. Every question ("which session is this?", "since when is the
/// screen shown?") is answered by looking back over that list, so that a rule is in one place with its words from
/// the table. Costs a walk over the history for every answer; histories are short. The rules of each of the library's
/// machines are in a file of their own.
struct SecondOpinion {
    /// Executed step, with the clocks at that moment and the state just before it.
    struct Entry {
        var action: Step.Action
        var wall: Int64
        var steady: Int64
        /// True if the app was visible just before.
        var wasSeen: Bool
        /// True if the platform's last signal before was foreground.
        var wasInFront: Bool
        /// True if recording was switched on just before.
        var wasSwitchedOn: Bool
        /// What became of an event just before.
        var gate: Gate
        /// True if events were recorded, or waited for consent, just before.
        var wasOn: Bool { wasSwitchedOn && gate.way != .closed }
        /// Jump of the wall clock that the step notices, just before it.
        var jump: Int64
        /// Session that the step starts.
        var began: Stretch?
        /// True if a decision ends the time without consent.
        var opens = false
        /// Recorded events, in order.
        var reported: [Sighting] = []
        /// Crash event to be recorded by the next launch.
        var withheld: Sighting?
        /// Events that waited for consent when their process ended: they never happened.
        var forgotten: [Sighting] = []

        /// True if the step is use of the app: the moment of background, an event in the foreground, a crash there.
        var isUse: Bool {
            switch action {
            case .background, .terminate: wasSeen
            case .launch: true
            case .crash: wasSeen && withheld != nil
            // By its first event the app is visible again.
            case .foreground: !reported.isEmpty || began != nil
            default: wasSeen && !reported.isEmpty
            }
        }

        var isDeparture: Bool {
            switch action {
            case .terminate, .kill, .crash: true
            default: false
            }
        }
    }

    let script: Script
    var past: [Entry] = []
    var wall: Int64
    var steady: Int64 = 0
    let deviceID: String
    /// Steps whose decision was lost with the process, before it was stored.
    let undone: Set<Int>
    var outcomes = Outcomes()
    /// Consent as it applies to events now.
    var gate = Gate(way: .open, isPersonal: true)
    /// Events that wait for consent.
    var waiting: [Sighting] = []
    /// The step since which events wait.
    var waitingSince: Int?
    /// The events of each step that reach the disk in it: of the step, or of earlier ones that waited.
    var recorded: [[Sighting]] = []

    /// What becomes of the events besides those on the disk.
    struct Outcomes: Equatable {
        var consentDropped = 0
        var sampledOut = 0
        /// The events on the disk.
        var stored: [Sighting.Position] = []
    }

    private init(of script: Script, start: Int64, deviceID: String, undone: Set<Int>) {
        self.script = script
        wall = start
        self.deviceID = deviceID
        self.undone = undone
    }

    /// The events that each step of `script` must record, and what becomes of all. The script has no `repeat`.
    /// - Parameters:
    ///   - deviceID: the device's id, which decides on sampled events.
    ///   - undone: consent steps whose decision was not stored, since the process was killed in them.
    static func predictions(
        for script: Script,
        start: Int64,
        deviceID: String = "",
        undone: Set<Int> = []
    ) -> (events: [[Sighting]], outcomes: Outcomes) {
        var opinion = SecondOpinion(of: script, start: start, deviceID: deviceID, undone: undone)
        for step in script.steps { opinion.take(step.action) }
        return (opinion.recorded, opinion.outcomes)
    }

    private mutating func take(_ action: Step.Action) {
        let isLaunch = if case .launch = action { true } else { false }
        gate = gate(before: past.count)
        if isLaunch { waitingSince = gate.way == .waiting ? past.count : nil }
        past.append(
            Entry(
                action: action,
                wall: wall,
                steady: steady,
                wasSeen: !isLaunch && lastSignal != .background,
                wasInFront: !isLaunch && lastSignal == .foreground,
                wasSwitchedOn: isLaunch || isOn(before: past.count),
                gate: gate,
                jump: jump(noticedBy: action)
            )
        )
        recorded.append([])
        happen(action)
        settle()
        switch action {
        case .wait(let milliseconds):
            wall += milliseconds
            steady += milliseconds
        case .clock(.by(let milliseconds)): wall += milliseconds
        case .clock(.to(let time)): wall = time.milliseconds
        default: break
        }
    }

    var now: Int { past.count - 1 }

    // MARK: Steps

    private mutating func happen(_ action: Step.Action) {
        let entry = past[now]
        switch action {
        case .launch:
            launch()
        case .foreground:
            comeBack(from: entry)
        case .background, .terminate:
            if entry.wasSeen, entry.wasOn { leave() }
        case .crash(let message, let stack)
        where entry.wasOn && entry.gate.way == .open && isSet("isTrackAppExceptionEvents", otherwise: false):
            past[now].withheld = sighting(
                "_app_exception",
                ["_exception_message": .text(message), "_exception_stack": .text(stack)]
            )
        case .screen(let name, let id, let uniqueID, _):
            guard entry.wasOn, isSet("isTrackScreenViewEvents", otherwise: true) else { return }
            view(
                Shown(
                    name: .text(name),
                    id: id.map { .text($0) },
                    uniqueID: uniqueID.map { .text($0) } ?? .derived(from: name)
                )
            )
        case .record where !entry.wasOn:
            if entry.wasSwitchedOn { outcomes.consentDropped += 1 }
        case .record("_screen_view", let attributes, let items):
            viewByHand(attributes, items)
        case .record(let name, let attributes, let items):
            record(name, attributes, items)
        case .userID(let id):
            if entry.wasOn { login(id) }
        case .addUserAttributes(let attributes):
            guard entry.wasOn else { return }
            for case .refused(let code) in attributes.map({ Verdict(onUser: $0) }) { complain(code) }
            report("_profile_set")
        case .addGlobalAttributes(let attributes):
            guard entry.wasOn else { return }
            for case .refused(let code) in attributes.map({ Verdict(onEvent: $0) }) { complain(code) }
        case .enable:
            if !entry.wasSwitchedOn, entry.gate.way != .closed, profile(before: refusedSince) != profile(before: now) {
                report("_profile_set")
            }
        case .consent:
            if !undone.contains(now) { decide(after: gate(before: now + 1)) }
        // Steps that record nothing, and those that no history has.
        default: break
        }
    }
}
