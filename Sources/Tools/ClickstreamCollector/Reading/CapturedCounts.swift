/// Counts of the requests and events of a captured form.
package struct CapturedCounts: Sendable, Hashable {
    package var requests = 0
    package var badRequests = 0
    /// Good and bad events, without duplicates.
    package var events = 0
    package var badEvents = 0
    package var duplicates = 0

    static func += (left: inout CapturedCounts, right: CapturedCounts) {
        left.requests += right.requests
        left.badRequests += right.badRequests
        left.events += right.events
        left.badEvents += right.badEvents
        left.duplicates += right.duplicates
    }
}

extension CapturedCounts: Encodable {
    private enum CodingKeys: String, CodingKey {
        case requests
        case badRequests = "bad_requests"
        case events
        case goodEvents = "good_events"
        case badEvents = "bad_events"
        case duplicates
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(requests, forKey: .requests)
        try members.encode(badRequests, forKey: .badRequests)
        try members.encode(events, forKey: .events)
        try members.encode(events - badEvents, forKey: .goodEvents)
        try members.encode(badEvents, forKey: .badEvents)
        try members.encode(duplicates, forKey: .duplicates)
    }
}
