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
    /// 2xx, except a web page: the server has the events.
    case delivered
    /// 413: the events are sent again in smaller batches.
    case tooLarge
    /// 400: the fault is that of some events, or of the server.
    case refused(status: Int)
    /// Every other reply, and none.
    case failed(DeliveryFailure)

    /// True if the batch itself was refused, by its size or by its events.
    var isRefusal: Bool {
        switch self {
        case .tooLarge, .refused: true
        case .delivered, .failed: false
        }
    }

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
            case 200..<300 where response.isWebPage:
                // The pause is that of a missing reply: a `Retry-After` is not the server's.
                self = .failed(DeliveryFailure(.webPage(status: response.status)))
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

    /// Reads `Retry-After`: seconds, or a date.
    static func milliseconds(retryAfter text: String, now: Timestamp) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        if words.count == 1, words[0].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            // A number with too many digits is a long time, too.
            return min(Int64(words[0]) ?? .max, longestPause) * 1_000
        }
        return Timestamp(httpDate: text, now: now).map { max(0, $0 - now) }
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
