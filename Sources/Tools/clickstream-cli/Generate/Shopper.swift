import ClickstreamCore
import ClickstreamReplay

/// One user of the generated traffic: a real client with its own clock and disk that plays a ``ShopLife``.
///
/// A class, because the client cannot be copied. Used by one task at a time.
final class Shopper {
    /// Upper bound of the events of one step.
    static let maxEvents = 8
    /// Upper bound of the events of a launch: `_first_open`, `_app_start`, `_session_start`.
    static let maxEventsOfLaunch = 3

    private var replayer: Replayer
    private let life: ShopLife
    private var next = 0
    /// True if the app is visible, so that one more event changes nothing else.
    private(set) var isInForeground = false
    /// True between a launch and the end of the process: a single event can be recorded.
    private(set) var isRunning = false

    /// - Parameter setup: the client's dependencies; its start is the time of the first step.
    init(_ life: ShopLife, _ setup: Replayer.Setup) {
        self.life = life
        replayer = Replayer(Script(facts: life.facts, pages: life.pages, steps: life.steps), setup: setup)
    }

    var hasEnded: Bool { next == life.steps.count }

    /// Upper bound of the events that ``play()`` records, to be reserved before.
    var maxEventsOfNextStep: Int {
        let step = life.steps[next...].first { if case .wait = $0.action { false } else { true } }
        guard case .launch = step?.action else { return Self.maxEvents }
        return Self.maxEventsOfLaunch
    }

    /// True if the next step takes the app out of view.
    var isAboutToLeave: Bool {
        guard next < life.steps.count else { return true }
        return switch life.steps[next].action {
        case .background, .terminate, .kill: true
        default: false
        }
    }

    /// Plays the next step, and the wait before it.
    func play() async throws {
        while next < life.steps.count {
            let step = life.steps[next]
            next += 1
            // Without --duplicate, no request is sent twice.
            if case .kill = step.action { await replayer.endDelivery() }
            try await replayer.play([step])
            switch step.action {
            case .wait: continue
            case .launch: isRunning = true
            case .foreground: isInForeground = true
            case .background: isInForeground = false
            case .terminate, .kill: (isInForeground, isRunning) = (false, false)
            default: break
            }
            return
        }
    }

    /// One extra event, which fills a run up to the requested number.
    func playOneEvent() async throws {
        try await replayer.play(life.filler)
    }

    /// Sends the remaining events.
    /// - Parameter timeout: maximum milliseconds without an accepted event.
    func finish(timeout: Int64) async throws {
        (isInForeground, isRunning) = (false, false)
        _ = try await replayer.finish(timeout: timeout)
        replayer.end()
    }
}
