import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments

extension ScriptReader {
    /// The steps of automatic capture; `nil` if the value was reported, or for another word.
    mutating func input(_ word: StepWord, _ node: DocumentNode) -> Step.Input? {
        switch word {
        case .show: return show(node)
        case .click: return text(node, "'click'").map { .click(view: $0) }
        case .touch: return touch(node)
        case .scroll: return scroll(node)
        case .gesture: return gesture(node)
        case .transaction: return transaction(node)
        case .variable: return variable(node)
        case .revenue: return revenue(node)
        default: return nil
        }
    }

    private mutating func show(_ node: DocumentNode) -> Step.Input? {
        guard let page = text(node, "'show'") else { return nil }
        guard let pages else {
            report(node.position, "'show' in a script without the block 'ui'", "add 'ui:' with the pages of the app")
            return nil
        }
        guard pages[page] != nil else {
            let classes = pages.keys.sorted()
            let question = Suggestion.question(about: page, among: classes)
            let hint = classes.isEmpty ? "'ui' has no pages" : "pages of 'ui': \(String.list(classes, "or"))"
            report(node.position, "unknown page '\(page)'", question ?? hint)
            return nil
        }
        return .show(page: page)
    }

    private mutating func touch(_ node: DocumentNode) -> Step.Input? {
        guard case .list(let nodes) = node.content else {
            reportType(node, "'touch'", expected: "a list of points and durations such as [ [10, 20], 80ms, [10, 20] ]")
            return nil
        }
        var points: [Step.TouchPoint] = []
        var delay: Int64?
        var isValid = true
        for node in nodes {
            if case .list = node.content {
                if let point = self.point(node, "a point of 'touch'") {
                    points.append(Step.TouchPoint(point, after: delay ?? 0))
                } else {
                    isValid = false
                }
                delay = nil
                continue
            }
            guard let duration = self.duration(node, "a value of 'touch'") else {
                isValid = false
                continue
            }
            if isValid, points.isEmpty || delay != nil {
                let rule = points.isEmpty ? "starts with a point" : "has a point after each duration"
                report(node.position, "'touch' \(rule), not a duration", nil)
                isValid = false
            }
            delay = duration
        }
        guard isValid else { return nil }
        guard !points.isEmpty else {
            report(node.position, "'touch' has no point", "write it like [ [10, 20], 80ms, [10, 20] ]")
            return nil
        }
        guard delay == nil else {
            report(
                nodes.last?.position ?? node.position,
                "'touch' ends with a duration; the last value is a point",
                nil
            )
            return nil
        }
        return .touch(points)
    }

    private mutating func scroll(_ node: DocumentNode) -> Step.Input? {
        let fields = mapping(node, "'scroll'", keys: Vocabulary.scrollKeys)
        guard case .mapping = node.content else { return nil }
        let view = required("view", of: fields, "'scroll'", at: node.position)
        let duration = fields["in"].map { self.duration($0, "'in'") } ?? 0
        guard let to = fields["to"] else {
            report(node.position, "'scroll' has no 'to'", "add the offset in logical pixels")
            return nil
        }
        let target: Step.ScrollTo.Target?
        if case .list = to.content {
            target = self.numbers(to, "'to'", count: 2, expected: "an offset, or [x, y]")
                .map { .point(Point(x: $0[0], y: $0[1])) }
        } else {
            target = number(to, "'to'").map { .offset($0) }
        }
        guard let view, let duration, let target else { return nil }
        return .scroll(Step.ScrollTo(view: view, to: target, in: duration))
    }

    private mutating func gesture(_ node: DocumentNode) -> Step.Input? {
        guard case .mapping(let entries) = node.content else {
            reportType(node, "'gesture'", expected: "a mapping with view and type")
            return nil
        }
        guard let type = entries.first(where: { $0.key == "type" })?.value else {
            let types = String.list(Vocabulary.gestureTypes, "or")
            report(node.position, "'gesture' has no 'type'", "add one of \(types)")
            return nil
        }
        let words = Vocabulary.gestureTypes.map { ($0, $0) }
        guard let type = word(type, "'type'", named: "gesture", of: words) else { return nil }
        let own = type == "tap" || type == "long_press" ? ["at", "fingers"] : ["from", "to"]
        let fields = mapping(node, "the gesture '\(type)'", keys: ["view", "type"] + own)
        let view = required("view", of: fields, "'gesture'", at: node.position)
        for key in own where key != "fingers" && fields[key] == nil {
            report(node.position, "the gesture '\(type)' has no '\(key)'", nil)
        }
        let gesture: RecognizedGesture?
        switch type {
        case "tap", "long_press":
            let fingers = fields["fingers"].map { integer($0, "'fingers'", in: 1...64) } ?? 1
            let point = fields["at"].flatMap { self.point($0, "'at'") }
            guard let fingers, let point else { return nil }
            gesture =
                type == "tap"
                ? .tap(at: point, fingers: Int(fingers)) : .longPress(at: point, fingers: Int(fingers))
        case "move":
            let from = fields["from"].flatMap { self.point($0, "'from'") }
            let to = fields["to"].flatMap { self.point($0, "'to'") }
            gesture = from.flatMap { from in to.map { .move(from: from, to: $0) } }
        default:
            let from = fields["from"].flatMap { self.number($0, "'from'") }
            let to = fields["to"].flatMap { self.number($0, "'to'") }
            guard let from, let to else { return nil }
            gesture = type == "scale" ? .scale(from: from, to: to) : .rotate(from: from, to: to)
        }
        guard let view, let gesture else { return nil }
        return .gesture(gesture, view: view)
    }

    private mutating func transaction(_ node: DocumentNode) -> Step.Input? {
        let fields = mapping(node, "'transaction'", keys: Vocabulary.transactionKeys)
        guard case .mapping = node.content else { return nil }
        for key in ["value", "currency"] where fields[key] == nil {
            report(node.position, "'transaction' has no '\(key)'", nil)
        }
        let value = fields["value"].flatMap { self.number($0, "'value'") }
        let currency = fields["currency"].flatMap { self.currency($0) }
        let id = fields["id"].flatMap { text($0, "'id'") }
        guard let value, let currency else { return nil }
        return Transaction(value: value, currency: currency, id: id).map { .transaction($0) }
    }

    private mutating func currency(_ node: DocumentNode) -> Currency? {
        let currency: Currency?
        let spelling: String
        switch node.content {
        case .string(let text): (currency, spelling) = (Currency(text), text)
        case .integer(let code): (currency, spelling) = (Currency(code: Int(code)), node.spelling)
        default:
            reportType(node, "'currency'", expected: "a code of ISO 4217 such as EUR or 978")
            return nil
        }
        if currency == nil {
            report(node.position, "unknown currency '\(spelling)'", "use a code of ISO 4217 such as EUR or 978")
        }
        return currency
    }

    private mutating func variable(_ node: DocumentNode) -> Step.Input? {
        let fields = mapping(node, "'variable'", keys: Vocabulary.variableKeys)
        guard case .mapping = node.content else { return nil }
        let key = required("key", of: fields, "'variable'", at: node.position)
        guard let value = fields["value"] else {
            report(node.position, "'variable' has no 'value'", nil)
            return nil
        }
        switch value.content {
        case .string(let text): return key.map { .variable(DynamicVariable(key: $0, value: .text(text))) }
        case .integer(let integer): return key.map { .variable(DynamicVariable(key: $0, value: .integer(integer))) }
        default:
            reportType(value, "'value'", expected: "a string or an integer", hint: value.quotationHint)
            return nil
        }
    }

    private mutating func revenue(_ node: DocumentNode) -> Step.Input? {
        let fields = mapping(node, "'revenue'", keys: Vocabulary.revenueKeys)
        guard case .mapping = node.content else { return nil }
        let properties = fields["properties"].map { attributes($0, "'properties'") } ?? [:]
        guard let type = fields["type"] else {
            report(node.position, "'revenue' has no 'type'", "add one of \(String.list(Vocabulary.revenueTypes, "or"))")
            return nil
        }
        let kind = word(type, "'type'", named: "type of revenue", of: Vocabulary.revenueKinds)
        return kind.map { .revenue($0, properties) }
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
