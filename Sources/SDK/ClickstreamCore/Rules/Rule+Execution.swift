extension Rule.Check {
    /// Part of the input that a check applies to.
    enum Scope: Sendable {
        /// A name with its value; an event's name has none. The fast paths (`Validator.isAccepted`, `FastPathEvent`) must
        /// reject at least what such a check rejects.
        case element
        /// One value that has to be there: the id of an item, the name of a screen.
        case required
        /// The number of elements.
        case count
    }

    var scope: Scope {
        switch self {
        case .nameValidity, .nameLength, .valueLength, .finite, .scalar: .element
        case .requiredID, .screenName: .required
        case .count: .count
        }
    }

    /// The position in the order of execution: of several violations of one name with its value, the first is reported.
    var order: Int {
        switch self {
        case .nameLength: 0
        case .nameValidity: 1
        case .valueLength: 2
        case .scalar: 3
        case .finite: 4
        case .requiredID, .screenName: 5
        case .count: 6
        }
    }

    /// Returns true if a name with its value violates a check with this limit. Constant time for a text of any length.
    /// - Parameter value: `nil` if there is none; only the checks of ``Scope/required`` need one.
    func isViolated(by name: String, _ value: AttributeValue?, limit: Int) -> Bool {
        switch self {
        case .nameLength: return Characters.areMore(in: name, than: limit)
        case .nameValidity: return !Characters.areName(name)
        case .valueLength:
            guard case .string(let text) = value else { return false }
            return Characters.areMore(in: text, than: limit)
        case .finite: return value?.isFinite == false
        case .requiredID:
            switch value {
            case .string(let text): return text.isEmpty
            case .integer, .double, .decimal: return false
            case .boolean, nil: return true
            }
        case .screenName:
            guard case .string(let text) = value else { return true }
            return text.isEmpty || Characters.areMore(in: text, than: Rules.attributes.longestValue)
        case .scalar: return value?.isNested == true
        case .count: return false
        }
    }
}

extension Rule {
    /// Returns the violation of this row by a name with its value.
    /// - Parameters:
    ///   - noun: the noun for the name in the message.
    ///   - item: the position of the item, if the name is one of an item's.
    func violation(by name: String, _ value: AttributeValue?, noun: String, item: Int? = nil) -> Violation {
        switch check {
        case .nameLength: brokenByLength(of: name, noun: noun, item: item)
        case .nameValidity: brokenByName(name, noun: noun, item: item)
        case .valueLength: brokenByValueLength(value?.length ?? 0, of: name, noun: noun, item: item)
        case .finite: brokenByInfinity(of: name, noun: noun, item: item)
        case .requiredID: brokenByMissingID(at: item ?? 0)
        case .screenName: brokenByScreenName(value)
        case .count: brokenByCount(of: name, noun: noun)
        case .scalar: brokenByNesting(of: name, noun: noun, item: item)
        }
    }
}

extension AttributeValue {
    /// The number of Unicode scalars of a text; `nil` for any other value.
    fileprivate var length: Int? {
        guard case .string(let text) = self else { return nil }
        return Characters.count(text)
    }
}
