import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Comparison of events with a tracking plan, as `/api/plan` returns it.
struct CoverageReport: Sendable {
    /// The JSON text.
    let text: String
    /// The value without attributes, items and the content of findings.
    let value: JSONValue
    /// The planned events.
    let share: PlanCoverage.Share
    /// Names of the planned events that were not seen, in the order of the plan.
    let neverSeen: [String]

    /// Size of ``value``: the numbers of all events that a comparison lists.
    private static let bounds = JSONReader.Bounds(
        objectDepth: 3,
        arrayDepth: 4,
        container: 1_000_000,
        values: 4_000_000
    )

    init(_ coverage: PlanCoverage) {
        value = coverage.json
        text = value.description
        share = coverage.eventShare
        neverSeen = coverage.neverSeen
    }

    /// Reads the reply of a collector with a plan.
    /// - Throws: ``CommandFailure`` with status 64 if it has none, 69 if the reply has no coverage.
    init(reply body: [UInt8], from source: EventSource) throws(CommandFailure) {
        do throws(JSONError) {
            value = try JSONReader.parse(body[...], within: Self.bounds).value
        } catch {
            throw CommandFailure(.serverUnavailable, "\(source.title) sent no JSON: \(error.reason); check the URL")
        }
        guard value["plan"]?.isNull != true else {
            throw CommandFailure(
                .usage,
                "\(source.title) has no plan; start it with --plan FILE, or pass the plan: 'clickstream-cli plan coverage PLAN "
                    + "--url URL'"
            )
        }
        let events = value["coverage"]?["events"]
        guard let planned = events?["planned"]?.integer, let seen = events?["seen"]?.integer,
            0...Int64(Int32.max) ~= planned, 0...planned ~= seen
        else {
            throw CommandFailure(
                .serverUnavailable,
                "\(source.title) is of an earlier version, without the coverage of its plan; update it, or pass the plan: "
                    + "'clickstream-cli plan coverage PLAN --url URL'"
            )
        }
        text = String(decoding: body, as: UTF8.self)
        share = PlanCoverage.Share(planned: Int(planned), seen: Int(seen))
        neverSeen = (events?["never_seen"]?.array ?? []).compactMap(\.string)
    }

    /// The number of compared events.
    var total: Int64 { value["summary"]?.count("events") ?? 0 }

    /// The number of compared events that are not listed.
    var unlisted: Int64 { value["summary"]?.count("unlisted_events") ?? 0 }
}

extension PlanCoverage.Share {
    /// `17 of 20 planned events seen (85 %)`
    var text: String {
        // Rounded down: less than all is never 100 %.
        let tenths = planned == 0 ? 1_000 : seen * 1_000 / planned
        let fraction = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
        return "\(seen) of \(planned) planned events seen (\(tenths / 10)\(fraction) %)"
    }

    /// Clause on the events that were not seen, such as `never seen: login, purchase`; empty if there are none.
    static func missing(_ names: [String]) -> String {
        guard !names.isEmpty else { return "" }
        let maxNames = 10
        let listed = names.prefix(maxNames).map { Characters.reported($0) }.joined(separator: ", ")
        let others = names.count - min(names.count, maxNames)
        return "never seen: \(listed)" + (others > 0 ? " and \(Plural.count(others, "other"))" : "")
    }
}
