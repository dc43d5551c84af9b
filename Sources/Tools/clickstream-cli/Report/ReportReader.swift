import ClickstreamCore
import ClickstreamJudges

/// Reads reports on the events that match a query: the JSON of `/api/report`, as bytes.
struct ReportReader: Sendable {
    let events: CollectorReader

    init(_ source: EventSource, _ query: EventQuery) {
        events = CollectorReader(source: source, query: query)
    }

    /// Question about the steps of users or sessions.
    struct Funnel: Sendable, Hashable {
        /// Event names, each with an optional condition: `NAME:CONDITION`.
        var steps: [String]
        /// Maximum milliseconds from the first step to any other.
        var within: Int64?
        /// Field by whose value of the first event the result is grouped.
        var field: String?
        var unit: FunnelUnit
        /// Maximum number of groups.
        var limit: Int?
    }

    /// Numbers of events and users by the values of a field.
    /// - Parameter limit: maximum number of values; the others are summed up.
    /// - Throws: as ``CollectorReader/read(_:_:)``.
    func count(by field: String, limit: Int) async throws -> [UInt8] {
        try await body("count", [("by", field), ("limit", "\(limit)")])
    }

    /// Numbers of users that reach the steps of a funnel. Throws as ``count(by:limit:)``.
    func funnel(_ funnel: Funnel) async throws -> [UInt8] {
        var parameters = funnel.steps.map { (name: "step", value: $0) }
        if let within = funnel.within { parameters.append(("within", "\(within)")) }
        if let field = funnel.field { parameters.append(("by", field)) }
        parameters.append(("per", funnel.unit.rawValue))
        if let limit = funnel.limit { parameters.append(("limit", "\(limit)")) }
        return try await body("funnel", parameters)
    }

    private func body(_ name: String, _ parameters: [(name: String, value: String)]) async throws -> [UInt8] {
        try await events.body(CollectorReader.reports + name, parameters + events.query.parameters)
    }

    /// The value of a report.
    /// - Parameter isShown: true for a report that is shown as a table. Else one that takes too much memory is an empty object.
    static func value(_ body: [UInt8], isShown: Bool = false) throws(CommandFailure) -> JSONValue {
        let parsed: (value: JSONValue, omitted: Int)
        do throws(JSONError) {
            parsed = try JSONReader.parse(body[...], within: .conditions)
        } catch {
            throw CommandFailure(.serverUnavailable, "the report is not JSON: \(error.reason); check the URL")
        }
        if parsed.omitted == 0 { return parsed.value }
        guard isShown else { return JSONValue(.object([])) }
        throw CommandFailure(
            .serverUnavailable,
            "the report has too many values to show; use --limit or --format json"
        )
    }
}
