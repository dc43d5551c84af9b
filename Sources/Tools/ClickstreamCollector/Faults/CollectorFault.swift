#if Collector
/// Injected fault: an error on purpose when events arrive, to test an app's delivery.
///
/// Faults affect only requests that would otherwise be accepted. Rejected requests (403, 401, 413, …) and preflight
/// requests of pages (204) are answered as usual.
public struct CollectorFault: Sendable, Hashable {
    /// Effect on a request.
    public enum Effect: Sendable, Hashable {
        /// Replies with the status, and with an unchanged `Retry-After` if given. Only a 2xx stores the request.
        ///
        /// A 3xx redirects to the URL of the request. Most clients follow it without a body.
        case status(Int, retryAfter: String? = nil)
        /// Delays the reply, by whole milliseconds. Combines with other effects. A negative latency counts as zero.
        case latency(Duration)
        /// Resets the connection before the body is read. Nothing is stored.
        case resetBefore
        /// Resets the connection within the body. Nothing is stored.
        case resetDuring
        /// Resets the connection after the body. Nothing is stored.
        case resetAfter
        /// Stores the request and closes the connection within the head of the reply.
        case truncatedReply
        /// Stores the request and sends an endless reply byte by byte; the connection is closed after 60 s.
        case slowReply
        /// Stores the request and sends no reply, like a 200 lost on the way.
        case noReply
        /// Stores the request twice, like a network that delivers it twice. Replies once.
        case storedTwice
    }

    /// Effect on an affected request.
    package var effect: Effect
    /// Fraction of the requests affected, from 0 (none) to 1 (all), chosen at random.
    package var rate: Double
    /// Number of requests after which the fault ends; `nil` for no limit.
    package var times: Int?

    /// Creates a fault; by default it affects every request, without end.
    public init(_ effect: Effect, rate: Double = 1, times: Int? = nil) {
        self.effect = effect
        self.rate = rate
        self.times = times
    }

    /// True for a valid value of the header `Retry-After`: whole seconds, or an HTTP date.
    ///
    /// The pattern is the same as in the OpenAPI description.
    package static func isRetryAfter(_ text: String) -> Bool {
        let pattern =
            #/
            [0-9]+
            | (Mon|Tue|Wed|Thu|Fri|Sat|Sun),
            \ (0[1-9]|[12][0-9]|3[01])\ (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\ [0-9]{4}
            \ ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\ GMT
            /#
        return text.wholeMatch(of: pattern) != nil
    }

    /// Statuses that a fault can reply with.
    static let statuses = 200...599
}

extension CollectorFault {
    /// Name of each effect without parameters, as in `--fail` and in JSON.
    static let names: [(name: String, effect: Effect)] = [
        ("reset-before", .resetBefore), ("reset-during", .resetDuring), ("reset-after", .resetAfter),
        ("truncate", .truncatedReply), ("slow", .slowReply), ("no-reply", .noReply), ("twice", .storedTwice),
    ]

    static func named(_ name: String) -> Effect? {
        names.first { $0.name == name }?.effect
    }

    /// Name of the effect; `nil` for a status or a latency.
    var name: String? {
        Self.names.first { $0.effect == effect }?.name
    }

    /// Parses `503`, `503:0.3` or `reset-before:0.1:5`: effect, rate and maximum number. `nil` for any other text.
    package init?(text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (1...3).contains(parts.count) else { return nil }
        if let effect = Self.named(parts[0]) {
            self.init(effect)
        } else if let status = Int(parts[0]), Self.statuses.contains(status) {
            self.init(.status(status))
        } else {
            return nil
        }
        if parts.count > 1 {
            guard let rate = Double(parts[1]), (0...1).contains(rate) else { return nil }
            self.rate = rate
        }
        if parts.count > 2 {
            guard let times = Int(parts[2]), times > 0 else { return nil }
            self.times = times
        }
    }
}
#endif
