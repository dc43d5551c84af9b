extension Validator {
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
        verdict.isUsual =
            presetCount + own.count + globals.count <= rules.usualCount && !reportsSuggestions && areUsual(own, rules)
        if verdict.isUsual, globals.isEmpty { return verdict }

        var count = presetCount
        var rest = UnlistedFindings()
        if verdict.isUsual {
            count += own.count
        } else {
            verdict.discardedOwn = checkOwn(
                own,
                presets: positions(in: own, where: isPreset),
                reportsSuggestions: reportsSuggestions,
                after: &count,
                &rest,
                into: &findings
            )
        }
        if !globals.isEmpty {
            verdict.discardedGlobals = checkGlobals(
                globals,
                besides: own,
                presets: positions(in: globals, where: isPreset),
                reportsSuggestions: reportsSuggestions,
                after: &count,
                &rest,
                into: &findings
            )
        }
        rest.finish(into: &findings)
        return verdict
    }

    /// Returns the positions of presets. The checks get these positions, not the closure, of which the compiler would make a
    /// copy of each check.
    private static func positions(in attributes: Attributes, where isPreset: (String) -> Bool) -> SmallIndexSet {
        var found = SmallIndexSet()
        for index in attributes.elements.indices {
            let name = attributes.elements[index].name
            if Characters.areReserved(name), isPreset(name) { found.insert(index) }
        }
        return found
    }

    /// Returns the positions of the discarded own attributes.
    private static func checkOwn(
        _ own: Attributes,
        presets: SmallIndexSet,
        reportsSuggestions: Bool,
        after count: inout Int,
        _ rest: inout UnlistedFindings,
        into findings: inout [Violation]
    ) -> SmallIndexSet {
        let rules = Rules.attributes
        var discarded = SmallIndexSet()
        for index in own.elements.indices {
            let (name, value) = (own.elements[index].name, own.elements[index].value)
            if !isAccepted(name, value, rules), isBroken(name, value, rules) {
                rest.add(violation(name, value, rules), to: &findings)
                discarded.insert(index)
                continue
            }
            if Characters.areReserved(name) {
                if isErrorAttribute(name) { continue }
                if let violation = violation(reserved: name, value, rules) {
                    rest.add(violation, to: &findings)
                    discarded.insert(index)
                    continue
                }
                if presets.contains(index) { continue }
            }
            guard count < rules.maxCount else {
                rest.add(rules.violation(ofCountBy: name), to: &findings)
                discarded.insert(index)
                continue
            }
            count += 1
            if reportsSuggestions {
                suggest(name, value, rules, into: &findings)
                suggest(count, name, rules, into: &findings)
            }
        }
        return discarded
    }

    /// Returns the positions of the global attributes that are discarded or overridden.
    private static func checkGlobals(
        _ globals: Attributes,
        besides own: Attributes,
        presets: SmallIndexSet,
        reportsSuggestions: Bool,
        after count: inout Int,
        _ rest: inout UnlistedFindings,
        into findings: inout [Violation]
    ) -> SmallIndexSet {
        let rules = Rules.globalAttributes
        var discarded = SmallIndexSet()
        let isOwn = Lookup(own, for: globals.count)
        for index in globals.elements.indices {
            let name = globals.elements[index].name
            let isReserved = Characters.areReserved(name)
            if isOwn.contains(name) || presets.contains(index) {
                discarded.insert(index)
                continue
            }
            if isReserved, isErrorAttribute(name) { continue }
            guard count < rules.maxCount else {
                rest.add(rules.violation(ofCountBy: name), to: &findings)
                discarded.insert(index)
                continue
            }
            count += 1
            if reportsSuggestions { suggest(count, name, Rules.attributes, into: &findings) }
        }
        return discarded
    }

    /// Returns true for the attributes that report a violation, which only the library writes and which are not
    /// counted.
    @inline(__always)
    package static func isErrorAttribute(_ name: String) -> Bool {
        name == AttributeName.errorCode || name == AttributeName.errorMessage
    }

    /// Fast path: returns true if every attribute is within all limits and all suggested limits, and none has a
    /// reserved name, the usual case. `false` requires the full check.
    private static func areUsual(_ attributes: Attributes, _ rules: CompiledRules) -> Bool {
        let (longestName, longestValue) = (rules.usualName, rules.usualValue)
        let elements = attributes.elements.span
        for index in elements.indices {
            guard elements[index].name.utf8.count <= longestName, Characters.areOwnName(elements[index].name) else {
                return false
            }
            switch elements[index].value {
            case .string(let text) where text.utf8.count > longestValue: return false
            case .double(let number) where !number.isFinite: return false
            case .decimal(let number) where !number.isFinite: return false
            case .string, .double, .decimal, .integer, .boolean: break
            }
        }
        return true
    }
}

/// Name lookup in a list: linear, or with a set if the list and the number of lookups are large.
private struct Lookup {
    private let attributes: Attributes
    private let names: Set<String>?

    /// The number of comparisons from which a set of the names is cheaper.
    private static let maxComparisons = 2_000

    init(_ attributes: Attributes, for questions: Int) {
        self.attributes = attributes
        names = attributes.count * questions > Self.maxComparisons ? Set(attributes.elements.lazy.map(\.name)) : nil
    }

    func contains(_ name: String) -> Bool {
        if let names { return names.contains(name) }
        for index in attributes.elements.indices where attributes.elements[index].name == name { return true }
        return false
    }
}
