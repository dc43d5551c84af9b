import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Data of the report on a replay: what the collector stored.
struct ReplayReport: Sendable {
    /// Events that the library recorded.
    var recorded: Int
    /// Counts of the other formats, of which the library recorded events.
    var captured: [Captured]
    var summary: CollectorSummary
    var sessions: [CollectedSession]
    var events: [CollectedEvent]
    var requests: [CollectedRequest]
    /// Session decisions; `nil` without `--explain`.
    var decisions: [Explanations.Decision]?

    /// Events of one format besides the clickstream one.
    struct Captured: Sendable {
        var form: CapturedFormat
        /// Events that the library recorded.
        var recorded: Int
        /// Counts of the collector's store.
        var counts: CapturedCounts
    }

    /// One kind of event with its number.
    struct Count: Sendable, Hashable {
        var name: String
        var count: Int
    }

    /// Events by name, most frequent first.
    var eventsByName: [Count] {
        Self.counted(events.map { $0.eventType ?? "(no name)" })
    }

    /// Error codes with their number and meaning, in the order of the codes. Warnings are not errors.
    var errorsByCode: [Count] {
        Self.counted(events.flatMap { $0.violations.filter { $0.severity == .error }.map(\.code) })
            .sorted { $0.name < $1.name }
    }

    /// Each session's user: the login, or the beginning of the unique id.
    static func user(of session: CollectedSession) -> String {
        if !session.userIDs.isEmpty { return session.userIDs.joined(separator: ", ") }
        return session.uniqueIDs.first.map { "anonymous \($0.prefix(8))" } ?? "unknown"
    }

    private static func counted(_ names: [String]) -> [Count] {
        var counts: [String: Int] = [:]
        for name in names { counts[name, default: 0] += 1 }
        return counts.map { Count(name: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }

    /// Title of a code.
    static func meaning(of code: String) -> String {
        if let number = Int(code), let rule = Rules[ErrorCode(rawValue: number)] { return rule.title }
        return ServerRule.all.first { $0.code == code }?.title ?? CapturedRule.find(code)?.rule.title
            ?? PlanCode(rawValue: code)?.title ?? "unknown code"
    }
}

extension CollectedEvent {
    /// The event's name, if its JSON contains one.
    var eventType: String? {
        // Unreadable JSON has no name.
        (try? JSONReader.parse(Array(json.utf8)))?[FieldName.eventType]?.string
    }
}
