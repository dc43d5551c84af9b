import ClickstreamCore
import ClickstreamReplay

/// The screen, and how long it is used.
extension SecondOpinion {
    /// L3 to L6, M1: `own` are the caller's attributes in addition to the screen.
    mutating func view(
        _ screen: Shown,
        own: [String: Sighting.Value] = [:],
        without names: [String] = [],
        items: [String] = []
    ) {
        let before = shown
        guard before != screen else { return }
        let stay = before == nil ? 0 : stay
        if stay >= 1_000, isSet("isTrackUserEngagementEvents", otherwise: true) {
            report("_user_engagement", ["_engagement_time_msec": .whole(stay)])
        }
        let earlier = viewsOfSession.last
        var attributes = screen.attributes
        attributes["_entrances"] = .whole(earlier == nil ? 1 : 0)
        attributes["_previous_screen_name"] = before?.name
        attributes["_previous_screen_id"] = before?.id
        attributes["_previous_screen_unique_id"] = before?.uniqueID
        attributes["_previous_timestamp"] = earlier.map { .whole($0.time) }
        attributes["_engagement_time_msec"] = stay > 0 ? .whole(stay) : nil
        var viewed = sighting("_screen_view", own.merging(attributes) { $1 }, without: names)
        viewed.items = items
        past[now].reported.append(viewed)
    }

    /// M1 to M5.
    mutating func viewByHand(_ attributes: Attributes, _ items: [Attributes]) {
        guard case .string(let name)? = attributes["_screen_name"], (1...1_024).contains(name.unicodeScalars.count)
        else {
            return complain(5_001)
        }
        func id(_ value: AttributeValue?) -> Sighting.Value? {
            switch value {
            case .string(let text) where (1...1_024).contains(text.unicodeScalars.count): .text(text)
            case .integer(let number): .text(String(number))
            default: nil
            }
        }
        let screen = Shown(
            name: .text(name),
            id: id(attributes["_screen_id"]),
            uniqueID: id(attributes["_screen_unique_id"]) ?? .derived(from: name)
        )
        let reserved = [
            "_screen_name", "_screen_id", "_screen_unique_id", "_entrances", "_previous_screen_name",
            "_previous_screen_id", "_previous_screen_unique_id", "_previous_timestamp", "_engagement_time_msec",
        ]
        let given = attributes.filter { !reserved.contains($0.name) }
        let (own, code) = Verdict.sorted(given)
        view(
            screen,
            own: Self.with(code ?? Verdict.code(of: items), in: own),
            without: given.map(\.name),
            items: items.compactMap(Verdict.id)
        )
    }

    // MARK: Looking back

    struct Shown: Equatable {
        var name: Sighting.Value
        var id: Sighting.Value?
        var uniqueID: Sighting.Value?

        var attributes: [String: Sighting.Value] {
            var attributes = ["_screen_name": name]
            attributes["_screen_id"] = id
            attributes["_screen_unique_id"] = uniqueID
            return attributes
        }
    }

    /// The screen is the one that was viewed last in this process.
    var shown: Shown? {
        for entry in life.reversed() {
            for event in entry.reported.reversed() where event.name == "_screen_view" {
                guard let name = event["_screen_name"] else { continue }
                return Shown(name: name, id: event["_screen_id"], uniqueID: event["_screen_unique_id"])
            }
        }
        return nil
    }

    private var viewsOfSession: [Sighting] {
        let number = Sighting.Value.whole(currentStretch.number)
        return past.flatMap(\.reported).filter { $0.name == "_screen_view" && $0["_session_number"] == number }
    }

    /// How long the engagement clock has run: since the last view or return while the app was visible, or since recording
    /// was switched on again meanwhile; not at all after a background.
    var stay: Int64 {
        let end = past[now].steady
        var again: Int64?
        for entry in life.dropLast().reversed() {
            let isView = entry.reported.contains { $0.name == "_screen_view" }
            switch entry.action {
            case .foreground where entry.wasOn && !entry.wasInFront:
                return end - (again ?? entry.steady)
            case .background where entry.wasSeen:
                return 0
            case .enable where !entry.wasSwitchedOn:
                again = again ?? entry.steady
            case .consent where entry.gate.way == .closed && entry.opens:
                again = again ?? entry.steady
            case _ where isView:
                return entry.wasSeen ? end - (again ?? entry.steady) : 0
            default:
                continue
            }
        }
        return 0
    }
}
