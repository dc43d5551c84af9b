import ClickstreamCore

/// Question how many events have each value of a field.
struct CountQuery: Sendable, Hashable {
    /// Events to count; its `limit` and `cursor` do not apply.
    var filter = EventFilter()
    var field = ReportField.column(.name)
    /// The field as named in the query.
    var fieldName = ReportField.Column.name.rawValue
    /// Maximum number of listed values.
    var limit = 100
}

/// Numbers of events and of distinct users by the values of a field.
struct CountReport: Sendable, Hashable {
    struct Value: Sendable, Hashable {
        /// The value; null for events without it.
        var value: JSONValue
        var events: Int
        var users: Int
    }

    /// Numbers of all counted events, and of their distinct users.
    var events: Int
    var users: Int
    /// The most frequent values first; equally frequent ones by value.
    var values: [Value]
    /// Number of further values, and of their events.
    var otherValues: Int
    var otherEvents: Int

    /// - Parameters:
    ///   - limit: maximum number of listed values.
    ///   - value: returns the value with a number.
    init(_ count: EventCount, limit: Int, value: (UInt32) throws -> JSONValue) rethrows {
        var count = count
        let (groups, users) = count.counts()
        let listed = try ValueRanking.listed(weights: groups.map(\.events), limit: limit) {
            try value(groups[$0].value)
        }
        values = listed.map { Value(value: $0.value, events: groups[$0.index].events, users: groups[$0.index].users) }
        events = count.events
        self.users = users
        otherValues = groups.count - values.count
        otherEvents = events - values.reduce(0) { $0 + $1.events }
    }

    /// The report as JSON.
    func json(by field: String) -> [UInt8] {
        var writer = ObjectWriter()
        writer.object { report in
            report.member("by", field)
            report.member("events", events)
            report.object("others") { others in
                others.member("events", otherEvents)
                others.member("values", otherValues)
            }
            report.member("users", users)
            report.array("values", of: values) { list, value in
                list.object { row in
                    row.member("events", value.events)
                    row.member("users", value.users)
                    row.member("value", of: value.value)
                }
            }
        }
        return writer.bytes
    }
}

extension ObjectWriter {
    /// Appends the value of a field.
    mutating func member(_ name: StaticString, of value: JSONValue) {
        begin(name)
        value.write(into: &bytes)
    }
}
