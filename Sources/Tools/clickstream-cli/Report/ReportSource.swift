import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import Glibc

/// The events that a report is about.
enum ReportSource: Sendable, Hashable {
    /// Those of a running collector.
    case collector(CollectorAddress)
    /// Those of the SQLite file of a store.
    case store(path: String)

    /// The store in a file.
    /// - Throws: ``CommandFailure`` with status 66 for a missing file, 77 for a forbidden one, 69 in a build without the collector.
    static func file(_ path: String) throws(CommandFailure) -> ReportSource {
        guard EmbeddedCollector.isAvailable else {
            throw BuildTrait.collector.missing(
                "cannot read a store",
                alternative: "read a running collector with --url URL"
            )
        }
        guard access(path, F_OK) == 0 else {
            throw CommandFailure(
                .inputMissing,
                "no store at \(path): \(String(cString: strerror(errno))); check --store"
            )
        }
        try CommandFailure.refuseForbidden(reading: path)
        return .store(path: path)
    }
}

/// Reads reports on the events that match a query: the JSON of `/api/report`, as bytes.
struct ReportReader: Sendable {
    let source: ReportSource
    let query: EventQuery

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
    /// - Throws: ``CommandFailure``: as ``CollectorReader/read(_:_:)``, or for a store that cannot be read.
    func count(by field: String, limit: Int) async throws -> [UInt8] {
        switch source {
        case .collector(let address):
            return try await body("count", [("by", field), ("limit", "\(limit)")], of: address)
        case .store(let path):
            return try await Self.count(path, query, by: field, limit: limit)
        }
    }

    /// Numbers of users that reach the steps of a funnel. Throws as ``count(by:limit:)``.
    func funnel(_ funnel: Funnel) async throws -> [UInt8] {
        switch source {
        case .collector(let address):
            var parameters = funnel.steps.map { (name: "step", value: $0) }
            if let within = funnel.within { parameters.append(("within", "\(within)")) }
            if let field = funnel.field { parameters.append(("by", field)) }
            parameters.append(("per", funnel.unit.rawValue))
            if let limit = funnel.limit { parameters.append(("limit", "\(limit)")) }
            return try await body("funnel", parameters, of: address)
        case .store(let path):
            return try await Self.funnel(path, query, funnel)
        }
    }

    /// Explanation for a query that no event matches: the number of events, and some sessions if the query has one.
    func noMatch() async throws -> String {
        switch source {
        case .collector(let address):
            return try await CollectorReader(address: address, query: query).noMatch()
        case .store(let path):
            let everything = try await Self.count(path, EventQuery(form: query.form), by: "name", limit: 1)
            let count = try Self.value(everything)["events"]?.integer ?? 0
            guard count > 0, !query.isOpen else {
                return
                    "no clickstream events in the store \(path); check that this is the --store of the collector that apps send to"
            }
            return "no event matches \(query.options); the store \(path) has \(Plural.events(Int(count)))"
        }
    }

    /// The value of a report.
    /// - Parameter isShown: true for a report that is shown as a table. Else one that takes too much memory is an empty object.
    static func value(_ body: [UInt8], isShown: Bool = false) throws(CommandFailure) -> JSONValue {
        let parsed: (value: JSONValue, omitted: Int)
        do throws(JSONError) {
            parsed = try LineJudge.parse(body[...], within: .conditions)
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

    private func body(
        _ name: String,
        _ parameters: [(name: String, value: String)],
        of address: CollectorAddress
    ) async throws -> [UInt8] {
        try await CollectorReader(address: address, query: query).body(
            CollectorReader.reports + name,
            parameters + query.parameters
        )
    }

    // MARK: - Store

    #if Collector
    private static func count(
        _ path: String,
        _ query: EventQuery,
        by field: String,
        limit: Int
    ) async throws -> [UInt8] {
        try await refusing {
            try await StoreReport.count(store: path, query.filter, by: field, limit: limit)
        }
    }

    private static func funnel(_ path: String, _ query: EventQuery, _ funnel: Funnel) async throws -> [UInt8] {
        try await refusing {
            try await StoreReport.funnel(
                store: path,
                query.filter,
                steps: funnel.steps,
                within: funnel.within,
                by: funnel.field,
                per: funnel.unit.rawValue,
                limit: funnel.limit
            )
        }
    }

    /// Runs a report, with its refusal as a usage error.
    private static func refusing(_ report: () async throws -> [UInt8]) async throws -> [UInt8] {
        do {
            return try await report()
        } catch let refusal as StoreReport.Refusal {
            throw CommandFailure(.usage, "cannot make the report: \(Console.escaped(refusal.reason))")
        }
    }
    #else
    private static func count(
        _ path: String,
        _ query: EventQuery,
        by field: String,
        limit: Int
    ) async throws -> [UInt8] {
        throw BuildTrait.collector.missing("cannot read the store \(path)")
    }

    private static func funnel(_ path: String, _ query: EventQuery, _ funnel: Funnel) async throws -> [UInt8] {
        throw BuildTrait.collector.missing("cannot read the store \(path)")
    }
    #endif
}
