/// A failed delivery: the events are kept.
package struct DeliveryFailure: Sendable, Equatable {
    package var reason: FlushError
    /// Milliseconds before the next attempt, at least.
    package var atLeast: Int64

    package init(_ reason: FlushError, atLeast: Int64 = 0) {
        self.reason = reason
        self.atLeast = atLeast
    }
}

/// Meaning of a server's reply, or of the lack of one, for the batch. A pure function of the reply.
package enum DeliveryVerdict: Sendable, Equatable {
    /// 2xx: the server has the events.
    case delivered
    /// 413: the events are sent again in smaller batches.
    case tooLarge
    /// 400: the fault is that of some events, or of the server.
    case refused(status: Int)
    /// Every other reply, and none.
    case failed(DeliveryFailure)

    /// Pause in milliseconds after 401, 403 and 3xx, at least: a minute.
    private static let longPause: Int64 = 60_000
    /// Limit on the pause that a server asks for, in seconds: a day.
    private static let longestPause: Int64 = 86_400

    /// - Parameter now: the wall clock, for a `Retry-After` with a date.
    package init(_ result: Result<UploadResponse, TransportError>, now: Timestamp) {
        switch result {
        case .success(let response):
            let asked = response.retryAfter.flatMap { Self.milliseconds(retryAfter: $0, now: now) } ?? 0
            switch response.status {
            case 200..<300:
                self = .delivered
            case 300..<400:
                let reason = FlushError.redirected(status: response.status, location: response.location)
                self = .failed(DeliveryFailure(reason, atLeast: max(asked, Self.longPause)))
            case 400:
                self = .refused(status: response.status)
            case 413:
                self = .tooLarge
            case 401, 403:
                let reason = FlushError.unauthorized(status: response.status)
                self = .failed(DeliveryFailure(reason, atLeast: max(asked, Self.longPause)))
            default:
                self = .failed(DeliveryFailure(.status(response.status), atLeast: asked))
            }
        case .failure(let error):
            self = .failed(DeliveryFailure(.transport(error)))
        }
    }

    /// Reads `Retry-After`: seconds, or a date in any of the three forms that HTTP has had (RFC 9110, 5.6.7):
    /// `Wed, 21 Oct 2015 07:28:00 GMT`, `Wednesday, 21-Oct-15 07:28:00 GMT`, `Wed Oct 21 07:28:00 2015`.
    static func milliseconds(retryAfter text: String, now: Timestamp) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        if words.count == 1, words[0].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            // A number with too many digits is a long time, too.
            return min(Int64(words[0]) ?? .max, longestPause) * 1_000
        }
        let date = words.dropFirst().flatMap { $0.split(separator: "-").map(String.init) }
        let parts: (day: String, month: String, year: String, clock: String)
        switch (date.count, date.last) {
        case (5, "GMT"): parts = (date[0], date[1], date[2], date[3])
        case (4, _): parts = (date[1], date[0], date[3], date[2])
        default: return nil
        }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard let day = Int(parts.day), (1...31).contains(day), let month = months.firstIndex(of: parts.month),
            var year = Int(parts.year), (0...9_999).contains(year)
        else { return nil }
        // Two digits: the year that is at most fifty years ahead.
        if parts.year.utf8.count == 2 {
            let current = now.civil.year
            year += current / 100 * 100
            if year > current + 50 { year -= 100 }
        }
        guard year >= 1_970 else { return nil }
        let clock = parts.clock.split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        let moment = Timestamp(
            CivilTime(year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
        )
        return max(0, moment - now)
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
