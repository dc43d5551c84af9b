import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments

extension ScriptReader {
    /// The steps of a list; `nil` if one of them is invalid, so that their order cannot be checked.
    mutating func steps(_ node: DocumentNode, _ what: String) -> [Step]? {
        guard case .list(let nodes) = node.content else {
            reportType(node, what, expected: "a list of steps")
            return nil
        }
        var steps: [Step] = []
        steps.reserveCapacity(nodes.count)
        for node in nodes {
            if let step = step(node) { steps.append(step) }
        }
        return steps.count == nodes.count ? steps : nil
    }

    private mutating func step(_ node: DocumentNode) -> Step? {
        switch node.content {
        case .string(let text):
            guard let verb = verb(text, at: node.position) else { return nil }
            if !verb.isOptional, let value = verb.value {
                report(node.position, "\(verb.quoted) needs a value: \(value)", nil)
            }
            return verb.placeholder.map { Step($0, verb.word, at: node.position) }
        case .mapping(let entries):
            guard let first = entries.first else {
                report(node.position, "the step is empty", nil)
                return nil
            }
            if entries.count > 1 {
                let key = entries[1].key
                let hint = Verb.byWord[key] == nil ? nil : "start '\(key)' on a new line with '- '"
                report(
                    entries[1].keyPosition,
                    "a step has one key; '\(key)' is a second key after '\(first.key)'",
                    hint
                )
            }
            guard let verb = verb(first.key, at: first.keyPosition) else { return nil }
            let action = self.action(verb, first.value)
            if case .input(let input)? = action, input.view != nil {
                viewPositions[first.keyPosition] = (first.value["view"] ?? first.value).position
            }
            return (action ?? verb.placeholder).map { Step($0, verb.word, at: first.keyPosition) }
        case .unreadable:
            return nil
        case .null, .boolean, .integer, .double, .list:
            reportType(node, "a step", expected: "a word, or a mapping with one key")
            return nil
        }
    }

    private mutating func verb(_ text: String, at position: SourcePosition) -> Verb? {
        if let verb = Verb.byWord[text] { return verb }
        let words = Verb.all.map(\.word)
        // `- wait 5s` lacks the colon.
        if let space = text.firstIndex(of: " "), words.contains(String(text[..<space])) {
            let value = text[space...].drop { $0 == " " }
            report(position, "unknown step '\(text)'", "did you mean '\(text[..<space]): \(value)'?")
        } else {
            let question = Suggestion.question(about: text, among: words)
            report(position, "unknown step '\(text)'", question ?? "valid steps: \(String.list(words, "or"))")
        }
        return nil
    }

    /// `nil` if the value was reported.
    private mutating func action(_ verb: Verb, _ node: DocumentNode) -> Step.Action? {
        if verb.isOptional, case .null = node.content { return verb.placeholder }
        guard let read = verb.read else {
            report(node.position, "\(verb.quoted) takes no value, not \(node.kindDescription)", nil)
            return verb.placeholder
        }
        return read(&self, node, verb)
    }

    // MARK: - Values of verbs

    mutating func reportType(_ node: DocumentNode, _ verb: Verb, hint: String? = nil) {
        reportType(node, verb.quoted, expected: verb.value ?? "no value", hint: hint)
    }

    /// The values of a mapping by their keys; `nil`, and reported, for another value.
    mutating func fields(_ node: DocumentNode, of verb: Verb) -> [String: DocumentNode]? {
        let fields = mapping(node, verb.quoted, keys: verb.schema.keys)
        return if case .mapping = node.content { fields } else { nil }
    }

    /// The same, where a string is the value of the key `shorthand`.
    mutating func fields(_ node: DocumentNode, of verb: Verb, shorthand: String) -> [String: DocumentNode]? {
        switch node.content {
        case .string:
            return [shorthand: node]
        case .mapping:
            return fields(node, of: verb)
        case .null, .boolean, .integer, .double, .list, .unreadable:
            reportType(node, verb, hint: node.quotationHint)
            return nil
        }
    }

    /// A required string.
    mutating func required(
        _ key: String,
        of fields: [String: DocumentNode],
        _ verb: Verb,
        at position: SourcePosition
    ) -> String? {
        guard let node = fields[key] else {
            report(position, "\(verb.quoted) has no '\(key)'", nil)
            return nil
        }
        return text(node, "'\(key)'")
    }

    mutating func duration(_ node: DocumentNode, _ what: String) -> Int64? {
        switch node.content {
        case .string(let text):
            do throws(DurationText.ParseError) {
                return try DurationText.milliseconds(text)
            } catch {
                report(node.position, "\(what) is '\(text)': \(error)", error.suggestion)
            }
        case .integer(let number) where number >= 0:
            let error = DurationText.ParseError.noUnit(number: String(number))
            report(node.position, "\(what) is \(number): \(error)", error.suggestion)
        case .null, .boolean, .integer, .double, .list, .mapping, .unreadable:
            reportType(node, what, expected: "a duration such as 250ms, 2s, 31m or 1h30m")
        }
        return nil
    }

    mutating func items(_ node: DocumentNode, _ what: String) -> [Attributes] {
        guard case .list(let items) = node.content else {
            reportType(node, what, expected: "a list of items")
            return []
        }
        var result: [Attributes] = []
        result.reserveCapacity(items.count)
        for item in items { result.append(attributes(item, "an item")) }
        return result
    }

    /// Custom variables of a screen: by index, a name with a value.
    mutating func customVariables(_ node: DocumentNode) -> [CustomVariable] {
        guard case .mapping(let entries) = node.content else {
            reportType(node, "'variables'", expected: "a mapping such as { \"2\": { name: value } }")
            return []
        }
        var variables: [CustomVariable] = []
        for entry in entries {
            guard let index = Int(entry.key) else {
                report(entry.keyPosition, "the index '\(entry.key)' of a custom variable is not an integer", nil)
                continue
            }
            guard case .mapping(let values) = entry.value.content else {
                reportType(entry.value, "the custom variable \(index)", expected: "a mapping of its name to its value")
                continue
            }
            for value in values {
                guard let text = self.text(value.value, "the custom variable '\(value.key)'") else { continue }
                variables.append(CustomVariable(index: index, name: value.key, value: text))
            }
        }
        return variables
    }
}
