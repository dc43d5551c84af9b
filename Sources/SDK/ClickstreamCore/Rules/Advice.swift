/// Warnings about exceeded suggested limits, issued once per name in the lifetime of a client.
///
/// An attribute within its limits costs two comparisons; one already reported, a set lookup. At most ``maxNames``
/// names are remembered; beyond that no more warnings are issued, so that generated names use no memory.
struct Advice: Sendable {
    static let maxNames = 100

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

    /// Kind of attributes, with their rules.
    private enum Kind: Sendable, Hashable {
        case event
        case global
        case user
        case item

        var rules: CompiledRules {
            switch self {
            case .event: Rules.attributes
            case .global: Rules.globalAttributes
            case .user: Rules.userAttributes
            case .item: Rules.items
            }
        }
    }

    private var warned: Set<Topic> = []

    /// Checks an accepted event of the caller.
    /// - Parameters:
    ///   - presetCount: the number of attributes added by the library.
    ///   - verdict: the own and global attributes that the event keeps; the others have been reported as errors.
    mutating func check(
        at name: String,
        _ own: Attributes,
        globals: Attributes,
        presetCount: Int,
        verdict: AttributeVerdict,
        items: [Attributes],
        into findings: inout [Violation]
    ) {
        if Characters.areMore(in: name, than: Rules.eventNames.usualName) || Characters.areReserved(name) {
            if isNew(.eventName, name) { Validator.suggestions(forEventName: name, into: &findings) }
        }
        if verdict.isUsual, items.isEmpty { return }
        let rules = Rules.attributes
        let elements = own.elements.span
        for index in elements.indices where verdict.keepsOwn(at: index) {
            check(at: elements[index], .event, into: &findings)
        }
        if presetCount + own.count + globals.count > rules.usualCount {
            let count =
                presetCount + own.elements.indices.count { verdict.keepsOwn(at: $0) }
                + globals.elements.indices.count { verdict.keepsGlobal(at: $0) }
            findings += check(atCount: count, of: name)
        }
        if items.isEmpty { return }
        for (index, item) in items.enumerated() {
            for element in item.elements { check(at: element, .item, item: index, into: &findings) }
        }
        if items.count > Rules.items.usualItems, isNew(.itemCount, name), let rule = Rules.items.itemCount {
            findings.append(rule.suggestedCount(of: items.count, in: "event \"\(Characters.reported(name))\""))
        }
    }

    /// Checks the number of attributes of an accepted event.
    mutating func check(atCount count: Int, of name: String) -> [Violation] {
        let rules = Rules.attributes
        guard count > rules.usualCount, isNew(.attributeCount, name), let rule = rules[.count] else { return [] }
        return [rule.suggestedCount(of: count, in: "event \"\(Characters.reported(name))\"")]
    }

    /// Checks accepted global attributes; their number is checked with each event.
    mutating func check(atGlobals globals: Attributes, into findings: inout [Violation]) {
        for element in globals.elements { check(at: element, .global, into: &findings) }
    }

    /// Checks accepted attributes of a user, who now has `count` attributes.
    mutating func check(atUser attributes: Attributes, count: Int, into findings: inout [Violation]) {
        for element in attributes.elements { check(at: element, .user, into: &findings) }
        let rules = Rules.userAttributes
        if count > rules.usualCount, isNew(.attributeCount, "user"), let rule = rules[.count] {
            findings.append(rule.suggestedCount(of: count, in: "the user's profile"))
        }
    }

    @inline(__always)
    private mutating func check(
        at element: borrowing Attributes.Element,
        _ kind: Kind,
        item: Int? = nil,
        into findings: inout [Violation]
    ) {
        let rules = kind.rules
        if Characters.areMore(in: element.name, than: rules.usualName) || Characters.areReserved(element.name) {
            if isNew(.name(kind), element.name) {
                Validator.suggest(element.name, .integer(0), rules, item: item, into: &findings)
            }
        }
        guard case .string(let text) = element.value, Characters.areMore(in: text, than: rules.usualValue),
            isNew(.value(kind), element.name), let rule = rules[.valueLength]
        else { return }
        findings.append(
            rule.suggestedValueLength(Characters.count(text), of: element.name, noun: rules.noun, item: item)
        )
    }

    /// Returns true if a warning must be issued: it is new, and there is space to remember it.
    private mutating func isNew(_ kind: Topic.Kind, _ name: String) -> Bool {
        guard warned.count < Self.maxNames else { return false }
        return warned.insert(Topic(kind: kind, name: name)).inserted
    }
}
