import ClickstreamCore

/// The events that precede several crashes, selected in one pass over the events of each session.
struct EventsBeforeCrashes {
    private struct Crash: Sendable {
        var time: Int64
        var uniqueID: String?
        /// Index of its selection.
        var index: Int
    }

    /// Sessions of the crashes, each once.
    let sessions: [String]
    /// Crashes by session, in the order of their times.
    private let crashes: [ExactText: [Crash]]
    private var selections: [EventsBeforeCrash]

    /// - Parameter maxBytes: maximum bytes of the events of each crash.
    init(_ crashes: [ReceivedEvent], maxBytes: Int = EventsBeforeCrash.maxBytes) {
        var sessions: [String] = []
        var groups: [ExactText: [Crash]] = [:]
        for (index, crash) in crashes.enumerated() {
            // No event precedes a crash without a session or a time.
            guard let session = crash.session, let time = crash.time?.milliseconds else { continue }
            let key = ExactText(session)
            if groups[key] == nil { sessions.append(session) }
            groups[key, default: []].append(Crash(time: time, uniqueID: crash.uniqueID, index: index))
        }
        self.sessions = sessions
        self.crashes = groups.mapValues { $0.sorted { $0.time < $1.time } }
        selections = crashes.map { EventsBeforeCrash($0, maxBytes: maxBytes) }
    }

    /// Adds the next event of a session in the order of arrival to the crashes of the same person that it precedes.
    mutating func add(_ event: ReceivedEvent, of session: String) {
        guard let crashes = crashes[ExactText(session)], let time = event.time?.milliseconds else { return }
        var (low, high) = (0, crashes.count)
        while low < high {
            let middle = (low + high) / 2
            if crashes[middle].time < time { low = middle + 1 } else { high = middle }
        }
        let person = event.uniqueID
        for crash in crashes[low...] {
            guard UInt64(bitPattern: crash.time &- time) <= CrashTimeline.milliseconds else { return }
            if crash.uniqueID == person { selections[crash.index].add(event) }
        }
    }

    /// The crashes with their events, in the order of the initializer.
    var timelines: [CrashTimeline] { selections.map(\.timeline) }
}
