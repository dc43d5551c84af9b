import ClickstreamCore
import ClickstreamReplay

/// Invariants of the events of any history, checked on the events alone.
struct Invariants {
    private struct View: Equatable {
        var name: String?
        var id: String?
        var uniqueID: String?
        var time: Int64?
    }

    private(set) var broken: [String] = []
    /// True if events may be missing for lack of consent: what they would show of the others is not checked.
    private let hasGaps: Bool
    /// The name of the event that is looked at.
    private var seen = ""
    private var ids: Set<String> = []
    private var started: Int64 = 0
    private var durations: [Int64: Int64] = [:]
    /// The session's duration when its engagement may begin: at the last view, start, or engagement.
    private var engagedSince: Int64 = 0
    private var lastEngagement: Int64?
    private var entered: Set<Int64> = []
    private var views: [Int64: View] = [:]
    /// The last view of this process.
    private var shown: (session: Int64, view: View)?
    private var profile: (key: String, names: Set<String>)?

    /// Everything that is broken.
    /// - Parameter script: used only for the time for which the app was visible.
    static func broken(by recorded: [[JSONValue]], in script: Script) -> [String] {
        var invariants = Invariants(hasGaps: script.asksForConsent)
        var visible: Int64 = 0
        var engaged: Int64 = 0
        var isVisible = false
        for (step, events) in zip(script.steps, recorded) {
            for event in events {
                invariants.see(event)
                if event["event_type"]?.string == "_user_engagement" {
                    engaged += event["attributes"]?["_engagement_time_msec"]?.integer ?? 0
                }
            }
            if case .userID = step.action, !events.contains(where: { $0["event_type"]?.string == "_profile_set" }) {
                // A user may have logged in and out while recording was off: the events do not determine the profile.
                invariants.profile = nil
            }
            switch step.action {
            case .launch, .foreground: isVisible = true
            case .background, .terminate, .kill, .crash: isVisible = false
            case .wait(let milliseconds) where isVisible: visible += milliseconds
            default: break
            }
        }
        if engaged > visible {
            invariants.broken.append("engagement of \(engaged) ms in \(visible) ms of foreground")
        }
        return invariants.broken
    }

    private init(hasGaps: Bool) {
        self.hasGaps = hasGaps
    }

    private mutating func require(_ holds: Bool, _ claim: String) {
        if !holds { broken.append("\(seen): \(claim)") }
    }

    private mutating func see(_ event: JSONValue) {
        let name = event["event_type"]?.string ?? "?"
        let attributes = event["attributes"] ?? JSONValue(.null)
        func number(_ attribute: String) -> Int64? { attributes[attribute]?.integer }
        seen = name
        require(ids.insert(event["event_id"]?.string ?? "").inserted, "its id was given before")
        guard let session = number("_session_number"), let duration = number("_session_duration") else {
            require(false, "no session")
            return
        }
        require(duration >= 0, "a session lasts \(duration) ms")
        if hasGaps { return }

        if name == "_session_start" {
            require(session > started, "session \(session) starts after session \(started)")
            started = session
        }
        if name == "_app_exception" {
            // Recorded late, of the process before.
            require(session <= started, "of a session that has not begun")
            return
        }
        // The events that lead a session in come before its start.
        require(session == started || session == started + 1, "in session \(session) after the start of \(started)")
        if ["_first_open", "_app_update", "_os_update"].contains(name) || attributes["_is_first_time"]?.boolean == true
        {
            // A new process, which takes the session's duration from the wall clock.
            durations[session] = nil
            shown = nil
        }
        if name == "_app_start" { engagedSince = duration }
        require(duration >= durations[session] ?? 0, "earlier than the event before")
        durations[session] = duration

        engagement(name, number("_engagement_time_msec"), duration: duration)
        if name == "_screen_view" {
            view(attributes, session: session, time: event["timestamp"]?.integer)
            engagedSince = duration
        }
        if name == "_app_end" { engagedSince = duration }
        if name == "_profile_set" { profile(event["user"]?.members ?? [], of: event["unique_id"]?.string) }
    }

    private mutating func engagement(
        _ name: String,
        _ milliseconds: Int64?,
        duration: Int64
    ) {
        defer { lastEngagement = name == "_user_engagement" ? milliseconds : nil }
        guard let milliseconds else { return }
        if name == "_screen_view", let lastEngagement {
            require(milliseconds == lastEngagement, "\(milliseconds) ms beside engagement of \(lastEngagement) ms")
            return
        }
        require(milliseconds > 0, "engagement of \(milliseconds) ms")
        require(
            milliseconds <= duration - engagedSince,
            "engagement of \(milliseconds) ms, \(duration - engagedSince) ms after what it may begin with"
        )
        engagedSince = duration
    }

    private mutating func view(
        _ attributes: JSONValue,
        session: Int64,
        time: Int64?
    ) {
        func text(_ name: String) -> String? { attributes[name]?.string }
        let isEntrance = attributes["_entrances"]?.integer == 1
        require(isEntrance == (views[session] == nil), "an entrance is the session's first view")
        if isEntrance { require(entered.insert(session).inserted, "a second entrance") }
        let previous = View(
            name: text("_previous_screen_name"),
            id: text("_previous_screen_id"),
            uniqueID: text("_previous_screen_unique_id"),
            time: attributes["_previous_timestamp"]?.integer
        )
        var expected = View(time: views[session]?.time)
        if let shown, shown.session == session {
            expected = shown.view
            expected.time = views[session]?.time
        }
        require(previous == expected, "the chain of screens is broken: \(previous) after \(expected)")
        let view = View(
            name: text("_screen_name"),
            id: text("_screen_id"),
            uniqueID: text("_screen_unique_id"),
            time: time
        )
        views[session] = view
        shown = (session, view)
    }

    private mutating func profile(_ members: [JSONMember], of person: String?) {
        let names = Set(members.map(\.name))
        require(names.contains("_user_first_touch_timestamp"), "no first touch")
        let login = members.first { $0.name == "_user_id" }?.value["value"]?.string
        let key = "\(person ?? "?") \(login ?? "-")"
        if let profile, profile.key == key {
            require(names.isSuperset(of: profile.names), "not whole: \(profile.names.subtracting(names).sorted())")
        }
        profile = (key, names)
    }
}

extension Script {
    /// True if events are recorded only with consent, or not after a decision.
    fileprivate var asksForConsent: Bool {
        facts.configuration.contains { $0.key == "consent" }
            || steps.contains { step in
                if case .consent = step.action { true } else { false }
            }
    }
}
