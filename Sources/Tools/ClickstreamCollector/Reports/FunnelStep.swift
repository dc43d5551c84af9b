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
        /// Path of the condition, if it consists of names that a reader of JSON never cuts.
        var path: MemberPath?

        init(bit: UInt32, condition: ValueCondition) {
            self.bit = bit
            self.condition = condition
            let names = condition.path.parts.compactMap { part -> String? in
                if case .name(let name) = part, name.utf8.count <= JSONText.maxUncutBytes { name } else { nil }
            }
            if names.count == condition.path.parts.count { path = MemberPath(names) }
        }

        /// Compares a value with the condition without building the rest of the event.
        func holds(for value: UnsafeRawBufferPointer?) -> Bool {
            // A stored event is well-formed.
            let value = value.flatMap { try? JSONReader.parse($0, within: .conditions).value }
            return (value?.means(condition.value) ?? false) == condition.isEquality
        }
    }

    /// Maximum bytes of an event of which single values are read: it has fewer values than ``JSONReader/Bounds/conditions`` allow.
    private static let maxEventBytes = 65_536

    /// Adds a step that has the name.
    mutating func add(_ step: FunnelStep, at index: Int) {
        let bit = 1 << UInt32(index) as UInt32
        if let condition = step.condition {
            conditional.append(Conditional(bit: bit, condition: condition))
        } else {
            unconditional |= bit
        }
    }

    /// True if there are conditions, for which the text of the event is read.
    var isConditional: Bool { !conditional.isEmpty }

    /// Steps that events with the name may match: without conditions, those that they match.
    var possible: UInt32 { conditional.reduce(unconditional) { $0 | $1.bit } }

    /// Steps that an event with the name matches.
    /// - Parameter text: JSON text of the event, well-formed; not read if there are no conditions.
    func matches(in text: UnsafeRawBufferPointer) -> UInt32 {
        var matches = unconditional
        var event: JSONValue?
        for step in conditional {
            let holds: Bool
            if let path = step.path, text.count <= Self.maxEventBytes {
                holds = step.holds(for: path.value(in: text).map { UnsafeRawBufferPointer(rebasing: text[$0]) })
            } else {
                let built = event ?? (try? JSONReader.parse(text, within: .conditions).value) ?? JSONValue(.null)
                event = built
                holds = step.condition.holds(for: built)
            }
            if holds { matches |= step.bit }
        }
        return matches
    }
}
