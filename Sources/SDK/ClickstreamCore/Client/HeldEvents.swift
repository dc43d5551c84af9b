/// Events that wait in memory for consent: encoded when they were recorded, with the facts of that time.
///
/// Limited by number and by ``maxBytes``; later events are dropped. They end with the process. The state that is stored
/// meanwhile owes their lifecycle events, so that the next launch records `_first_open` and `_session_start` again.
struct HeldEvents: Sendable {
    /// The maximum size of all waiting events in bytes.
    static let maxBytes = 4_194_304

    /// Event that waits.
    struct Event: Sendable {
        var name: String
        var id: UniqueID?
        var json: [UInt8]
        /// True if the event was recorded in the foreground.
        var isActive: Bool
        var timestamp: Timestamp
        var violations: [Violation] = []
        /// The format and the partition of an event in another format than the clickstream one.
        var captured: (format: FormatName, partition: PartitionKey?)?

        init(
            _ name: String,
            _ id: UniqueID,
            _ json: [UInt8],
            _ isActive: Bool,
            _ timestamp: Timestamp,
            _ violations: [Violation]
        ) {
            self.name = name
            self.id = id
            self.json = json
            self.isActive = isActive
            self.timestamp = timestamp
            self.violations = violations
        }

        init(
            _ json: [UInt8],
            format: FormatName,
            _ partition: PartitionKey?,
            _ isActive: Bool,
            _ timestamp: Timestamp
        ) {
            name = format.rawValue
            self.json = json
            self.isActive = isActive
            self.timestamp = timestamp
            captured = (format, partition)
        }
    }

    /// Lifecycle events that follow from the stored state and are not recorded; see ``StoredSession/Debt``.
    struct Debt: Sendable, Equatable {
        var events: [String] = []
        var versions: LaunchMachine.Versions?
        var viewBefore: Timestamp?
    }

    private(set) var events: [Event] = []
    private var bytes = 0
    private var debt = Debt()
    /// The last activity that the stored session shows while events wait: that of the launch, of a departure, or of the
    /// start of the session.
    private var storedActivity: Timestamp
    /// The session of ``storedActivity``.
    private var session: Int

    /// Begins to hold events.
    init(_ stored: SessionMachine.Stored) {
        storedActivity = stored.lastActive
        session = stored.number
    }

    // MARK: Waiting

    /// Adds an event.
    /// - Returns: false if there are too many.
    mutating func add(_ event: Event, limit: Int) -> Bool {
        guard events.count < limit, bytes + event.json.count <= Self.maxBytes else { return false }
        events.append(event)
        bytes += event.json.count
        return true
    }

    /// Removes all events; later ones wait as before.
    /// - Returns: the removed events.
    mutating func removeAll() -> [Event] {
        defer {
            events = []
            bytes = 0
        }
        return events
    }

    // MARK: Stored state

    /// Adds lifecycle events to those that the stored state owes.
    /// - Returns: all owed events.
    mutating func owe(_ new: Debt) -> Debt {
        if new.events.contains(EventName.sessionStart) {
            // Of an earlier session nothing is owed but what belongs to the installation.
            debt.events.removeAll { $0 == EventName.screenView }
            debt.viewBefore = nil
        }
        if debt.versions == nil { debt.versions = new.versions }
        for name in new.events where !debt.events.contains(name) {
            if name == EventName.screenView { debt.viewBefore = new.viewBefore }
            debt.events.append(name)
        }
        return debt
    }

    /// The app became invisible, or ended.
    mutating func depart(at moment: Moment) {
        storedActivity = moment.wall
    }

    /// The session as it is stored: while events wait, no event counts as activity.
    mutating func stored(_ current: SessionMachine.Stored) -> SessionMachine.Stored {
        var stored = current
        if current.number != session {
            session = current.number
            storedActivity = current.lastActive
        } else {
            stored.lastActive = storedActivity
        }
        return stored
    }
}
