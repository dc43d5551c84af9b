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
            throw Mistake(status: .notFound, text: "no such path; \(Self.listing)")
        }
        _ = try query(request, target, [])
        guard let plan else {
            if !isEvent { return Reply.json(.ok, [UInt8](#"{"plan":null}"#.utf8)) }
            throw Mistake(status: .notFound, text: "no tracking plan; start the collector with --plan FILE")
        }
        guard isEvent else {
            return try await large {
                let comparison = try await plan.current().json
                return Reply.json(.ok, [UInt8](comparison.description.utf8))
            }
        }
        guard let sequence = Int64(RequestTarget.decoded(path[2])),
            let findings = try await plan.findings(onEvent: sequence)
        else {
            throw Mistake(status: .notFound, text: "no event with this number; use a seq of /api/events")
        }
        return Reply.json(.ok, [UInt8](findings.description.utf8))
    }
}
#endif
