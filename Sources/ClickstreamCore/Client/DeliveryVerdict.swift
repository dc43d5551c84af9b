/// What a server's reply, or the lack of one, means for the batch. A pure function of the reply.
package enum DeliveryVerdict: Sendable, Equatable {
    /// Any 2xx: the events are the server's now.
    case delivered
    /// 413: too large, to be sent again in smaller pieces.
    case tooLarge
    /// 400: something in it is wrong, or the server; to be found out.
    case refused(status: Int, reason: String)
    /// 401, 403, 3xx: this server will not take anything from us before somebody changes something. The events are kept.
    case turnedAway(atLeast: Int64, reason: String)
    /// Everything else: the events are kept; not before `atLeast` milliseconds, for the reason given.
    case retained(atLeast: Int64, reason: String)

    /// How long to leave a server alone that does not know us (401, 403) or sends us elsewhere (3xx): a minute.
    private static let longPause: Int64 = 60_000

    /// - Parameter now: the wall clock, for a `Retry-After` that names a date.
    package init(_ result: Result<UploadResponse, TransportError>, now: Timestamp) {
        switch result {
        case .success(let response):
            let asked = response.retryAfter.flatMap { Self.milliseconds(retryAfter: $0, now: now) } ?? 0
            switch response.status {
            case 200..<300:
                self = .delivered
            case 300..<400:
                let place = response.location.map { " to \($0)" } ?? ""
                self = .turnedAway(
                    atLeast: max(asked, Self.longPause),
                    reason: "the server redirects\(place) (\(response.status)): configure the endpoint it names"
                )
            case 400:
                self = .refused(status: response.status, reason: "the server answered \(response.status)")
            case 413:
                self = .tooLarge
            case 401, 403:
                self = .turnedAway(
                    atLeast: max(asked, Self.longPause),
                    reason: "the server refuses us (\(response.status)): check app id, endpoint path and auth cookie"
                )
            default:
                self = .retained(atLeast: asked, reason: "the server answered \(response.status)")
            }
        case .failure(let error):
            self = .retained(atLeast: 0, reason: "\(error)")
        }
    }

    /// Reads `Retry-After`: seconds, or a date as HTTP writes it (`Wed, 21 Oct 2015 07:28:00 GMT`).
    static func milliseconds(retryAfter text: String, now: Timestamp) -> Int64? {
        let trimmed = text.split(separator: " ", omittingEmptySubsequences: true)
        if trimmed.count == 1, let seconds = Int64(trimmed[0]), seconds >= 0 {
            return min(seconds, 86_400) * 1_000
        }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard trimmed.count == 6, trimmed[5] == "GMT", let day = Int(trimmed[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(trimmed[2])), let year = Int(trimmed[3]),
            (1970...9_999).contains(year)
        else { return nil }
        let clock = trimmed[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        let date = Timestamp(
            CivilTime(year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
        )
        return max(0, date - now)
    }
}

extension TransportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let reason): "no connection: \(reason)"
        case .timedOut: "no complete reply in time"
        case .cut(let reason): "the connection ended early: \(reason)"
        case .cancelled: "cancelled"
        }
    }
}
