#if Collector
import ClickstreamCore
import ClickstreamJudges
import HTTPTypes
import HummingbirdCore

extension QueryAPI {
    /// `/api/captured…` and `/api/audit…`: events and requests of the captured forms.
    func captured(_ path: [Substring], _ request: Request, _ target: RequestTarget) async throws -> Reply {
        let isAudit = path[0] == "audit"
        let forms = CapturedFormat.captured.filter { $0.list.rawValue == path[0] }
        switch (path.dropFirst().first, path.count) {
        case (nil, _):
            let query = try query(request, target, isAudit ? Query.auditNames : Query.capturedNames)
            let list = CapturedList(
                try isAudit ? query.auditFilter() : query.capturedFilter(),
                cutAt: try query.bytes("event_bytes"),
                pageBytes: store.pageBytes
            )
            return try await ListPage(list, store).reply()
        case ("summary"?, 2):
            _ = try query(request, target, [])
            if isAudit { return try await .json(.ok, store.auditSummary()) }
            let counts = try await store.capturedSummary().filter { forms.contains($0.key) }
            return try .json(.ok, Dictionary(uniqueKeysWithValues: counts.map { ($0.rawValue, $1) }))
        case ("requests"?, 2):
            let query = try query(request, target, Query.pageNames)
            let list = try RequestList(
                after: query.cursor(),
                limit: query.limit(),
                pageBytes: store.pageBytes,
                forms: forms
            )
            return try await ListPage(list, store).reply()
        case (let name?, 2):
            let query = try query(request, target, ["event_bytes"])
            let texts = EventTexts(maxBytes: try query.bytes("event_bytes"), apart: EventList.apartBytes)
            guard let sequence = Int64(RequestTarget.decoded(name)),
                let event = try await store.captured(sequence, in: forms, texts)
            else {
                let kind = isAudit ? "audit" : "captured"
                throw RequestError(
                    status: .notFound,
                    text: "no \(kind) event with this number; use a seq of /api/\(path[0])"
                )
            }
            return try await ListPage(SingleEvent(event: event), store).reply()
        default:
            throw Self.noSuchPath
        }
    }
}
#endif
