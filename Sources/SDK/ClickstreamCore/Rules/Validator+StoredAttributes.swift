/// Attributes that are added to a stored set: global attributes and user attributes.
extension Validator {
    /// Returns the attributes of `new` that may be added to the global attributes; replacing a value is always within
    /// the limit.
    package static func checkGlobals(
        _ new: Attributes,
        existing: Attributes,
        reportsSuggestions: Bool = false,
        into findings: inout [Violation]
    ) -> Attributes {
        checkJoining(
            new,
            existing: Set(existing.elements.lazy.map(\.name)),
            Rules.globalAttributes,
            reportsSuggestions: reportsSuggestions,
            into: &findings
        )
    }

    /// Returns the attributes of `new` that may be added to the user's attributes; replacing a value is always within
    /// the limit, and the two preset names are never counted.
    package static func checkUserAttributes(
        _ new: Attributes,
        existingNames: some Sequence<String>,
        reportsSuggestions: Bool = false,
        into findings: inout [Violation]
    ) -> Attributes {
        checkJoining(
            new,
            existing: Set(existingNames),
            Rules.userAttributes,
            reportsSuggestions: reportsSuggestions,
            into: &findings
        )
    }

    /// Fast path: returns true if all user attributes are valid, the usual case. `false` requires the full check. Costs a few
    /// comparisons for each.
    package static func accepts(userAttributes attributes: Attributes) -> Bool {
        let rules = Rules.userAttributes
        let elements = attributes.elements.span
        guard elements.count <= rules.maxCount else { return false }
        for index in elements.indices {
            guard isAccepted(elements[index].name, elements[index].value, rules),
                violation(reserved: elements[index].name, elements[index].value, rules) == nil
            else { return false }
        }
        return true
    }

    /// Returns true for the two attributes set by the library, which do not count towards the limit.
    package static func isUncountedUserAttribute(_ name: String) -> Bool {
        name == AttributeName.userID || name == AttributeName.userFirstTouch
    }

    private static func isUncounted(_ name: String, _ rules: CompiledRules) -> Bool {
        rules.hasUserID && isUncountedUserAttribute(name)
    }

    private static func checkJoining(
        _ new: Attributes,
        existing: Set<String>,
        _ rules: CompiledRules,
        reportsSuggestions: Bool,
        into findings: inout [Violation]
    ) -> Attributes {
        var count = existing.count { !isUncounted($0, rules) }
        var discarded = SmallIndexSet()
        var rest = UnlistedFindings()
        for index in new.elements.indices {
            let (name, value) = (new.elements[index].name, new.elements[index].value)
            if isBroken(name, value, rules) {
                rest.add(violation(name, value, rules), to: &findings)
                discarded.insert(index)
                continue
            }
            if let violation = violation(reserved: name, value, rules) {
                rest.add(violation, to: &findings)
                discarded.insert(index)
                continue
            }
            if reportsSuggestions { suggest(name, value, rules, into: &findings) }
            if isUncounted(name, rules) || existing.contains(name) { continue }
            guard count < rules.maxCount else {
                rest.add(rules.violation(ofCountBy: name), to: &findings)
                discarded.insert(index)
                continue
            }
            count += 1
            if reportsSuggestions { suggest(count, name, rules, into: &findings) }
        }
        rest.finish(into: &findings)
        if discarded.isEmpty { return new }
        return Attributes(
            new.elements.indices.lazy.filter { !discarded.contains($0) }
                .map { (new.elements[$0].name, new.elements[$0].value) }
        )
    }
}
