import ClickstreamCore

/// Question how many users or sessions go from step to step.
struct FunnelQuery: Sendable, Hashable {
    /// Owner of the events of a chain.
    enum Owner: String, Sendable, CaseIterable {
        case user, session
    }

    /// Events to consider; its `limit` and `cursor` do not apply.
    var filter = EventFilter()
    var steps: [FunnelStep]
    /// Maximum milliseconds from the first step to each other one; `nil` for no limit.
    var window: Int64?
    var owner = Owner.user
    /// Field by whose value at the first step the owners are grouped; `nil` for no groups.
    var field: ReportField?
    /// Maximum number of listed groups.
    var limit = 100
}

/// Numbers of users or sessions that reach the steps of a funnel.
struct FunnelReport: Sendable, Hashable {
    struct Group: Sendable, Hashable {
        /// Value of the field at the first step; null for none.
        var value: JSONValue
        var steps: [FunnelChains.Step]
    }

    /// Names of the steps.
    var names: [String]
    var steps: [FunnelChains.Step]
    /// The groups with the most users first; groups of the same size by value. Empty without a field.
    var groups: [Group] = []
    /// Number of further groups, and of their users.
    var otherGroups = 0
    var otherUsers = 0

    /// Maximum bytes of the groups, about: each repeats the names of the steps.
    private static let maxGroupBytes = 67_108_864

    /// - Parameter value: returns the value with a number.
    init(_ query: FunnelQuery, _ chains: FunnelChains, value: (UInt32) throws -> JSONValue) rethrows {
        var chains = chains
        let (total, groups) = chains.summarize()
        names = query.steps.map(\.text)
        steps = total
        guard query.field != nil else { return }
        let users = groups.users
        // 150 bytes are about the numbers of a step.
        let bytes = names.reduce(EventExcerpt.stringBytes) { $0 + JSONValue(.string($1)).description.utf8.count + 150 }
        let limit = min(query.limit, max(1, Self.maxGroupBytes / bytes))
        let listed = try ValueRanking.listed(weights: users, limit: limit) { try value(groups.value($0)) }
        self.groups = listed.map { Group(value: $0.value, steps: groups.steps($0.index)) }
        otherGroups = users.count - listed.count
        otherUsers = listed.reduce(users.reduce(0, +)) { $0 - users[$1.index] }
    }

    /// The report as JSON.
    var json: [UInt8] {
        var writer = ObjectWriter()
        writer.object { report in
            report.array("groups", of: groups) { list, group in
                list.object { row in
                    append(group.steps, to: &row)
                    row.member("value", of: group.value)
                }
            }
            report.object("others") { others in
                others.member("users", otherUsers)
                others.member("values", otherGroups)
            }
            append(steps, to: &report)
        }
        return writer.bytes
    }

    private func append(_ steps: [FunnelChains.Step], to report: inout ObjectWriter) {
        report.array("steps", of: Array(steps.enumerated())) { list, element in
            let (index, step) = element
            list.object { row in
                row.member("median_ms", orNull: step.median)
                row.member("name", names[index])
                row.member("of_first", share: step.users, of: steps[0].users)
                row.member("of_previous", share: step.users, of: index == 0 ? 0 : steps[index - 1].users)
                row.member("p90_ms", orNull: step.p90)
                row.member("users", step.users)
            }
        }
    }
}

extension ObjectWriter {
    /// Appends a share from 0 to 1; null for a share of none.
    fileprivate mutating func member(_ name: StaticString, share part: Int, of whole: Int) {
        guard whole > 0 else { return null(name) }
        member(name, Double(part) / Double(whole))
    }
}
