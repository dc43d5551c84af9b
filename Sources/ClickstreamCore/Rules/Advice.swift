/// Warnings about exceeded suggested limits, issued once per name in the lifetime of a client.
///
/// An attribute within its limits costs two comparisons; one already reported, a set lookup. At most ``mostNames``
/// names are remembered; beyond that no more warnings are issued, so that generated names use no memory.
struct Advice: Sendable {
    static let mostNames = 100

    /// Subject of a warning, with its name.
    private struct Topic: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case eventName
            case attributeCount
            case itemCount
            case name(Advice.Kind)
            case value(Advice.Kind)
        }

        var kind: Kind
        var name: String
    }

    /// Kind of attributes, with their suggested limits.
    private enum Kind: Sendable, Hashable {
        case event
        case global
        case user
        case item

        var rules: AttributeRules {
            switch self {
            case .event: Rules.attributes
            case .global: Rules.globalAttributes
            case .user: Rules.userAttributes
            case .item: Rules.itemAttributes
            }
        }
    }

    /// The suggested limits as plain integers, read once from the table for the fast path.
    private struct Limits: Sendable {
        let name: Int
        let value: Int
        let count: Int

        static let event = Limits(Rules.attributes)
        static let user = Limits(Rules.userAttributes)
        static let item = Limits(Rules.itemAttributes)
        static let eventName = Rules.eventNameTooLong.suggestion ?? .max
        static let items = Rules.itemsTooMany.suggestion ?? .max

        private init(_ rules: AttributeRules) {
            name = rules.nameLength.suggestion ?? .max
            value = rules.valueLength.suggestion ?? .max
            count = rules.count.suggestion ?? .max
        }
    }

    private var told: Set<Topic> = []

    /// Checks an accepted event of the caller.
    /// - Parameters:
    ///   - presetCount: the number of attributes added by the library.
    ///   - verdict: the own and global attributes that the event keeps; the others have been reported as errors.
    mutating func look(
        at name: String,
        _ own: Attributes,
        globals: Attributes,
        presetCount: Int,
        verdict: AttributeVerdict,
        items: [Attributes],
        into findings: inout [Violation]
    ) {
        if Characters.areMore(in: name, than: Limits.eventName) || Characters.areReserved(name) {
            if tells(.eventName, name) { Validator.suggestions(forEventName: name, into: &findings) }
        }
        if verdict.isUsual, items.isEmpty { return }
        let limits = Limits.event
        let elements = own.elements.span
        for place in elements.indices where verdict.keepsOwn(at: place) {
            look(at: elements[place], limits, .event, into: &findings)
        }
        if presetCount + own.count + globals.count > limits.count {
            let count =
                presetCount + own.elements.indices.count { verdict.keepsOwn(at: $0) }
                + globals.elements.indices.count { verdict.keepsGlobal(at: $0) }
            findings += look(atCount: count, of: name)
        }
        if items.isEmpty { return }
        for (place, item) in items.enumerated() {
            for element in item.elements { look(at: element, .item, .item, item: place, into: &findings) }
        }
        if items.count > Limits.items, tells(.itemCount, name) {
            let place = "event \"\(Characters.reported(name))\""
            findings.append(Rules.itemsTooMany.suggestedCount(of: items.count, in: place))
        }
    }

    /// Checks the number of attributes of an accepted event.
    mutating func look(atCount count: Int, of name: String) -> [Violation] {
        guard count > Limits.event.count, tells(.attributeCount, name) else { return [] }
        return [Rules.attributesTooMany.suggestedCount(of: count, in: "event \"\(Characters.reported(name))\"")]
    }

    /// Checks accepted global attributes; their number is checked with each event.
    mutating func look(atGlobals globals: Attributes, into findings: inout [Violation]) {
        for element in globals.elements { look(at: element, .event, .global, into: &findings) }
    }

    /// Checks accepted attributes of a user, who now has `count` attributes.
    mutating func look(atUser attributes: Attributes, count: Int, into findings: inout [Violation]) {
        for element in attributes.elements { look(at: element, .user, .user, into: &findings) }
        if count > Limits.user.count, tells(.attributeCount, "user") {
            findings.append(Rules.userAttributesTooMany.suggestedCount(of: count, in: "the user's profile"))
        }
    }

    @inline(__always)
    private mutating func look(
        at element: borrowing Attributes.Element,
        _ limits: Limits,
        _ kind: Kind,
        item: Int? = nil,
        into findings: inout [Violation]
    ) {
        if Characters.areMore(in: element.name, than: limits.name) || Characters.areReserved(element.name) {
            if tells(.name(kind), element.name) {
                Validator.suggest(element.name, .integer(0), kind.rules, item: item, into: &findings)
            }
        }
        guard case .string(let text) = element.value, Characters.areMore(in: text, than: limits.value),
            tells(.value(kind), element.name)
        else { return }
        let rules = kind.rules
        findings.append(
            rules.valueLength.suggestedValueLength(
                Characters.count(text),
                of: element.name,
                noun: rules.noun,
                item: item
            )
        )
    }

    /// Returns true if a warning must be issued: it is new, and there is space to remember it.
    private mutating func tells(_ kind: Topic.Kind, _ name: String) -> Bool {
        guard told.count < Self.mostNames else { return false }
        return told.insert(Topic(kind: kind, name: name)).inserted
    }
}
