/// Messages of violations: they contain names and lengths, never values; each has at most ``Rules/longestMessage``
/// characters.
extension Rule {
    func broken(by name: String, severity: Violation.Severity = .error, _ message: String) -> Violation {
        let message = message.unicodeScalars.prefix(Rules.longestMessage)
        return Violation(
            code: code,
            severity: severity,
            subject: subject,
            name: Characters.reported(name),
            message: String(message)
        )
    }

    /// Returns a violation whose message contains the complete name if it fits; a longer name is cut so that the end of
    /// the sentence remains.
    func brokenByLength(of name: String, noun: String, item: Int? = nil) -> Violation {
        let before = "\(location(item))\(noun) name \""
        let after = "\" has \(Characters.count(name)) characters; \(allowed)"
        let remaining = Rules.longestMessage - before.unicodeScalars.count - after.unicodeScalars.count
        return broken(by: name, before + Characters.reported(name, longest: remaining) + after)
    }

    func brokenByName(_ name: String, noun: String, item: Int? = nil) -> Violation {
        guard !name.isEmpty else { return broken(by: name, "\(location(item))the \(noun) name is empty") }
        return broken(
            by: name,
            "\(location(item))invalid \(noun) name \"\(Characters.reported(name))\": use letters, digits and '_', not starting "
                + "with a digit"
        )
    }

    func brokenByReservedName(_ name: String, noun: String) -> Violation {
        broken(by: name, "\(noun) name \"\(Characters.reported(name))\" is reserved and must be an integer")
    }

    func brokenByValueLength(_ length: Int, of name: String, noun: String, item: Int? = nil) -> Violation {
        broken(by: name, "\(location(item))the value of \(phrase(noun, name)) has \(length) characters; \(allowed)")
    }

    func brokenByInfinity(of name: String, noun: String, item: Int? = nil) -> Violation {
        broken(by: name, "\(location(item))the value of \(phrase(noun, name)) is infinite or not a number")
    }

    func brokenByCount(of name: String, noun: String) -> Violation {
        broken(by: name, "the \(phrase(noun, name)) is one too many; \(allowed)")
    }

    func brokenByCustomCount(_ count: Int, at item: Int) -> Violation {
        broken(by: "items[\(item)]", "items[\(item)] has \(count) custom attributes; \(allowed)")
    }

    func brokenByItemCount(at item: Int) -> Violation {
        broken(by: "items[\(item)]", "items[\(item)] is one too many; \(allowed)")
    }

    func brokenByMissingID(at item: Int) -> Violation {
        broken(by: "items[\(item)]", "items[\(item)] has no \"\(ItemName.id)\" that is a number or a string")
    }

    func brokenByScreenName(_ name: AttributeValue?) -> Violation {
        let reason: String
        switch name {
        case .string(let text) where text.isEmpty: reason = "is empty"
        case .string(let text):
            reason = "has \(Characters.count(text)) characters; at most \(Rules.attributes.longestValue) are allowed"
        case nil: reason = "is missing"
        default: reason = "is not a string"
        }
        let subject = AttributeName.screenName
        return broken(by: subject, "the screen view is discarded: its \"\(subject)\" \(reason)")
    }

    /// Returns the violation of a user id: one that is empty, or longer than a user attribute's value may be.
    func brokenByUserID(_ id: String) -> Violation {
        let reason = id.isEmpty ? "is empty" : "has \(Characters.count(id)) characters; \(allowed)"
        return broken(by: AttributeName.userID, "the user id \(reason)")
    }

    func brokenByNesting(of name: String, noun: String, item: Int?) -> Violation {
        broken(by: name, "\(location(item))the value of \(phrase(noun, name)) is nested; use flat properties")
    }

    func suggestedLength(of name: String, noun: String, item: Int?) -> Violation {
        broken(
            by: name,
            severity: .warning,
            "\(location(item))\(noun) name \"\(Characters.reported(name))\" has \(Characters.count(name)) characters; \(suggested)"
        )
    }

    func suggestedValueLength(_ length: Int, of name: String, noun: String, item: Int?) -> Violation {
        broken(
            by: name,
            severity: .warning,
            "\(location(item))the value of \(phrase(noun, name)) has \(length) characters; \(suggested)"
        )
    }

    func suggestedPrefix(of name: String, noun: String, item: Int?) -> Violation {
        broken(
            by: name,
            severity: .warning,
            "\(location(item))\(noun) name \"\(Characters.reported(name))\" starts with a reserved underscore, but is not a known "
                + "reserved name"
        )
    }

    func suggestedCount(at name: String, noun: String) -> Violation {
        broken(by: name, severity: .warning, "the \(phrase(noun, name)) is above the suggested number; \(suggested)")
    }

    /// Returns a violation for a whole, such as an event.
    func suggestedCount(of number: Int, in subject: String) -> Violation {
        let noun = (unit ?? .attributes).rawValue
        return broken(by: subject, severity: .warning, "\(subject) has \(number) \(noun); \(suggested)")
    }

    func suggestedItemCount(at item: Int) -> Violation {
        broken(by: "items[\(item)]", severity: .warning, "items[\(item)] is above the suggested number; \(suggested)")
    }

    private var allowed: String { "at most \(counted(limit)) are allowed" }

    private var suggested: String { "at most \(counted(suggestion)) are suggested" }

    /// Returns the number with its unit, unless the sentence already contains the unit.
    private func counted(_ number: Int?) -> String {
        let number = number.map { String($0) } ?? "any"
        guard check == .count, let unit else { return number }
        return "\(number) \(unit.rawValue)"
    }

    private func phrase(_ noun: String, _ name: String) -> String { "\(noun) \"\(Characters.reported(name))\"" }

    private func location(_ item: Int?) -> String { item.map { "items[\($0)]: " } ?? "" }
}
