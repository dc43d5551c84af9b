import ClickstreamCore

/// The events that precede a crash, selected from those of its session: the latest ones, within a number and a size.
///
/// Holds at most twice as many, and twice as many bytes and one event more.
struct EventsBeforeCrash {
    static let maxCount = 1_000
    /// Maximum bytes of two or more events in memory, about: 16 MiB.
    static let maxBytes = 16_777_216

    private let crash: ReceivedEvent
    private let maxBytes: Int
    private var events: [ReceivedEvent] = []
    private var bytes = 0
    /// Number of earlier events that were removed.
    private var omitted = 0

    init(_ crash: ReceivedEvent, maxBytes: Int = EventsBeforeCrash.maxBytes) {
        self.crash = crash
        self.maxBytes = maxBytes
    }

    /// Adds the next event in the order of arrival, if it precedes the crash.
    mutating func add(_ event: ReceivedEvent) {
        guard CrashTimeline.precedes(event, crash) else { return }
        events.append(event)
        bytes += event.heldBytes
        if events.count > 2 * Self.maxCount || bytes > 2 * maxBytes { removeEarliest() }
    }

    /// The crash with these events.
    var timeline: CrashTimeline {
        var selected = self
        selected.removeEarliest()
        return CrashTimeline(crash: crash, before: selected.events, omitted: selected.omitted)
    }

    /// Sorts the events by time, then arrival, and removes the earliest beyond the limits.
    private mutating func removeEarliest() {
        events = PersonTimeline.ordered(events, by: \.time)
        var first = events.count
        var kept = 0
        while first > 0, events.count - first < Self.maxCount {
            let next = kept + events[first - 1].heldBytes
            if next > maxBytes, first < events.count { break }
            kept = next
            first -= 1
        }
        omitted += first
        events.removeFirst(first)
        bytes = kept
    }
}
