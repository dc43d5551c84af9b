/// Applies the table of ``Rules`` to names, attributes, items and user attributes.
///
/// Pure, deterministic, thread-safe. Allocates nothing as long as there is no violation and at most 64 attributes are
/// checked. Violations are appended to `findings` in this order: attributes as written, global attributes, items;
/// ``Swift/Sequence/firstError`` is the one reported to the server. Suggested limits are checked only on request, add
/// warnings, and never change the result. Only the first ``Rules/mostFindings`` violations are reported individually
/// and the rest as a count, which bounds the work for any input.
package enum Validator: Sendable {
    // MARK: - Names

    /// Returns the violation of an event name, or `nil`: length is checked before validity.
    @inline(__always)
    package static func checkEventName(_ name: String) -> Violation? {
        isEventName(name) ? nil : violation(ofEventName: name)
    }

    /// Returns true if an event name is valid and within its length limit.
    package static func isEventName(_ name: String) -> Bool {
        // Valid names are ASCII: the number of bytes is the number of characters.
        name.utf8.count <= Limits.eventName && Characters.areName(name)
    }

    @inline(never)
    private static func violation(ofEventName name: String) -> Violation {
        if Characters.areMore(in: name, than: Limits.eventName) {
            return Rules.eventNameTooLong.brokenByLength(of: name, noun: "event")
        }
        return Rules.eventNameInvalid.brokenByName(name, noun: "event")
    }

    /// Appends the warnings about an accepted event name: longer than suggested, or reserved and unknown.
    package static func suggestions(forEventName name: String, into findings: inout [Violation]) {
        suggest(
            name,
            noun: "event",
            length: Rules.eventNameTooLong,
            validity: Rules.eventNameInvalid,
            known: EventName.reserved,
            into: &findings
        )
    }

    /// Returns the violation of the name of a manually recorded screen view, or `nil`. A valid name is a non-empty text
    /// no longer than the value of an attribute.
    package static func checkScreenName(_ name: AttributeValue?) -> Violation? {
        let rule = Rules.screenViewWithoutName
        let reason: String
        switch name {
        case .string(let text):
            if Characters.areMore(in: text, than: Rules.attributes.longestValue) {
                reason =
                    "has \(Characters.count(text)) characters; at most \(Rules.attributes.longestValue) are allowed"
            } else if text.isEmpty {
                reason = "is empty"
            } else {
                return nil
            }
        case nil: reason = "is missing"
        default: reason = "is not a string"
        }
        return rule.broken(
            by: AttributeName.screenName,
            "the screen view is discarded: its \"\(AttributeName.screenName)\" \(reason)"
        )
    }

    /// Returns the violation of a user id, or `nil`: longer than the limit of a user attribute's value, or empty.
    package static func checkUserID(_ id: String) -> Violation? {
        if Characters.areMore(in: id, than: Rules.userAttributes.longestValue) {
            return Rules.userAttributeValueTooLong.broken(
                by: AttributeName.userID,
                "the user id has \(Characters.count(id)) characters; "
                    + "at most \(Rules.userAttributes.longestValue) are allowed"
            )
        }
        guard id.isEmpty else { return nil }
        return Rules.userAttributeNameInvalid.broken(by: AttributeName.userID, "the user id is empty")
    }

    // MARK: - Event attributes

    /// Determines which own and global attributes an event keeps.
    ///
    /// The presets always fit; the remaining slots are filled with the event's own in written order, then with globals.
    /// A global attribute with the name of an own or preset attribute is left out and not counted, even if the own one
    /// is discarded. An own attribute with a preset's name is kept and not counted again. `_error_code` and
    /// `_error_message` are kept and not counted. Globals were validated when they were set: only their number is
    /// checked here.
    ///
    /// - Parameters:
    ///   - presetCount: the number of attributes that the library adds to the event.
    ///   - isPreset: returns true for the name of such an attribute; called only for names with a leading underscore.
    package static func checkAttributes(
        own: Attributes,
        globals: Attributes,
        presetCount: Int,
        isPreset: (String) -> Bool = { _ in false },
        reportsSuggestions: Bool = false,
        into findings: inout [Violation]
    ) -> AttributeVerdict {
        let rules = Rules.attributes
        var verdict = AttributeVerdict()
        var count = presetCount
        var rest = UnlistedFindings()

        verdict.isUsual =
            presetCount + own.count + globals.count <= rules.usualCount && !reportsSuggestions && areUsual(own, rules)
        if verdict.isUsual { count += own.count }
        for place in own.elements.indices where !verdict.isUsual {
            let (name, value) = (own.elements[place].name, own.elements[place].value)
            if !isAccepted(name, value, rules), isBroken(name, value, rules) {
                rest.add(violation(name, value, rules), to: &findings)
                verdict.discardedOwn.insert(place)
                continue
            }
            if Characters.areReserved(name) {
                if isErrorAttribute(name) { continue }
                if let violation = violation(reserved: name, value, rules) {
                    rest.add(violation, to: &findings)
                    verdict.discardedOwn.insert(place)
                    continue
                }
                if isPreset(name) { continue }
            }
            guard count < rules.most else {
                rest.add(rules.count.brokenByCount(of: name, rules), to: &findings)
                verdict.discardedOwn.insert(place)
                continue
            }
            count += 1
            if reportsSuggestions {
                suggest(name, value, rules, into: &findings)
                suggest(count, name, rules, into: &findings)
            }
        }
        if globals.isEmpty {
            rest.finish(into: &findings)
            return verdict
        }

        let isOwn = Lookup(own, for: globals.count)
        for place in globals.elements.indices {
            let name = globals.elements[place].name
            let isReserved = Characters.areReserved(name)
            if isOwn.contains(name) || isReserved && isPreset(name) {
                verdict.discardedGlobals.insert(place)
                continue
            }
            if isReserved, isErrorAttribute(name) { continue }
            guard count < rules.most else {
                rest.add(rules.count.brokenByCount(of: name, Rules.globalAttributes), to: &findings)
                verdict.discardedGlobals.insert(place)
                continue
            }
            count += 1
            if reportsSuggestions { suggest(count, name, rules, into: &findings) }
        }
        rest.finish(into: &findings)
        return verdict
    }

    /// Returns true for the attributes that report a violation, which only the library writes and which are not
    /// counted.
    @inline(__always)
    package static func isErrorAttribute(_ name: String) -> Bool {
        name == AttributeName.errorCode || name == AttributeName.errorMessage
    }

    // MARK: - Global and user attributes

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
            isUncounted: { _ in false },
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
            isUncounted: isUncountedUserAttribute,
            Rules.userAttributes,
            reportsSuggestions: reportsSuggestions,
            into: &findings
        )
    }

    /// Returns true for the two attributes set by the library, which do not count towards the limit.
    package static func isUncountedUserAttribute(_ name: String) -> Bool {
        name == AttributeName.userID || name == AttributeName.userFirstTouch
    }

    private static func checkJoining(
        _ new: Attributes,
        existing: Set<String>,
        isUncounted: (String) -> Bool,
        _ rules: AttributeRules,
        reportsSuggestions: Bool,
        into findings: inout [Violation]
    ) -> Attributes {
        var count = existing.count { !isUncounted($0) }
        var discarded = SmallIndexSet()
        var rest = UnlistedFindings()
        for place in new.elements.indices {
            let (name, value) = (new.elements[place].name, new.elements[place].value)
            if isBroken(name, value, rules) {
                rest.add(violation(name, value, rules), to: &findings)
                discarded.insert(place)
                continue
            }
            if let violation = violation(reserved: name, value, rules) {
                rest.add(violation, to: &findings)
                discarded.insert(place)
                continue
            }
            if reportsSuggestions { suggest(name, value, rules, into: &findings) }
            if isUncounted(name) || existing.contains(name) { continue }
            guard count < rules.most else {
                rest.add(rules.count.brokenByCount(of: name, rules), to: &findings)
                discarded.insert(place)
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

    // MARK: - Items

    /// Returns the items that the event keeps: the same array if there is no violation.
    ///
    /// The published SDK's `item_category` and similar names are renamed first; the later of two values wins. An item
    /// with any violation is discarded, and each of its violations is reported; discarded items are not counted.
    package static func checkItems(
        _ items: [Attributes],
        reportsSuggestions: Bool = false,
        into findings: inout [Violation]
    ) -> [Attributes] {
        let most = Limits.items
        // The items kept so far, once they differ from the given ones.
        var accepted: [Attributes]?
        var count = 0
        var rest = UnlistedFindings()
        for place in items.indices {
            let renamed = hasOldNames(items[place]) ? renaming(items[place]) : nil
            if renamed != nil, accepted == nil { accepted = Array(items[..<place]) }

            let isFine: Bool
            if let renamed {
                isFine = checkItem(renamed, at: place, reportsSuggestions: reportsSuggestions, &rest, into: &findings)
            } else {
                isFine = checkItem(
                    items[place],
                    at: place,
                    reportsSuggestions: reportsSuggestions,
                    &rest,
                    into: &findings
                )
            }
            guard isFine, count < most else {
                if isFine { rest.add(Rules.itemsTooMany.brokenByItemCount(at: place), to: &findings) }
                if accepted == nil { accepted = Array(items[..<place]) }
                continue
            }
            count += 1
            accepted?.append(renamed ?? items[place])
            if reportsSuggestions { suggest(itemCount: count, at: place, into: &findings) }
        }
        rest.finish(into: &findings)
        return accepted ?? items
    }

    /// Returns true if the item at `place` has no violation; reports each violation.
    package static func checkItem(
        _ item: Attributes,
        at place: Int,
        reportsSuggestions: Bool,
        _ rest: inout UnlistedFindings,
        into findings: inout [Violation]
    ) -> Bool {
        let rules = Rules.itemAttributes
        var isFine = true
        if !hasID(item) {
            rest.add(Rules.itemWithoutID.brokenByMissingID(at: place), to: &findings)
            isFine = false
        }
        for element in item.elements where !isAccepted(element.name, element.value, rules) {
            guard isBroken(element.name, element.value, rules) else { continue }
            rest.add(violation(element.name, element.value, rules, item: place), to: &findings)
            isFine = false
        }
        // With an id among them, this number of attributes is always within the limit.
        if item.count > rules.most, customCount(item) > rules.most {
            rest.add(rules.count.brokenByCustomCount(customCount(item), at: place), to: &findings)
            isFine = false
        }
        guard isFine else { return false }
        if reportsSuggestions {
            for element in item.elements { suggest(element.name, element.value, rules, item: place, into: &findings) }
        }
        return true
    }

    /// Returns true if the item has an id in a form that the server reads: a number, or a non-empty text.
    private static func hasID(_ item: Attributes) -> Bool {
        switch item[ItemName.id] {
        case .string(let text): !text.isEmpty
        case .integer, .double, .decimal: true
        case .boolean, nil: false
        }
    }

    private static func customCount(_ item: Attributes) -> Int {
        var count = 0
        for element in item.elements where !ItemName.preset.contains(element.name) { count += 1 }
        return count
    }

    private static func hasOldNames(_ item: Attributes) -> Bool {
        for element in item.elements where element.name.utf8.count >= Limits.shortestOldName {
            if ItemName.renamed[element.name] != nil { return true }
        }
        return false
    }

    private static func renaming(_ item: Attributes) -> Attributes {
        Attributes(item.elements.lazy.map { (ItemName.renamed[$0.name] ?? $0.name, $0.value) })
    }

    // MARK: - One name with its value

    /// Fast path: returns true if every attribute is within all limits and all suggested limits, and none has a
    /// reserved name, the usual case. `false` requires the full check.
    private static func areUsual(_ attributes: Attributes, _ rules: AttributeRules) -> Bool {
        let (longestName, longestValue) = (rules.usualName, rules.usualValue)
        let elements = attributes.elements.span
        for place in elements.indices {
            guard elements[place].name.utf8.count <= longestName, Characters.areOwnName(elements[place].name) else {
                return false
            }
            switch elements[place].value {
            case .string(let text) where text.utf8.count > longestValue: return false
            case .double(let number) where !number.isFinite: return false
            case .decimal(let number) where !number.isFinite: return false
            case .string, .double, .decimal, .integer, .boolean: break
            }
        }
        return true
    }

    /// Fast path by byte counts: returns true if the attribute is valid, the usual case. `false` requires the full
    /// check.
    @inline(__always)
    package static func isAccepted(_ name: String, _ value: AttributeValue, _ rules: AttributeRules) -> Bool {
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
    package static func isBroken(_ name: String, _ value: AttributeValue, _ rules: AttributeRules) -> Bool {
        if Characters.areMore(in: name, than: rules.longestName) || !Characters.areName(name) { return true }
        if case .string(let text) = value { return Characters.areMore(in: text, than: rules.longestValue) }
        return !value.isFinite
    }

    /// Returns the first violation: length of the name, validity of the name, length of the value, number not finite;
    /// `nil` if there is none.
    @inline(never)
    package static func violation(
        _ name: String,
        _ value: AttributeValue,
        _ rules: AttributeRules,
        item: Int? = nil
    ) -> Violation? {
        if Characters.areMore(in: name, than: rules.longestName) {
            return rules.nameLength.brokenByLength(of: name, noun: rules.noun, item: item)
        }
        if !Characters.areName(name) {
            return rules.nameValidity.brokenByName(name, noun: rules.noun, item: item)
        }
        if case .string(let text) = value, Characters.areMore(in: text, than: rules.longestValue) {
            return rules.valueLength.brokenByValueLength(Characters.count(text), of: name, noun: rules.noun, item: item)
        }
        if !value.isFinite {
            return rules.finite.brokenByInfinity(of: name, noun: rules.noun, item: item)
        }
        return nil
    }

    /// Returns the violation of a value under a reserved name: one that the server reads as an integer, or the user id.
    ///
    /// With a value of any other type, the server loses the event or stores it as corrupt.
    static func violation(reserved name: String, _ value: AttributeValue, _ rules: AttributeRules) -> Violation? {
        guard Characters.areReserved(name) else { return nil }
        if name == AttributeName.userID, rules.hasUserID, case .string(let id) = value { return checkUserID(id) }
        guard name.utf8.count >= rules.shortestWholeNumber, let form = rules.wholeNumbers[name], !form.accepts(value)
        else { return nil }
        return rules.nameValidity.brokenByReservedName(name, noun: rules.noun)
    }

    // MARK: - Suggestions

    package static func suggest(
        _ name: String,
        _ value: AttributeValue,
        _ rules: AttributeRules,
        item: Int? = nil,
        into findings: inout [Violation]
    ) {
        suggest(
            name,
            noun: rules.noun,
            item: item,
            length: rules.nameLength,
            validity: rules.nameValidity,
            known: rules.known,
            into: &findings
        )
        guard findings.count < Rules.mostFindings, case .string(let text) = value,
            let suggestion = rules.valueLength.suggestion,
            Characters.areMore(in: text, than: suggestion)
        else { return }
        findings.append(
            rules.valueLength.suggestedValueLength(
                Characters.count(text),
                of: name,
                noun: rules.noun,
                item: item
            )
        )
    }

    private static func suggest(
        _ name: String,
        noun: String,
        item: Int? = nil,
        length: Rule,
        validity: Rule,
        known: Set<String>,
        into findings: inout [Violation]
    ) {
        guard findings.count < Rules.mostFindings else { return }
        if Characters.areReserved(name) {
            if !known.contains(name) { findings.append(validity.suggestedPrefix(of: name, noun: noun, item: item)) }
            // The length of known names needs no warning.
            if known.contains(name) { return }
        }
        if let suggestion = length.suggestion, Characters.areMore(in: name, than: suggestion) {
            findings.append(length.suggestedLength(of: name, noun: noun, item: item))
        }
    }

    /// Appends one warning for the first attribute beyond the suggested number.
    package static func suggest(_ count: Int, _ name: String, _ rules: AttributeRules, into findings: inout [Violation])
    {
        guard let suggestion = rules.count.suggestion, count == suggestion + 1 else { return }
        findings.append(rules.count.suggestedCount(at: name, noun: rules.noun))
    }

    package static func suggest(itemCount count: Int, at place: Int, into findings: inout [Violation]) {
        guard let suggestion = Rules.itemsTooMany.suggestion, count == suggestion + 1 else { return }
        findings.append(Rules.itemsTooMany.suggestedItemCount(at: place))
    }

    /// Limits of single rows, read once.
    package enum Limits {
        static let eventName = Rules.eventNameTooLong.limit ?? .max
        package static let items = Rules.itemsTooMany.limit ?? .max
        static let shortestOldName = ItemName.renamed.keys.lazy.map(\.utf8.count).min() ?? .max
    }
}

/// Attributes that an event keeps, identified by position to avoid copying the caller's values.
package struct AttributeVerdict: Sendable, Equatable {
    /// The positions of discarded own attributes.
    package fileprivate(set) var discardedOwn = SmallIndexSet()
    /// The positions of global attributes that are discarded or overridden by an attribute of the same name.
    package fileprivate(set) var discardedGlobals = SmallIndexSet()

    /// True if the own attributes cause no warning and none has a reserved name.
    package fileprivate(set) var isUsual = false

    package init() {}

    package var keepsEverything: Bool { discardedOwn.isEmpty && discardedGlobals.isEmpty }

    package func keepsOwn(at place: Int) -> Bool { !discardedOwn.contains(place) }

    package func keepsGlobal(at place: Int) -> Bool { !discardedGlobals.contains(place) }
}

/// Violations beyond a limit, ``Rules/mostFindings`` by default: counted, and reported as one violation at the end.
package struct UnlistedFindings {
    /// The first unlisted violation.
    package private(set) var first: Violation?
    package private(set) var count = 0
    private let mostListed: Int

    package init(mostListed: Int = Rules.mostFindings) {
        self.mostListed = mostListed
    }

    /// Lists a violation if there is room. An unlisted one is not evaluated, except the first.
    mutating func add(_ finding: @autoclosure () -> Violation?, to findings: inout [Violation]) {
        guard findings.count >= mostListed else {
            if let finding = finding() { findings.append(finding) }
            return
        }
        if first == nil { first = finding() }
        count += 1
    }

    package func finish(into findings: inout [Violation]) {
        guard let first else { return }
        guard count > 1, let rule = Rules[first.code] else {
            findings.append(first)
            return
        }
        findings.append(rule.broken(by: first.name, "\(count) more mistakes, the first of them: \(first.message)"))
    }
}

/// Name lookup in a list: linear, or with a set if the list and the number of lookups are large.
private struct Lookup {
    private let attributes: Attributes
    private let names: Set<String>?

    /// The number of comparisons from which a set of the names is cheaper.
    private static let mostComparisons = 2_000

    init(_ attributes: Attributes, for questions: Int) {
        self.attributes = attributes
        names = attributes.count * questions > Self.mostComparisons ? Set(attributes.elements.lazy.map(\.name)) : nil
    }

    func contains(_ name: String) -> Bool {
        if let names { return names.contains(name) }
        for index in attributes.elements.indices where attributes.elements[index].name == name { return true }
        return false
    }
}
