/// Warnings about suggested limits.
extension Validator {
    /// Appends the warnings about an accepted event name: longer than suggested, or reserved and unknown.
    package static func suggestions(forEventName name: String, into findings: inout [Violation]) {
        suggest(name, Rules.eventNames, into: &findings)
    }

    /// Appends the warnings about an accepted attribute: its name, and the length of its text.
    package static func suggest(
        _ name: String,
        _ value: AttributeValue,
        _ rules: CompiledRules,
        item: Int? = nil,
        into findings: inout [Violation]
    ) {
        suggest(name, rules, item: item, into: &findings)
        guard findings.count < Rules.maxFindings, case .string(let text) = value,
            Characters.areMore(in: text, than: rules.usualValue), let rule = rules[.valueLength]
        else { return }
        findings.append(
            rule.suggestedValueLength(Characters.count(text), of: name, noun: rules.noun, item: item)
        )
    }

    /// Appends the warning about an accepted name: longer than suggested, or reserved and unknown.
    private static func suggest(
        _ name: String,
        _ rules: CompiledRules,
        item: Int? = nil,
        into findings: inout [Violation]
    ) {
        guard findings.count < Rules.maxFindings else { return }
        if Characters.areReserved(name) {
            // The length of known names needs no warning.
            if rules.known.contains(name) { return }
            if let rule = rules[.nameValidity] {
                findings.append(rule.suggestedPrefix(of: name, noun: rules.noun, item: item))
            }
        }
        if Characters.areMore(in: name, than: rules.usualName), let rule = rules[.nameLength] {
            findings.append(rule.suggestedLength(of: name, noun: rules.noun, item: item))
        }
    }

    /// Appends one warning for the first attribute beyond the suggested number.
    package static func suggest(_ count: Int, _ name: String, _ rules: CompiledRules, into findings: inout [Violation])
    {
        guard count - 1 == rules.usualCount, let rule = rules[.count] else { return }
        findings.append(rule.suggestedCount(at: name, noun: rules.noun))
    }

    /// Appends one warning for the first item beyond the suggested number.
    package static func suggest(itemCount count: Int, at index: Int, into findings: inout [Violation]) {
        guard count - 1 == Rules.items.usualItems, let rule = Rules.items.itemCount else { return }
        findings.append(rule.suggestedItemCount(at: index))
    }
}
