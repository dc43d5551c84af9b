package import ClickstreamCore

/// Random events that conform to a plan, for synthetic traffic.
package struct PlanSampler: Sendable {
    /// Attribute without a value that meets all of its constraints.
    package struct Unsatisfiable: Error, Sendable, Hashable, CustomStringConvertible {
        /// Place in the plan, such as `events.search.attributes.term`.
        package var path: String

        package var description: String {
            "no value of \(path) found that matches its 'pattern' and 'maxLength'; use 'enum', or a pattern without rare texts"
        }
    }

    /// An event to record.
    package struct Sample: Sendable, Hashable {
        package var name: String
        package var attributes: Attributes
        package var items: [Attributes]
    }

    private static let attempts = 200
    private static let words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"]

    private let plan: TrackingPlan
    /// Planned events of the app; those of the SDK are recorded by it.
    private let events: [PlannedEvent]

    /// Number of planned events of the app.
    package var count: Int { events.count }

    /// - Throws: ``Unsatisfiable`` if a value of a required attribute cannot be found.
    package init(_ plan: TrackingPlan) throws(Unsatisfiable) {
        self.plan = plan
        events = plan.events.filter { !Characters.areReserved($0.name) }
        var numbers = SystemRandomNumberGenerator()
        let blocks = [("user", plan.user.attributes, PlanOwner.user), ("globals", plan.globals.attributes, .globals)]
        for (path, attributes, owner) in blocks + events.flatMap({ $0.blocks }) {
            for attribute in attributes
            where attribute.isRequired && Self.value(of: attribute, owner, using: &numbers) == nil {
                throw Unsatisfiable(path: "\(path).attributes.\(attribute.name)")
            }
        }
    }

    /// A planned event, by its index below ``count``.
    package func event(_ index: Int, using numbers: inout some RandomNumberGenerator) -> Sample {
        let event = events[index]
        let items = (0..<(event.items == nil ? 0 : Int.random(in: 1...3, using: &numbers))).map { _ in
            var item = Self.attributes(event.items?.attributes ?? [], .item, using: &numbers)
            // The SDK requires the id, whatever the plan has.
            if item[ItemName.id] == nil { item.set(ItemName.id, to: "1") }
            return item
        }
        let attributes = Self.attributes(event.fields.attributes, .event, using: &numbers)
        return Sample(name: event.name, attributes: attributes, items: items)
    }

    /// Global attributes, required ones always.
    package func globals(using numbers: inout some RandomNumberGenerator) -> Attributes {
        Self.attributes(plan.globals.attributes, .globals, using: &numbers)
    }

    /// Attributes of a user, required ones always.
    package func user(using numbers: inout some RandomNumberGenerator) -> Attributes {
        Self.attributes(plan.user.attributes, .user, using: &numbers)
    }

    private static func attributes(
        _ planned: [PlannedAttribute],
        _ owner: PlanOwner,
        using numbers: inout some RandomNumberGenerator
    ) -> Attributes {
        var pairs: [(String, AttributeValue)] = []
        for attribute in planned where attribute.isRequired || Bool.random(using: &numbers) {
            if let value = value(of: attribute, owner, using: &numbers) { pairs.append((attribute.name, value)) }
        }
        return Attributes(pairs)
    }

    /// A value that the plan and the SDK accept; `nil` if none is found.
    private static func value(
        of attribute: PlannedAttribute,
        _ owner: PlanOwner,
        using numbers: inout some RandomNumberGenerator
    ) -> AttributeValue? {
        var values = RandomValues()
        for rule in attribute.rules.all { rule.restrict(&values) }
        if let listed = values.listed {
            return listed.randomElement(using: &numbers).flatMap { AttributeValue(json: $0) }
        }
        switch attribute.type {
        case .boolean: return .boolean(Bool.random(using: &numbers))
        case .integer:
            let range = values.range(width: 100)
            let (least, greatest) = (range.lowerBound.rounded(.up), range.upperBound.rounded(.down))
            guard let least = Int64(exactly: least), let greatest = Int64(exactly: greatest), least <= greatest else {
                return nil
            }
            return .integer(Int64.random(in: least...greatest, using: &numbers))
        case .number:
            let range = values.range(width: 100)
            let number = Double.random(in: range, using: &numbers)
            let rounded = (number * 100).rounded() / 100
            return .double(range.contains(rounded) ? rounded : number)
        case .string:
            let checks = attribute.rules.checks()
            for _ in 0..<attempts {
                let text = values.pattern?.sample(using: &numbers) ?? words.randomElement(using: &numbers) ?? ""
                let value = values.pattern == nil ? String(text.prefix(values.maxLength ?? .max)) : text
                var steps = PlanJudge.patternSteps + PlanJudge.patternStepsPerByte * value.utf8.count
                let breach = PlanJudge.breach(of: .string, checks, by: JSONValue(.string(value)), patternSteps: &steps)
                if breach == nil, owner.violation(attribute.name, .string(value)) == nil { return .string(value) }
            }
            return nil
        }
    }
}

extension PlannedEvent {
    /// The blocks of attributes, with their places in the plan.
    fileprivate var blocks: [(String, [PlannedAttribute], PlanOwner)] {
        [("events.\(name)", fields.attributes, .event)]
            + (items.map { [("events.\(name).items", $0.attributes, .item)] } ?? [])
    }
}

extension PlanPattern {
    /// A text of the parts of the pattern. It need not match: `^` and `$` inside of it are not considered.
    func sample(using numbers: inout some RandomNumberGenerator) -> String {
        var text = ""
        PlanPattern.sample(root, using: &numbers, into: &text)
        return text
    }

    private static func sample(_ node: Node, using numbers: inout some RandomNumberGenerator, into text: inout String) {
        switch node {
        case .start, .end: break
        case .set(let set):
            if let scalar = set.sample(using: &numbers) { text.unicodeScalars.append(scalar) }
        case .sequence(let nodes):
            for node in nodes { sample(node, using: &numbers, into: &text) }
        case .alternatives(let nodes):
            if let node = nodes.randomElement(using: &numbers) { sample(node, using: &numbers, into: &text) }
        case .repetition(let node, let minCount, let maxCount):
            let count = Int.random(in: minCount...min(maxCount ?? .max, minCount + 3), using: &numbers)
            for _ in 0..<count where text.utf8.count < 4_096 { sample(node, using: &numbers, into: &text) }
        }
    }
}

extension ScalarSet {
    /// A member, printable ASCII if there is one.
    fileprivate func sample(using numbers: inout some RandomNumberGenerator) -> Unicode.Scalar? {
        let members = isInverted ? complement : ranges
        let printable = members.map { $0.clamped(to: 0x20...0x7E) }.filter { range in
            members.contains { $0.contains(range.lowerBound) }
        }
        guard let range = (printable.isEmpty ? members : printable).randomElement(using: &numbers) else { return nil }
        return Unicode.Scalar(UInt32.random(in: range, using: &numbers))
    }
}
