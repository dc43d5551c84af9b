#if Tools
import ClickstreamCore

/// What one event tells about its session.
struct SessionEvent: Sendable, Hashable {
    var sequence: Int64
    var eventID: String?
    var name: String?
    var timestamp: Timestamp
    var number: Int64?
    var start: Int64?
    var uniqueID: String?
    var userID: String?
    var screenName: String?
    var screenUniqueID: String?
    var engagement: Int64?
    var reportsError: Bool
    var isBad: Bool
}

/// Walks a session's events in the order of their time and gathers what they tell. Knows no store.
///
/// A screen's engagement is what `_user_engagement` says while it is in front. A stay of less than a second has no such
/// event: then the next view's `_engagement_time_msec` tells it.
struct SessionReplay {
    private(set) var screens: [CollectedScreen] = []
    private(set) var entries: [TimelineEntry] = []
    private(set) var engagement: Int64 = 0
    private(set) var errors = 0
    private var start: Timestamp?
    private var last: Timestamp?
    private var number: Int64?
    private var userIDs: [String] = []
    private var uniqueIDs: [String] = []
    /// Whether the stay on the current screen has been told since it was entered or came back.
    private var isStayTold = false

    /// - Parameter events: in any order; those of the same time count in the order of arrival.
    init(_ events: [SessionEvent]) {
        start = events.lazy.compactMap(\.start).first.map(Timestamp.init(milliseconds:))
        let ordered = events.sorted { ($0.timestamp, $0.sequence) < ($1.timestamp, $1.sequence) }
        if start == nil { start = ordered.first?.timestamp }
        for event in ordered { add(event) }
    }

    private mutating func add(_ event: SessionEvent) {
        last = event.timestamp
        number = number ?? event.number
        if event.reportsError { errors += 1 }
        if let id = event.userID, !userIDs.contains(id) { userIDs.append(id) }
        if let id = event.uniqueID, !uniqueIDs.contains(id) { uniqueIDs.append(id) }

        switch event.name {
        case EventName.screenView:
            if let stay = event.engagement, !isStayTold { add(stay, at: screens.indices.last) }
            isStayTold = false
            screens.append(
                CollectedScreen(
                    name: event.screenName,
                    uniqueID: event.screenUniqueID,
                    enteredAt: event.timestamp,
                    engagement: 0
                )
            )
        case EventName.userEngagement:
            let stay = max(0, event.engagement ?? 0)
            engagement = engagement.addingReportingOverflow(stay).partialValue
            add(stay, at: screens.lastIndex { $0.isShown(in: event) })
            isStayTold = true
        case EventName.appStart:
            isStayTold = false
        default:
            break
        }

        entries.append(
            TimelineEntry(
                sequence: event.sequence,
                name: event.name,
                eventID: event.eventID,
                timestamp: event.timestamp,
                offset: event.timestamp.milliseconds &- (start ?? event.timestamp).milliseconds,
                screen: event.screenName,
                status: event.isBad ? .bad : .good
            )
        )
    }

    private mutating func add(_ stay: Int64, at screen: Int?) {
        guard let screen else { return }
        screens[screen].engagement = screens[screen].engagement.addingReportingOverflow(max(0, stay)).partialValue
    }

    func session(id: String, appID: String?) -> CollectedSession {
        let start = start ?? Timestamp(milliseconds: 0)
        return CollectedSession(
            id: id,
            appID: appID,
            number: number,
            userIDs: userIDs,
            uniqueIDs: uniqueIDs,
            start: start,
            last: last ?? start,
            events: entries.count,
            screens: screens,
            engagement: engagement,
            errors: errors
        )
    }
}

extension CollectedScreen {
    /// Whether an event says that it happened on this screen; one that names no screen may have.
    fileprivate func isShown(in event: SessionEvent) -> Bool {
        (event.screenName == nil || event.screenName == name)
            && (event.screenUniqueID == nil || event.screenUniqueID == uniqueID)
    }
}
#endif
