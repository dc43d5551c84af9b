import ClickstreamCore

/// Value of a field with its position among all groups.
struct RankedValue: Sendable, Hashable {
    /// Index of the group.
    var index: Int
    var value: JSONValue
}

/// Selection of the most frequent groups.
enum ValueRanking {
    /// Returns the groups with the greatest weights, the greatest first; of equal ones those with the least values.
    ///
    /// Reads the values of the returned groups, and of those with the weight of the last one. Holds twice `limit` of them.
    /// - Parameter read: returns the value of the group with an index.
    static func listed(
        weights: [Int],
        limit: Int,
        value read: (Int) throws -> JSONValue
    ) rethrows -> [RankedValue] {
        guard limit > 0, !weights.isEmpty else { return [] }
        var order = weights
        order.radixSort { UInt64(clamping: $0) }
        let least = order[max(0, order.count - limit)]
        var listed: [RankedValue] = []
        for (index, weight) in weights.enumerated() where weight > least {
            listed.append(RankedValue(index: index, value: try read(index)))
        }
        let remaining = limit - listed.count
        var tied: [RankedValue] = []
        var bound: JSONValue?
        for (index, weight) in weights.enumerated() where weight == least {
            let value = try read(index)
            if let bound, !value.precedes(bound) { continue }
            tied.append(RankedValue(index: index, value: value))
            guard tied.count >= 2 * remaining else { continue }
            tied.sort { $0.value.precedes($1.value) }
            tied.removeLast(tied.count - remaining)
            bound = tied.last?.value
        }
        tied.sort { $0.value.precedes($1.value) }
        listed += tied.prefix(remaining)
        return listed.sorted {
            let (one, other) = (weights[$0.index], weights[$1.index])
            return one == other ? $0.value.precedes($1.value) : one > other
        }
    }
}

extension JSONValue {
    /// Order of values of a field: null, Booleans, numbers by value, texts by their bytes, then arrays and objects by their JSON text.
    fileprivate func precedes(_ other: JSONValue) -> Bool {
        switch (kind, other.kind) {
        case (.boolean(let one), .boolean(let other)): !one && other
        case (.number(let one), .number(let other)):
            one.double == other.double
                ? one.text.utf8.lexicographicallyPrecedes(other.text.utf8) : one.double < other.double
        case (.string(let one), .string(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
        case (.array, .array), (.array, .object), (.object, .array), (.object, .object):
            description.utf8.lexicographicallyPrecedes(other.description.utf8)
        default: rank < other.rank
        }
    }

    private var rank: Int {
        switch kind {
        case .null: 0
        case .boolean: 1
        case .number: 2
        case .string: 3
        case .array, .object: 4
        }
    }
}
