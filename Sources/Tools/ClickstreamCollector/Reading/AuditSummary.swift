/// Counts of audit events, in total and by activity, type and table.
package struct AuditSummary: Sendable, Hashable {
    /// Number of events with a value.
    package struct Count: Sendable, Hashable, Encodable {
        package var name: String
        package var events: Int
    }

    /// Maximum number of values in a list.
    static let maxValues = 1_000

    package var counts: CapturedCounts
    /// The most frequent activities, types (`read`, `write` and those of custom events) and tables.
    package var activities: [Count]
    package var types: [Count]
    package var tables: [Count]
}

extension AuditSummary: Encodable {
    private enum CodingKeys: String, CodingKey {
        case activities
        case types
        case tables
    }

    package func encode(to encoder: any Encoder) throws {
        try counts.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(activities, forKey: .activities)
        try members.encode(types, forKey: .types)
        try members.encode(tables, forKey: .tables)
    }
}
