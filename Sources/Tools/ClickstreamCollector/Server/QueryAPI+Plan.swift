#if Collector
import ClickstreamCore
import ClickstreamPlan
import HTTPTypes
import HummingbirdCore

extension QueryAPI {
    /// `/api/plan…`: the received events compared with the tracking plan.
    func plan(_ path: [Substring], _ request: Request, _ target: RequestTarget) async throws -> Reply {
        let isEvent = path.count == 3 && path[1] == "events"
        guard isEvent || path.count == 1 else {
            throw Self.noSuchPath
        }
        _ = try query(request, target, [])
        guard let plan else {
            if !isEvent { return Reply.json(.ok, [UInt8](#"{"plan":null}"#.utf8)) }
            throw RequestError(status: .notFound, text: "no tracking plan; start the collector with --plan FILE")
        }
        do {
            guard isEvent else {
                let comparison = try await planQueries.run { try await plan.comparison() }
                return try await large { Reply.json(.ok, comparison) }
            }
            guard let sequence = Int64(RequestTarget.decoded(path[2])),
                let findings = try await planQueries.run({ try await plan.findings(onEvent: sequence) })
            else {
                throw RequestError(status: .notFound, text: "no event with this number; use a seq of /api/events")
            }
            return Reply.json(.ok, findings)
        } catch let refusal as QueryLimit.Refusal {
            return refusal.reply(
                busy: "too many queries are being compared with the plan; retry later",
                timeout: "the comparison with the plan takes longer than the time of a query; retry to continue it"
            )
        }
    }
}

extension QueryLimit.Refusal {
    /// - Parameters:
    ///   - busy: text for the maximum number of queries.
    ///   - timeout: text for the time limit.
    func reply(busy: String, timeout: String) -> Reply {
        let text =
            switch self {
            case .busy: busy
            case .timeout: timeout
            case .stopped: "the collector stops"
            }
        var reply = Reply.error(.serviceUnavailable, text)
        if self != .stopped { reply.headers[.retryAfter] = "1" }
        return reply
    }
}
#endif
