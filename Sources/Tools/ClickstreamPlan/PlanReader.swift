import ClickstreamCore
package import ClickstreamDocuments

extension TrackingPlan {
    /// Reads the bytes of a file: JSON if its name ends in `.json`, otherwise YAML.
    ///
    /// Safe for untrusted input.
    /// - Throws: all mistakes with their positions, up to `DocumentError.limit`.
    package static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> TrackingPlan {
        let tree = DocumentTree.read(bytes, isJSON: file.lowercased().hasSuffix(".json"), noun: "plan")
        var reader = PlanReader(problems: tree.problems)
        let plan = tree.root.map { reader.plan($0) }
        if tree.root == nil, reader.problems.isEmpty {
            reader.report(
                SourcePosition(line: 1, column: 1),
                "the plan is empty",
                "start it with 'clickstream-plan: 1'"
            )
        }
        guard reader.problems.isEmpty, let plan else {
            throw DocumentError(file: file, unsorted: reader.problems)
        }
        return plan
    }
}

/// Reader of tracking plans. Checks types, names, limits and their consistency.
struct PlanReader: DocumentReader {
    var problems: [DocumentProblem]
    /// Number of states that may still be visited to compare the values of enums with patterns, about 1 s for a whole plan.
    var patternSteps = 100_000_000

    static let planKeys = ["clickstream-plan", "events", "user", "globals", "unplanned"]
    static let eventKeys = ["description", "attributes", "items", "additional"]
    static let itemKeys = ["required", "attributes", "additional"]
    static let userKeys = ["attributes", "additional"]
    static let globalKeys = ["attributes"]

    mutating func plan(_ root: DocumentNode) -> TrackingPlan {
        var plan = TrackingPlan()
        guard case .mapping = root.content else {
            if case .unreadable = root.content { return plan }
            let hint = "start it with 'clickstream-plan: 1'"
            report(root.position, "a plan must be a mapping, not \(root.kindDescription)", hint)
            return plan
        }
        let fields = mapping(root, "the plan", keys: Self.planKeys)
        checkVersion(fields["clickstream-plan"], at: root.position)
        if let node = fields["events"] {
            plan.events = events(node)
        } else {
            report(root.position, "the plan has no 'events'", "add 'events:' with a mapping of event names")
        }
        if let node = fields["user"] {
            plan.user = self.fields(of: node, "'user'", .user, keys: Self.userKeys)
        }
        if let node = fields["globals"] {
            plan.globals = self.fields(of: node, "'globals'", .globals, keys: Self.globalKeys)
        }
        if let node = fields["unplanned"], let word = text(node, "'unplanned'") {
            let words = TrackingPlan.Unplanned.allCases.map(\.rawValue)
            if let unplanned = TrackingPlan.Unplanned(rawValue: word) {
                plan.unplanned = unplanned
            } else {
                let question = Suggestion.question(about: word, among: words)
                let hint = question ?? "valid values: \(String.list(words, "or"))"
                report(node.position, "unknown value '\(word)' of 'unplanned'", hint)
            }
        }
        return plan
    }

    private mutating func checkVersion(_ node: DocumentNode?, at position: SourcePosition) {
        guard let node else {
            let hint = "start it with 'clickstream-plan: 1'"
            return report(position, "the plan has no 'clickstream-plan:', the version of its format", hint)
        }
        guard let version = integer(node, "'clickstream-plan'"), version != TrackingPlan.version else { return }
        report(node.position, "unknown format version \(version)", "this program reads version \(TrackingPlan.version)")
    }

    // MARK: - Events

    private mutating func events(_ node: DocumentNode) -> [PlannedEvent] {
        guard case .mapping(let entries) = node.content else {
            if case .null = node.content { return [] }
            reportType(node, "'events'", expected: "a mapping of event names")
            return []
        }
        return entries.map { entry in
            checkEventName(entry)
            return event(entry.key, entry.value)
        }
    }

    private mutating func checkEventName(_ entry: DocumentNode.Entry) {
        if let violation = Validator.checkEventName(entry.key) {
            report(entry.keyPosition, "\(violation.message) (code \(violation.code))", nil)
        } else if Characters.areReserved(entry.key), !EventName.reserved.contains(entry.key) {
            let question = Suggestion.question(about: entry.key, among: EventName.reserved.sorted())
            let hint = question ?? "remove the leading underscore"
            report(entry.keyPosition, "the event name '\(entry.key)' is reserved, and no event of the SDK has it", hint)
        }
    }

    private mutating func event(_ name: String, _ node: DocumentNode) -> PlannedEvent {
        var event = PlannedEvent(name)
        if case .null = node.content { return event }
        let what = "the event '\(name)'"
        let keys = mapping(node, what, keys: Self.eventKeys)
        event.summary = keys["description"].flatMap { text($0, "'description'") }
        if let list = keys["attributes"] {
            event.fields.attributes = attributes(list, of: what, name == EventName.screenView ? .screen : .event)
        }
        if let other = keys["additional"] {
            event.fields.allowsOthers = boolean(other, "'additional'") ?? true
        }
        if let items = keys["items"] {
            event.items = self.items(items, of: what)
        }
        return event
    }

    private mutating func items(_ node: DocumentNode, of event: String) -> PlannedFields {
        let what = "the items of \(event)"
        var fields = self.fields(of: node, what, .item, keys: Self.itemKeys)
        guard let list = node["required"] else { return fields }
        guard case .list(let names) = list.content else {
            reportType(list, "'required' of \(what)", expected: "a list of attribute names")
            return fields
        }
        var listed: Set<ExactText> = []
        let indexes = Dictionary(
            fields.attributes.enumerated().map { (ExactText($0.element.name), $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        let known = Suggestion.Words(fields.attributes.map(\.name))
        for node in names {
            guard let name = text(node, "a name in 'required'") else { continue }
            if !listed.insert(ExactText(name)).inserted {
                report(node.position, "'required' of \(what) has the name '\(name)' twice", nil)
            }
            if let index = indexes[ExactText(name)] {
                fields.attributes[index].isRequired = true
            } else {
                // Each suggestion is a search, and only the first problems are printed.
                let nearest = problems.count < 1_000 ? known.nearest(to: name)?.word : nil
                let hint = nearest.map { "did you mean '\($0)'?" } ?? "add it to 'attributes' with its type"
                report(node.position, "the required attribute '\(name)' of \(what) is not in 'attributes'", hint)
            }
        }
        return fields
    }

    /// A block with `attributes` and, where it is one of the keys, `additional`.
    private mutating func fields(
        of node: DocumentNode,
        _ what: String,
        _ owner: PlanOwner,
        keys: [String]
    ) -> PlannedFields {
        var fields = PlannedFields()
        if case .null = node.content { return fields }
        let values = mapping(node, what, keys: keys)
        if let list = values["attributes"] { fields.attributes = attributes(list, of: what, owner) }
        if let other = values["additional"] { fields.allowsOthers = boolean(other, "'additional'") ?? true }
        return fields
    }

    // MARK: - Attributes

    private mutating func attributes(
        _ node: DocumentNode,
        of what: String,
        _ owner: PlanOwner
    ) -> [PlannedAttribute] {
        guard case .mapping(let entries) = node.content else {
            if case .null = node.content { return [] }
            reportType(node, "'attributes' of \(what)", expected: "a mapping of attribute names")
            return []
        }
        var counted = 0
        var list: [PlannedAttribute] = []
        for entry in entries {
            if owner.counts(entry.key) { counted += 1 }
            if counted == owner.maxCount + 1, owner.counts(entry.key) {
                let hint = "the SDK adds at most \(owner.maxCount) of them"
                report(entry.keyPosition, "\(what) has more than \(owner.maxCount) attributes", hint)
            }
            if let attribute = attribute(entry.key, entry.value, owner, at: entry.keyPosition) {
                list.append(attribute)
            }
        }
        return list
    }
}
