/// Applies the table of ``Rules`` to names, attributes, items and user attributes.
///
/// Pure, deterministic, thread-safe. Allocates nothing as long as there is no violation and at most 64 attributes are
/// checked. Violations are appended to `findings` in this order: attributes as written, global attributes, items;
/// ``Swift/Sequence/firstError`` is the one reported to the server. Suggested limits are checked only on request, add
/// warnings, and never change the result. Only the first ``Rules/maxFindings`` violations are reported individually
/// and the rest as a count, which bounds the work for any input.
package enum Validator: Sendable {
    // MARK: - Names and ids

    /// Returns the violation of an event name, or `nil`: length is checked before validity.
    @inline(__always)
    package static func checkEventName(_ name: String) -> Violation? {
        isEventName(name) ? nil : violation(ofEventName: name)
    }

    /// Returns true if an event name is valid and within its length limit.
    package static func isEventName(_ name: String) -> Bool {
        // Valid names are ASCII: the number of bytes is the number of characters.
        name.utf8.count <= Rules.longestEventName && Characters.areName(name)
    }

    @inline(never)
    private static func violation(ofEventName name: String) -> Violation? {
        Rules.eventNames.violation(by: name, nil)
    }

    /// Returns the violation of the name of a manually recorded screen view, or `nil`. A valid name is a non-empty text
    /// no longer than the value of an attribute.
    package static func checkScreenName(_ name: AttributeValue?) -> Violation? {
        Rules.screens.violation(by: AttributeName.screenName, name)
            ?? Rules.screens.violation(byRequired: name, named: AttributeName.screenName)
    }

    /// Returns the violation of a user id, or `nil`: longer than the limit of a user attribute's value, or empty.
    package static func checkUserID(_ id: String) -> Violation? {
        let rules = Rules.userAttributes
        if Characters.areMore(in: id, than: rules.longestValue) { return rules[.valueLength]?.brokenByUserID(id) }
        return id.isEmpty ? rules[.nameValidity]?.brokenByUserID(id) : nil
    }

    // MARK: - One name with its value

    /// Fast path by byte counts: returns true if the attribute is valid, the usual case. `false` requires the full
    /// check.
    @inline(__always)
    package static func isAccepted(_ name: String, _ value: AttributeValue, _ rules: CompiledRules) -> Bool {
        guard name.utf8.count <= rules.longestName, Characters.areName(name) else { return false }
        switch value {
        case .string(let text): return text.utf8.count <= rules.longestValue
        case .double(let number): return number.isFinite
        case .decimal(let number): return number.isFinite
        case .integer, .boolean: return true
        }
    }

    /// Returns true if the attribute violates a rule. Constant time for a text of any length.
    @inline(never)
    package static func isBroken(_ name: String, _ value: AttributeValue, _ rules: CompiledRules) -> Bool {
        rules.isViolated(by: name, value)
    }

    /// Returns the first violation: length of the name, validity of the name, length of the value, number not finite;
    /// `nil` if there is none.
    @inline(never)
    package static func violation(
        _ name: String,
        _ value: AttributeValue,
        _ rules: CompiledRules,
        item: Int? = nil
    ) -> Violation? {
        rules.violation(by: name, value, item: item)
    }

    /// Returns the violation of a value under a reserved name: one that the server reads as an integer, or the user id.
    ///
    /// With a value of any other type, the server loses the event or stores it as corrupt.
    static func violation(reserved name: String, _ value: AttributeValue, _ rules: CompiledRules) -> Violation? {
        guard Characters.areReserved(name) else { return nil }
        if name == AttributeName.userID, rules.hasUserID, case .string(let id) = value { return checkUserID(id) }
        guard name.utf8.count >= rules.shortestWholeNumber, let form = rules.wholeNumbers[name], !form.accepts(value)
        else { return nil }
        return rules[.nameValidity]?.brokenByReservedName(name, noun: rules.noun)
    }
}
