import ClickstreamCore
import ClickstreamJudges

/// Step of a funnel: the name of an event, and a condition that the event has to meet.
struct FunnelStep: Sendable, Hashable {
    /// The step as written, `NAME` or `NAME:CONDITION`.
    let text: String
    let name: String
    /// Condition on the event in the syntax of `assert --where`; `nil` for any event with the name.
    let condition: ValueCondition?

    /// The name ends at the first colon.
    init(_ text: String) throws(ValueCondition.ParseError) {
        self.text = text
        let name = text.prefix { $0 != ":" }
        if name.isEmpty { throw ValueCondition.ParseError(reason: "missing name of an event") }
        self.name = String(name)
        let rest = text[name.endIndex...]
        condition = try rest.isEmpty ? nil : ValueCondition(String(rest.dropFirst()))
    }
}

/// Steps of a funnel that events with one name match.
struct FunnelMatcher: Sendable, Hashable {
    /// Steps without a condition as bits, the first in the lowest.
    private var unconditional: UInt32 = 0
    private var conditional: [Conditional] = []

    /// Step with a condition, as a bit.
    private struct Conditional: Sendable, Hashable {
        var bit: UInt32
        var condition: ValueCondition
    }

    /// Adds a step that has the name.
    mutating func add(_ step: FunnelStep, at index: Int) {
        let bit = 1 << UInt32(index) as UInt32
        if let condition = step.condition {
            conditional.append(Conditional(bit: bit, condition: condition))
        } else {
            unconditional |= bit
        }
    }

    /// Steps that an event with the name matches.
    /// - Parameter event: returns the event; called if there are conditions.
    func matches(_ event: () throws -> JSONValue) rethrows -> UInt32 {
        if conditional.isEmpty { return unconditional }
        let read = try event()
        return conditional.reduce(unconditional) { $1.condition.holds(for: read) ? $0 | $1.bit : $0 }
    }
}
