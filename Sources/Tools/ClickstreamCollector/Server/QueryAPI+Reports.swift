#if Collector
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges
import HTTPTypes
import HummingbirdCore

extension QueryAPI {
    /// `/api/report/…`: numbers computed from the stored events.
    func report(_ path: [Substring], _ request: Request, _ target: RequestTarget) async throws -> Reply {
        switch path.dropFirst() {
        case ["count"]:
            let query = try query(request, target, Query.countNames)
            let count = try CountQuery(query.eventFilter(), by: query["by"], limit: query.limit())
            return try await report { [store] in try await count.json(on: store) }
        case ["funnel"]:
            let query = try query(request, target, Query.funnelNames)
            let funnel = try FunnelQuery(
                query.eventFilter(),
                steps: query.all("step"),
                within: query.window(),
                by: query["by"],
                per: query["per"],
                limit: query.limit()
            )
            return try await report { [store] in try await funnel.json(on: store) }
        default:
            throw Self.noSuchPath
        }
    }

    /// Runs a query that reads all matching events within the limits of reports.
    /// - Throws: ``QueryLimit/Refusal``; the error of the query.
    func scanning<Value: Sendable>(_ query: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await reports.run { [reportTurns] in try await reportTurns.withPermit(query) }
    }

    /// Computes a report within the limits of reports.
    private func report(_ compute: @escaping @Sendable () async throws -> [UInt8]) async throws -> Reply {
        do {
            let json = try await scanning(compute)
            return try await large { .json(.ok, json) }
        } catch let refusal as QueryLimit.Refusal {
            return refusal.reply(
                busy: "too many reports are being computed; retry later",
                timeout: "the report takes longer than the time of a query; select fewer events, with name or since"
            )
        }
    }
}

extension QueryAPI.Query {
    /// Milliseconds of `within`, a duration or a whole number of milliseconds.
    fileprivate func window() throws(QueryAPI.RequestError) -> Int64? {
        guard let text = self["within"] else { return nil }
        if let milliseconds = Int64(text), milliseconds >= 0 { return milliseconds }
        do throws(DurationText.ParseError) {
            return try DurationText.milliseconds(text)
        } catch {
            throw .expected("within", "a duration such as 30s, 1h30m or 7d, or milliseconds", not: text)
        }
    }
}

// MARK: - Reports with the parameters of the endpoints as texts

extension CountQuery {
    /// - Parameters:
    ///   - field: `nil` for the name.
    ///   - limit: maximum number of values; `nil` for that of the endpoint.
    init(_ filter: EventFilter, by field: String?, limit: Int?) throws(QueryAPI.RequestError) {
        let name = field ?? ReportField.Column.name.rawValue
        self.init(filter: filter, field: try ReportField(parameter: name), fieldName: name, limit: limit.listed)
    }

    /// The body of `/api/report/count`.
    /// - Throws: ``QueryAPI/RequestError`` with the reply of the endpoint; ``StoreDamage``; errors of GRDB.
    func json(on store: Store) async throws -> [UInt8] {
        try await ValueTable.refusingMany { try await report(on: store).json(by: fieldName) }
    }
}

extension FunnelQuery {
    /// - Parameters:
    ///   - milliseconds: maximum time from the first step to each other one; `nil` for no limit.
    ///   - field: `nil` for no groups.
    ///   - owner: `user` or `session`; `nil` for `user`.
    ///   - limit: maximum number of groups; `nil` for that of the endpoint.
    init(
        _ filter: EventFilter,
        steps: [String],
        within milliseconds: Int64?,
        by field: String?,
        per owner: String?,
        limit: Int?
    ) throws(QueryAPI.RequestError) {
        var query = FunnelQuery(filter: filter, steps: try Self.steps(steps), window: milliseconds, limit: limit.listed)
        if let field { query.field = try ReportField(parameter: field) }
        if let owner {
            guard let known = Owner(rawValue: owner) else {
                let names = Owner.allCases.map(\.rawValue).joined(separator: " or ")
                throw .expected("per", names, not: owner)
            }
            query.owner = known
        }
        self = query
    }

    /// The body of `/api/report/funnel`. Throws as that of a count.
    func json(on store: Store) async throws -> [UInt8] {
        try await ValueTable.refusingMany { try await report(on: store).json }
    }

    private static func steps(_ texts: [String]) throws(QueryAPI.RequestError) -> [FunnelStep] {
        guard (1...Funnel.maxSteps).contains(texts.count) else {
            throw QueryAPI.RequestError(
                status: .badRequest,
                text: "a funnel needs 1 to \(Funnel.maxSteps) parameters step, not \(texts.count); "
                    + "for example step=view&step=purchase"
            )
        }
        var steps: [FunnelStep] = []
        for text in texts {
            do throws(ValueCondition.ParseError) {
                steps.append(try FunnelStep(text))
            } catch {
                throw QueryAPI.RequestError(
                    status: .badRequest,
                    text: "step '\(text.prefix(200))': \(error.reason); a step is NAME or NAME:CONDITION, with a "
                        + "condition such as \(ValueCondition.examples)"
                )
            }
        }
        return steps
    }
}

extension ReportField {
    fileprivate init(parameter name: String) throws(QueryAPI.RequestError) {
        guard let field = ReportField(name) else {
            throw .expected("by", "one of \(Self.names)", not: name)
        }
        self = field
    }
}

extension ValueTable {
    /// Makes a report, with too many values as an error of the query.
    fileprivate static func refusingMany(_ report: () async throws -> [UInt8]) async throws -> [UInt8] {
        do {
            return try await report()
        } catch let full as Full {
            throw QueryAPI.RequestError(
                status: .badRequest,
                text: "the values of the field take more than \(full.maxBytes / 1_048_576) MiB; "
                    + "select fewer events, with name or since"
            )
        }
    }
}

extension Int? {
    /// Number of listed rows: that of a page by default.
    fileprivate var listed: Int { (self ?? EventFilter().limit).clamped(to: EventFilter.limits) }
}
#endif
