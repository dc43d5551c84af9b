/// Runs the table of ``Rules`` over names, attributes, items and user attributes.
///
/// Pure, deterministic, callable from any thread. Nothing is allocated as long as nothing is wrong and no more than 64
/// attributes are looked at. What is wrong is appended to `findings` in this order: attributes as written, global
/// attributes, items; ``Swift/Sequence/firstError`` is what the event tells the server. Suggested limits are looked at
/// only when asked for, add warnings, and never change what is kept. Of very many mistakes the first
/// ``Rules/mostFindings`` are reported one by one and the others by their number, so that no input makes much work.
package enum Validator: Sendable {
    // MARK: - Names

    /// What is wrong with an event's name: too long comes before invalid.
    @inline(__always)
    package static func checkEventName(_ name: String) -> Violation? {
        isEventName(name) ? nil : violation(ofEventName: name)
    }

    /// Whether an event's name keeps both of its rules.
    package static func isEventName(_ name: String) -> Bool {
        // Every name is ASCII: its bytes are its characters.
        name.utf8.count <= Limits.eventName && Characters.areName(name)
    }

    @inline(never)
    private static func violation(ofEventName name: String) -> Violation {
        if Characters.areMore(in: name, than: Limits.eventName) {
            return Rules.eventNameTooLong.brokenByLength(of: name, noun: "event")
        }
        return Rules.eventNameInvalid.brokenByName(name, noun: "event")
    }

    /// The warnings about an accepted event name: longer than suggested, or reserved and unknown.
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

    /// What is wrong with the name of a screen view that is recorded by hand. A name is a text, not empty, and no longer
    /// than the value of an attribute.
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
        default: reason = "is not a text"
        }
        return rule.broken(
            by: AttributeName.screenName,
            "the screen view is discarded: its \"\(AttributeName.screenName)\" \(reason)"
        )
    }

    /// What is wrong with a user id: longer than a user attribute's value may be, or empty.
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

    /// Which of an event's own and of the global attributes stand in the event.
    ///
    /// The presets always fit; the rest of the room is filled with the event's own in written order, then with globals. A
    /// global whose name the event or a preset has is left out and not counted, whatever became of the event's own. An
    /// own attribute with a preset's name is kept and not counted again. `_error_code` and `_error_message` are kept and
    /// not counted. Globals have been checked when they were set: here they only have to fit.
    ///
    /// - Parameters:
    ///   - presetCount: how many attributes the library itself puts into the event.
    ///   - isPreset: whether a name is one of those; asked only about names with a leading underscore.
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

    /// The attributes that tell of a mistake are the library's to write, and outside every count.
    @inline(__always)
    package static func isErrorAttribute(_ name: String) -> Bool {
        name == AttributeName.errorCode || name == AttributeName.errorMessage
    }

    // MARK: - Global and user attributes

    /// Which of `new` may join the global attributes; a new value for an existing name never counts as new.
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

    /// Which of `new` may join the user's attributes; a new value for an existing name never counts as new, and the two
    /// preset names are never counted.
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

    /// The two that the library sets stand beside the limit.
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
        var discarded = Places()
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

    /// The items that stand in the event: the same array when nothing is wrong.
    ///
    /// The published SDK's `item_category` and its likes are renamed first, the later of two values wins. An item with
    /// any mistake is discarded whole, each of its mistakes is reported; discarded items do not count.
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

    /// Whether the item at `place` keeps every rule of items; reports each one that it breaks.
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
        // With an id among them, so few attributes cannot be too many.
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

    /// Whether there is an id that the server can read: a number, or a text that is not empty.
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

    /// Whether there is nothing to say of any attribute, which is nearly always: each keeps every rule and every
    /// suggestion, and none bears a reserved name. `false` decides nothing.
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

    /// Whether the bytes alone already say that all is well, which is nearly always. `false` decides nothing.
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

    /// Whether anything is wrong. Takes the same time for a text of any length.
    @inline(never)
    package static func isBroken(_ name: String, _ value: AttributeValue, _ rules: AttributeRules) -> Bool {
        if Characters.areMore(in: name, than: rules.longestName) || !Characters.areName(name) { return true }
        if case .string(let text) = value { return Characters.areMore(in: text, than: rules.longestValue) }
        return !value.isFinite
    }

    /// What is wrong: length of the name, the name, length of the value, a value that is no number; `nil` when nothing is.
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

    /// What is wrong with a value under a reserved name: one that the server reads as a whole number, or the user id.
    ///
    /// The server loses an event, or files it as corrupt, when such a value is anything else.
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
            // The known ones are as long as they are.
            if known.contains(name) { return }
        }
        if let suggestion = length.suggestion, Characters.areMore(in: name, than: suggestion) {
            findings.append(length.suggestedLength(of: name, noun: noun, item: item))
        }
    }

    /// One warning for all: at the attribute that is the first past the suggested number.
    package static func suggest(_ count: Int, _ name: String, _ rules: AttributeRules, into findings: inout [Violation])
    {
        guard let suggestion = rules.count.suggestion, count == suggestion + 1 else { return }
        findings.append(rules.count.suggestedCount(at: name, noun: rules.noun))
    }

    package static func suggest(itemCount count: Int, at place: Int, into findings: inout [Violation]) {
        guard let suggestion = Rules.itemsTooMany.suggestion, count == suggestion + 1 else { return }
        findings.append(Rules.itemsTooMany.suggestedItemCount(at: place))
    }

    /// Numbers of single rows, read once.
    package enum Limits {
        static let eventName = Rules.eventNameTooLong.limit ?? .max
        package static let items = Rules.itemsTooMany.limit ?? .max
        static let shortestOldName = ItemName.renamed.keys.lazy.map(\.utf8.count).min() ?? .max
    }
}

/// Which attributes stand in an event; by position, so that the caller's values need not be copied.
package struct AttributeVerdict: Sendable, Equatable {
    /// Positions in the event's own attributes that are discarded.
    package fileprivate(set) var discardedOwn = Places()
    /// Positions in the global attributes that are discarded or stand behind another of the same name.
    package fileprivate(set) var discardedGlobals = Places()

    /// Whether there is nothing to say of the event's own attributes, not even a suggestion, and none has a reserved name.
    package fileprivate(set) var isUsual = false

    package init() {}

    package var keepsEverything: Bool { discardedOwn.isEmpty && discardedGlobals.isEmpty }

    package func keepsOwn(at place: Int) -> Bool { !discardedOwn.contains(place) }

    package func keepsGlobal(at place: Int) -> Bool { !discardedGlobals.contains(place) }
}

/// Mistakes past a number of findings, ``Rules/mostFindings`` by default: counted, and reported in one finding at the end.
package struct UnlistedFindings {
    /// The first of them.
    package private(set) var first: Violation?
    package private(set) var count = 0
    private let mostListed: Int

    package init(mostListed: Int = Rules.mostFindings) {
        self.mostListed = mostListed
    }

    /// Lists the finding when there is room. One that is not listed is not even made, the first of them apart.
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

/// Finds names in a list: by walking it, or through a set when the list and the number of questions are long.
private struct Lookup {
    private let attributes: Attributes
    private let names: Set<String>?

    /// More comparisons than this cost more than a set of the names.
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
