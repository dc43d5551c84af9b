#if Tools
/// Something that goes wrong on purpose when events arrive, so that an app's own delivery can be tested.
///
/// Faults strike requests that would otherwise have been taken; who is refused (403, 401, 413, …) sees that refusal, and a
/// page that asks whether it may send its answer (204).
public struct CollectorFault: Sendable, Hashable {
    /// What happens to a request that is struck.
    public enum Effect: Sendable, Hashable {
        /// The status is answered, with `Retry-After` when given, as it stands. Only a 2xx stores the request.
        ///
        /// A 3xx leads to the place that was asked for: who follows it comes back without a body.
        case status(Int, retryAfter: String? = nil)
        /// The answer comes so much later. It adds to whatever else happens.
        case latency(milliseconds: Int64)
        /// The connection is reset before the body is read. Nothing is stored.
        case resetBefore
        /// The connection is reset within the body. Nothing is stored.
        case resetDuring
        /// The connection is reset when the whole body was read. Nothing is stored.
        case resetAfter
        /// The request is stored, and the connection ends within the head of the answer.
        case truncatedReply
        /// The request is stored, and its answer comes a byte at a time, without an end; after 60 s the connection ends.
        case slowReply
        /// The request is stored, and no answer comes: the 200 that gets lost.
        case noReply
        /// The request is stored twice, as by a network that delivers it twice. It is answered once.
        case storedTwice
    }

    public var effect: Effect
    /// How many of the requests are struck, from 0 (none) to 1 (all); which of them is chance.
    public var rate: Double
    /// How many requests it strikes before it is over; `nil` for no end.
    public var times: Int?

    public init(_ effect: Effect, rate: Double = 1, times: Int? = nil) {
        self.effect = effect
        self.rate = rate
        self.times = times
    }

    /// Whether a text is what the header `Retry-After` takes: whole seconds, or a date of the form that HTTP prescribes.
    ///
    /// The pattern is that of the API's description.
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

    /// Statuses that can be answered.
    static let statuses = 200...599
}

extension CollectorFault {
    /// The spelling of each effect without a number, in `--fail` and in JSON.
    static let names: [(name: String, effect: Effect)] = [
        ("reset-before", .resetBefore), ("reset-during", .resetDuring), ("reset-after", .resetAfter),
        ("truncate", .truncatedReply), ("slow", .slowReply), ("no-reply", .noReply), ("twice", .storedTwice),
    ]

    static func named(_ name: String) -> Effect? {
        names.first { $0.name == name }?.effect
    }

    /// The name of an effect that has one.
    var name: String? {
        Self.names.first { $0.effect == effect }?.name
    }

    /// Reads `503`, `503:0.3` or `reset-before:0.1:5`: what happens, to which part of the requests, how often at most.
    ///
    /// `nil` for any other text.
    public init?(text: String) {
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
