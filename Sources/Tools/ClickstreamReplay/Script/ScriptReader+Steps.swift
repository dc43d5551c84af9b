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
            guard let word = self.word(text, at: node.position) else { return nil }
            if !word.needsNoValue, let value = word.value {
                report(node.position, "'\(text)' needs a value: \(value)", nil)
            }
            return word == .repeat ? nil : Step(action(word, nil) ?? word.placeholder, at: node.position)
        case .mapping(let entries):
            guard let first = entries.first else {
                report(node.position, "the step is empty", nil)
                return nil
            }
            if entries.count > 1 {
                let key = entries[1].key
                let hint = StepWord(rawValue: key) == nil ? nil : "start '\(key)' on a new line with '- '"
                report(
                    entries[1].keyPosition,
                    "a step has one key; '\(key)' is a second key after '\(first.key)'",
                    hint
                )
            }
            guard let word = self.word(first.key, at: first.keyPosition) else { return nil }
            let action = self.action(word, first.value)
            if case .input(let input)? = action, input.view != nil {
                viewPositions[first.keyPosition] = (first.value["view"] ?? first.value).position
            }
            // The effect of an unreadable repetition on the process is unknown.
            if word == .repeat, action == nil { return nil }
            return Step(action ?? word.placeholder, at: first.keyPosition)
        case .unreadable:
            return nil
        case .null, .boolean, .integer, .double, .list:
            reportType(node, "a step", expected: "a word, or a mapping with one key")
            return nil
        }
    }

    private mutating func word(_ text: String, at position: SourcePosition) -> StepWord? {
        if let word = StepWord(rawValue: text) { return word }
        let words = StepWord.allCases.map(\.rawValue)
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
    private mutating func action(_ word: StepWord, _ node: DocumentNode?) -> Step.Action? {
        if word.value == nil || word == .launch {
            return lifecycle(word, node)
        }
        guard let node else { return nil }
        switch word {
        case .crash: return crash(node)
        case .wait: return duration(node, "'wait'").map { .wait($0) }
        case .sleep: return duration(node, "'sleep'").map { .sleep($0) }
        case .clock: return clock(node)
        case .screen: return screen(node)
        case .record: return record(node)
        case .userID: return userID(node)
        case .user: return .addUserAttributes(attributes(node, "'user'"))
        case .global: return .addGlobalAttributes(attributes(node, "'global'"))
        case .deleteGlobal: return deleteGlobal(node)
        case .configure: return configuration(ofStep: node)
        case .consent: return consent(node)
        case .network: return network(node)
        case .repeat: return repetition(node)
        default: return input(word, node).map { .input($0) }
        }
    }

    /// The words that need no value.
    private mutating func lifecycle(_ word: StepWord, _ node: DocumentNode?) -> Step.Action? {
        var value = node
        if case .null? = node?.content { value = nil }
        if word == .launch {
            guard let value else { return .launch(LaunchFacts()) }
            return .launch(launchFacts(mapping(value, "'launch'", keys: Vocabulary.launchKeys)))
        }
        if let value {
            report(value.position, "'\(word.rawValue)' takes no value, not \(value.kindDescription)", nil)
        }
        return word.placeholder
    }

    private mutating func crash(_ node: DocumentNode) -> Step.Action? {
        if case .string(let message) = node.content { return .crash(message: message, stack: "") }
        guard case .mapping = node.content else {
            reportType(
                node,
                "'crash'",
                expected: "a message, or a mapping with message and stack",
                hint: node.quotationHint
            )
            return nil
        }
        let fields = mapping(node, "'crash'", keys: Vocabulary.crashKeys)
        guard let message = required("message", of: fields, "'crash'", at: node.position) else { return nil }
        return .crash(message: message, stack: fields["stack"].flatMap { text($0, "'stack'") } ?? "")
    }

    mutating func duration(_ node: DocumentNode, _ what: String) -> Int64? {
        switch node.content {
        case .string(let text):
            do throws(DurationText.Mistake) {
                return try DurationText.milliseconds(text)
            } catch {
                report(node.position, "\(what) is '\(text)': \(error)", error.suggestion)
            }
        case .integer(let number) where number >= 0:
            let mistake = DurationText.Mistake.noUnit(number: String(number))
            report(node.position, "\(what) is \(number): \(mistake)", mistake.suggestion)
        case .null, .boolean, .integer, .double, .list, .mapping, .unreadable:
            reportType(node, what, expected: "a duration such as 250ms, 2s, 31m or 1h30m")
        }
        return nil
    }

    private mutating func clock(_ node: DocumentNode) -> Step.Action? {
        guard case .string(let text) = node.content else {
            var hint: String?
            if case .integer = node.content { hint = "did you mean '\(node.spelling)s' or '\(node.spelling)ms'?" }
            reportType(node, "'clock'", expected: "a change such as +2h or -5m, or a date", hint: hint)
            return nil
        }
        guard let sign = text.first, sign == "+" || sign == "-" else {
            if let milliseconds = try? DurationText.milliseconds(text) {
                // A duration without a sign instead of a date.
                let change = "+\(text)"
                report(
                    node.position,
                    "'clock' is '\(text)': a change needs a sign (+ or -)",
                    "did you mean '\(change)'?"
                )
                return .clock(.by(milliseconds))
            }
            return date(node, "'clock'").map { .clock(.to($0)) }
        }
        do throws(DurationText.Mistake) {
            let amount = try DurationText.milliseconds(String(text.dropFirst()))
            return .clock(.by(sign == "-" ? -amount : amount))
        } catch {
            report(node.position, "'clock' is '\(text)': \(error)", error.suggestion)
            return nil
        }
    }

    private mutating func screen(_ node: DocumentNode) -> Step.Action? {
        let name: String
        var id: String?
        var uniqueID: String?
        var variables: [CustomVariable] = []
        var position = node.position
        switch node.content {
        case .string(let text):
            name = text
        case .mapping:
            let fields = mapping(node, "'screen'", keys: Vocabulary.screenKeys)
            id = fields["id"].flatMap { text($0, "'id'") }
            uniqueID = fields["unique_id"].flatMap { text($0, "'unique_id'") }
            variables = fields["variables"].map { customVariables($0) } ?? []
            guard let given = required("name", of: fields, "'screen'", at: node.position) else { return nil }
            name = given
            position = fields["name"]?.position ?? position
        case .null, .boolean, .integer, .double, .list, .unreadable:
            reportType(
                node,
                "'screen'",
                expected: "a name, or a mapping with name, id, unique_id and variables",
                hint: node.quotationHint
            )
            return nil
        }
        guard !name.isEmpty else {
            report(position, "the screen name is empty", nil)
            return nil
        }
        return .screen(name: name, id: id, uniqueID: uniqueID, variables: variables)
    }

    private mutating func record(_ node: DocumentNode) -> Step.Action? {
        switch node.content {
        case .string(let name):
            return .record(name: name, attributes: [:], items: [])
        case .mapping:
            let fields = mapping(node, "'record'", keys: Vocabulary.recordKeys)
            let name = required("name", of: fields, "'record'", at: node.position)
            let attributes = fields["attributes"].map { self.attributes($0, "'attributes'") } ?? [:]
            let items = fields["items"].map { self.items($0, "'items'") } ?? []
            return name.map { .record(name: $0, attributes: attributes, items: items) }
        case .null, .boolean, .integer, .double, .list, .unreadable:
            reportType(
                node,
                "'record'",
                expected: "a name, or a mapping with name, attributes and items",
                hint: node.quotationHint
            )
            return nil
        }
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

    private mutating func userID(_ node: DocumentNode) -> Step.Action? {
        switch node.content {
        case .string(let id): return .userID(id)
        case .null: return .userID(nil)
        case .boolean, .integer, .double, .list, .mapping, .unreadable:
            reportType(node, "'user_id'", expected: "a string or null", hint: node.quotationHint)
            return nil
        }
    }

    private mutating func deleteGlobal(_ node: DocumentNode) -> Step.Action? {
        guard case .list(let nodes) = node.content else {
            reportType(node, "'delete_global'", expected: "a list of names")
            return nil
        }
        var names: [String] = []
        for node in nodes {
            if let name = text(node, "a name in 'delete_global'") { names.append(name) }
        }
        return .deleteGlobalAttributes(names)
    }

    private mutating func network(_ node: DocumentNode) -> Step.Action? {
        let words = String.list(Vocabulary.networkWords, "or")
        guard case .string(let text) = node.content else {
            reportType(node, "'network'", expected: words)
            return nil
        }
        guard let change = Step.NetworkChange(rawValue: text) else {
            let question = Suggestion.question(about: text, among: Vocabulary.networkWords)
            report(node.position, "unknown network '\(text)'", question ?? "valid values: \(words)")
            return nil
        }
        return .network(change)
    }

    private mutating func repetition(_ node: DocumentNode) -> Step.Action? {
        let fields = mapping(node, "'repeat'", keys: Vocabulary.repeatKeys)
        guard case .mapping = node.content else { return nil }
        for key in Vocabulary.repeatKeys where fields[key] == nil {
            report(node.position, "'repeat' has no '\(key)'", nil)
        }
        let times = fields["times"].flatMap { integer($0, "'times'", in: 0...StepOrder.maxSteps) }
        let steps = fields["steps"].flatMap { self.steps($0, "'steps'") }
        guard let times, let steps else { return nil }
        return .repeat(times: Int(times), steps: steps)
    }

    /// A required string.
    mutating func required(
        _ key: String,
        of fields: [String: DocumentNode],
        _ what: String,
        at position: SourcePosition
    ) -> String? {
        guard let node = fields[key] else {
            report(position, "\(what) has no '\(key)'", nil)
            return nil
        }
        return text(node, "'\(key)'")
    }
}
