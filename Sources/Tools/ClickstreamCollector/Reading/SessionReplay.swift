import ClickstreamCore

/// Fields of an event that are relevant to its session.
struct SessionEvent: Sendable, Hashable {
    var sequence: Int64
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
}

/// Fold over a session's events in the order of their time, independent of the store. Each event costs constant time.
///
/// The engagement with a screen is the sum of `_user_engagement` while it is shown. A visit of less than a second has
/// no such event; then `_engagement_time_msec` of the next view is used.
struct SessionReplay {
    /// Ids in the order of their first event, each once.
    private struct DistinctIDs {
        private(set) var inOrder: [String] = []
        /// Compared by bytes: canonically equivalent ids are different.
        private var known: Set<[UInt8]> = []

        mutating func add(_ id: String?) {
            guard let id, known.insert(Array(id.utf8)).inserted else { return }
            inOrder.append(id)
        }
    }

    /// Name and unique id of a screen.
    private struct ScreenKey: Hashable {
        var name: [UInt8]?
        var uniqueID: [UInt8]?

        init(_ name: String?, _ uniqueID: String?) {
            self.name = name.map { Array($0.utf8) }
            self.uniqueID = uniqueID.map { Array($0.utf8) }
        }
    }

    private(set) var screens: [CollectedScreen] = []
    private(set) var engagement: Int64 = 0
    private(set) var errors = 0
    private var events = 0
    private var first: Timestamp?
    /// Start according to the first event that contains one.
    private var stated: (sequence: Int64, start: Timestamp)?
    private var last: Timestamp?
    private var number: Int64?
    private var userIDs = DistinctIDs()
    private var uniqueIDs = DistinctIDs()
    /// Last screen with a name, a unique id, or both; an absent part of the ``ScreenKey`` is `nil`.
    private var lastScreens: [ScreenKey: Int] = [:]
    /// True once the current visit of the screen has been counted.
    private var isStayReported = false

    init() {}

    /// - Parameter events: in any order; events with equal times keep the order of arrival.
    init(_ events: [SessionEvent]) {
        self.init()
        for event in events.sorted(by: { ($0.timestamp, $0.sequence) < ($1.timestamp, $1.sequence) }) { add(event) }
    }

    private var start: Timestamp? { stated?.start ?? first }

    /// Adds the next event in the order of time.
    mutating func add(_ event: SessionEvent) {
        events += 1
        first = first ?? event.timestamp
        last = event.timestamp
        number = number ?? event.number
        if let start = event.start, stated.map({ event.sequence < $0.sequence }) ?? true {
            stated = (event.sequence, Timestamp(milliseconds: start))
        }
        if event.reportsError { errors += 1 }
        userIDs.add(event.userID)
        uniqueIDs.add(event.uniqueID)

        switch event.name {
        case EventName.screenView:
            if let stay = event.engagement, !isStayReported { add(stay, at: screens.indices.last) }
            isStayReported = false
            screens.append(
                CollectedScreen(
                    name: event.screenName,
                    uniqueID: event.screenUniqueID,
                    enteredAt: event.timestamp,
                    engagement: 0
                )
            )
            for key in [
                ScreenKey(nil, nil), ScreenKey(event.screenName, nil), ScreenKey(nil, event.screenUniqueID),
                ScreenKey(event.screenName, event.screenUniqueID),
            ] {
                lastScreens[key] = screens.count - 1
            }
        case EventName.userEngagement:
            let stay = max(0, event.engagement ?? 0)
            engagement = engagement.addingReportingOverflow(stay).partialValue
            add(stay, at: lastScreens[ScreenKey(event.screenName, event.screenUniqueID)])
            isStayReported = true
        case EventName.appStart:
            isStayReported = false
        default:
            break
        }
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
            userIDs: userIDs.inOrder,
            uniqueIDs: uniqueIDs.inOrder,
            start: start,
            last: last ?? start,
            events: events,
            screens: screens,
            engagement: engagement,
            errors: errors
        )
    }
}
