import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments

extension ScriptReader {
    /// The block `ui`: pages by their class.
    mutating func pages(_ node: DocumentNode) -> [String: ScriptedPage] {
        guard case .mapping(let entries) = node.content else {
            reportType(node, "'ui'", expected: "a mapping of pages")
            return [:]
        }
        var pages: [String: ScriptedPage] = [:]
        for entry in entries {
            if entry.key.isEmpty { report(entry.keyPosition, "the class of a page is empty", nil) }
            pages[entry.key] = page(entry)
        }
        return pages
    }

    private mutating func page(_ entry: DocumentNode.Entry) -> ScriptedPage {
        var page = Capture.Page(id: InstanceID(0), className: entry.key)
        // `HomeViewController:` alone is an empty page.
        if case .null = entry.value.content { return ScriptedPage(page) }
        let fields = mapping(entry.value, "the page '\(entry.key)'", keys: Vocabulary.pageKeys)
        page.title = fields["title"].flatMap { text($0, "'title'") }
        page.accessibilityID = fields["accessibility_id"].flatMap { text($0, "'accessibility_id'") }
        page.isContainer = fields["container"].flatMap { boolean($0, "'container'") } ?? false
        page.isMasked = fields["mask"].flatMap { boolean($0, "'mask'") } ?? false
        page.optBehavior = fields["opt"].flatMap { optBehavior($0) }
        page.data = data(fields)
        return ScriptedPage(page, views: fields["views"].map { views($0) } ?? [])
    }

    private mutating func views(_ node: DocumentNode) -> [ScriptedView] {
        guard case .list(let nodes) = node.content else {
            reportType(node, "'views'", expected: "a list of views")
            return []
        }
        return nodes.map { view($0) }
    }

    private mutating func view(_ node: DocumentNode) -> ScriptedView {
        let fields = mapping(node, "a view", keys: Vocabulary.viewKeys)
        var className = ""
        if let node = fields["class"] {
            className = text(node, "'class'") ?? ""
            if case .string("") = node.content { report(node.position, "the class of a view is empty", nil) }
        } else if case .mapping = node.content {
            report(node.position, "a view has no 'class'", "add the name of its class, such as class: UIButton")
        }
        var element = Capture.Element(className: className)
        element.type = fields["kind"].flatMap { kind($0) }
        element.content = content(fields)
        element.localizedKey = fields["localized_key"].flatMap { text($0, "'localized_key'") }
        element.accessibilityID = fields["accessibility_id"].flatMap { text($0, "'accessibility_id'") }
        element.restorationID = fields["restoration_id"].flatMap { text($0, "'restoration_id'") }
        element.tag = fields["tag"].flatMap { integer($0, "'tag'") }.map { Int($0) }
        element.frame = fields["frame"].flatMap { frame($0) } ?? element.frame
        element.responds = fields["responds"].flatMap { boolean($0, "'responds'") } ?? false
        element.isSecure = fields["secure"].flatMap { boolean($0, "'secure'") } ?? false
        element.masking = fields["mask"].flatMap { masking($0) } ?? .none
        element.optBehavior = fields["opt"].flatMap { optBehavior($0) }
        element.data = data(fields)
        return ScriptedView(
            element,
            content: fields["content"].flatMap { extent($0) } ?? ScriptedView.Content(),
            items: fields["items"].flatMap { items(inView: $0) },
            views: fields["views"].map { views($0) } ?? []
        )
    }

    // MARK: Values

    /// The keys that pages and views have in common.
    private mutating func data(_ fields: [String: DocumentNode]) -> AutoTrackableEventData {
        AutoTrackableEventData(
            elementName: fields["name"].flatMap { text($0, "'name'") },
            additionalProperties: fields["properties"].map { attributes($0, "'properties'") } ?? [:],
            additionalIDs: fields["ids"].map { attributes($0, "'ids'") } ?? [:],
            trackingGroup: fields["group"].flatMap { text($0, "'group'") },
            trackingSection: fields["section"].flatMap { text($0, "'section'") }
        )
    }

    private mutating func content(_ fields: [String: DocumentNode]) -> Capture.Element.Content {
        if let input = fields["input"] {
            if fields["text"] != nil {
                report(input.position, "a view has either 'text' or 'input', the number of entered characters", nil)
            }
            return integer(input, "'input'", in: 0...Int64(Int32.max)).map { .input(length: Int($0)) } ?? .none
        }
        return fields["text"].flatMap { text($0, "'text'") }.map { .text($0) } ?? .none
    }

    private mutating func kind(_ node: DocumentNode) -> Capture.ElementType? {
        word(node, "'kind'", named: "kind", of: Capture.ElementType.allCases.map { ($0.rawValue, $0) })
    }

    private mutating func optBehavior(_ node: DocumentNode) -> OptBehavior? {
        word(node, "'opt'", named: "value of 'opt'", of: [("in", .autoOptIn), ("out", .autoOptOut)])
    }

    private mutating func masking(_ node: DocumentNode) -> Capture.Masking? {
        word(node, "'mask'", named: "value of 'mask'", of: [("instance", .instance), ("subtree", .subtree)])
    }

    /// One word of a set.
    mutating func word<Value>(
        _ node: DocumentNode,
        _ what: String,
        named name: String,
        of values: [(word: String, value: Value)]
    ) -> Value? {
        let words = values.map(\.word)
        guard case .string(let text) = node.content else {
            reportType(node, what, expected: String.list(words, "or"))
            return nil
        }
        if let value = values.first(where: { $0.word == text }) { return value.value }
        reportUnknown(name, text, at: node.position, among: words)
        return nil
    }

    mutating func reportUnknown(_ name: String, _ text: String, at position: SourcePosition, among words: [String]) {
        let question = Suggestion.question(about: text, among: words)
        report(position, "unknown \(name) '\(text)'", question ?? "valid values: \(String.list(words, "or"))")
    }

    /// A finite number.
    mutating func number(_ node: DocumentNode, _ what: String, in range: ClosedRange<Double>? = nil) -> Double? {
        let number: Double
        switch node.content {
        case .integer(let integer): number = Double(integer)
        case .double(let double) where double.isFinite: number = double
        case .null, .boolean, .double, .string, .list, .mapping, .unreadable:
            reportType(node, what, expected: "a number")
            return nil
        }
        if let range, !range.contains(number) {
            let (least, greatest) = (Self.text(range.lowerBound), Self.text(range.upperBound))
            let bounds = range.upperBound == .infinity ? "at least \(least)" : "from \(least) to \(greatest)"
            report(node.position, "\(what) must be \(bounds), not \(node.spelling)", nil)
            return nil
        }
        return number
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(saturating: number))" : "\(number)"
    }

    /// A list of numbers such as `[x, y]`; reports any other value as not `expected`.
    mutating func numbers(_ node: DocumentNode, _ what: String, count: Int, expected: String) -> [Double]? {
        guard case .list(let nodes) = node.content, nodes.count == count else {
            if case .list(let nodes) = node.content {
                report(node.position, "\(what) must be \(expected), not a list of \(nodes.count)", nil)
            } else {
                reportType(node, what, expected: expected)
            }
            return nil
        }
        let numbers = nodes.compactMap { number($0, "a number in \(what)") }
        return numbers.count == count ? numbers : nil
    }

    /// A point in window coordinates.
    mutating func point(_ node: DocumentNode, _ what: String) -> Capture.Point? {
        numbers(node, what, count: 2, expected: "a point [x, y]").map { Capture.Point(x: $0[0], y: $0[1]) }
    }

    private mutating func frame(_ node: DocumentNode) -> Capture.Frame? {
        let expected = "four numbers [x, y, width, height]"
        guard let numbers = self.numbers(node, "'frame'", count: 4, expected: expected) else { return nil }
        guard numbers[2] >= 0, numbers[3] >= 0 else {
            report(node.position, "the width and height of 'frame' must be at least 0", nil)
            return nil
        }
        return Capture.Frame(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    /// The extent of the content: its height, or width and height.
    private mutating func extent(_ node: DocumentNode) -> ScriptedView.Content? {
        guard case .list = node.content else {
            return number(node, "'content'", in: 0...Double.infinity).map { ScriptedView.Content(height: $0) }
        }
        guard let numbers = self.numbers(node, "'content'", count: 2, expected: "a height, or [width, height]") else {
            return nil
        }
        guard numbers[0] >= 0, numbers[1] >= 0 else {
            report(node.position, "the width and height of 'content' must be at least 0", nil)
            return nil
        }
        return ScriptedView.Content(width: numbers[0], height: numbers[1])
    }

    private mutating func items(inView node: DocumentNode) -> ScriptedView.Items? {
        let fields = mapping(node, "'items'", keys: Vocabulary.viewItemsKeys)
        guard case .mapping = node.content else { return nil }
        let data = fields["data"].map { self.items($0, "'data'") }
        if data == nil { report(node.position, "'items' has no 'data'", "add 'data:' with one mapping per item") }
        var items = ScriptedView.Items(size: 0, data: data ?? [])
        items.eventData = fields["event_data"].map { attributes($0, "'event_data'") }
        switch (fields["height"], fields["width"]) {
        case (nil, nil):
            report(node.position, "'items' has no 'height'", "add the height of one item in logical pixels")
        case (_?, let width?):
            report(width.position, "'items' has either 'height' or 'width', for items side by side", nil)
        case (let height?, nil):
            items.size = number(height, "'height'", in: 1...Double.infinity) ?? 1
        case (nil, let width?):
            items.axis = .horizontal
            items.size = number(width, "'width'", in: 1...Double.infinity) ?? 1
        }
        return items
    }
}
