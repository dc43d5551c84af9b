package import ClickstreamCore

extension TrackingPlan {
    /// JSON Schema 2020-12 of an event in wire form, with one definition per planned event.
    ///
    /// An event with a name is valid if and only if ``PlanJudge`` has no findings on it, warnings included: with
    /// `unplanned: warn`, an unplanned event is invalid. An event without a name is invalid. The schema does not contain the
    /// rules of the SDK and the server.
    package var jsonSchema: JSONValue {
        var members: [JSONMember] = [
            .text("$schema", "https://json-schema.org/draft/2020-12/schema"),
            .text("title", "Events of a tracking plan"),
            .text("type", "object"),
            .list("required", [.text(FieldName.eventType)]),
        ]
        var properties: [JSONMember] = [
            .object(FieldName.eventType, [.list("type", texts: ["string", "number", "boolean"])])
        ]
        if !user.attributes.isEmpty || !user.allowsOthers {
            properties.append(.object(FieldName.user, user.schema(of: .user, required: false)))
        }
        members.append(.object("properties", properties))
        var choices = events.map { event in
            JSONValue(
                .object([
                    .object("if", Self.condition([.object(FieldName.eventType, [.text("const", event.name)])])),
                    .object("then", [.text("$ref", "#/$defs/\(event.name)")]),
                ])
            )
        }
        if let others = schemaOfOthers { choices.append(others) }
        if !choices.isEmpty { members.append(.list("allOf", choices)) }
        members.append(.object("$defs", events.map { .object($0.name, definition(of: $0)) }))
        return JSONValue(.object(members))
    }

    private static func condition(_ properties: [JSONMember]) -> [JSONMember] {
        [.object("properties", properties), .list("required", [.text(FieldName.eventType)])]
    }

    /// Schema of events that are not planned: events of the SDK, and others if the plan allows them.
    private var schemaOfOthers: JSONValue? {
        var members: [JSONMember] = []
        var properties: [JSONMember] = []
        if unplanned != .allow {
            // The name of an event that the SDK records begins with an underscore.
            properties.append(.object(FieldName.eventType, [.text("type", "string"), .text("pattern", "^_")]))
        }
        if !globals.attributes.isEmpty {
            properties.append(.object(FieldName.attributes, globals.schema(of: .attributes, required: false)))
        }
        guard !properties.isEmpty else { return nil }
        members.append(.object("properties", properties))
        let names = events.map { JSONValue.text($0.name) }
        guard !names.isEmpty else { return JSONValue(.object(members)) }
        let isPlanned = Self.condition([.object(FieldName.eventType, [.list("enum", names)])])
        return JSONValue(.object([.object("if", isPlanned), .object("else", members)]))
    }

    private func definition(of event: PlannedEvent) -> [JSONMember] {
        let fields = PlannedFields(self.fields(of: event), allowsOthers: event.fields.allowsOthers)
        var required: [JSONValue] = []
        if fields.attributes.contains(where: \.isRequired) { required.append(.text(FieldName.attributes)) }
        var properties: [JSONMember] = [
            .object(FieldName.attributes, fields.schema(of: .attributes, required: true))
        ]
        if let items = event.items {
            properties.append(
                .object(
                    FieldName.items,
                    [.text("type", "array"), .object("items", items.schema(of: .items, required: true))]
                )
            )
        }
        let names = user.attributes.filter(\.isRequired).map { JSONValue.text($0.name) }
        if !names.isEmpty {
            required.append(.text(FieldName.user))
            properties.append(.object(FieldName.user, [.list("required", names)]))
        }
        var members: [JSONMember] = event.summary.map { [.text("description", $0)] } ?? []
        members.append(.text("type", "object"))
        members.append(.object("properties", properties))
        if !required.isEmpty { members.append(.list("required", required)) }
        return members
    }
}

/// Part of an event whose attributes a schema describes.
private enum SchemaPart {
    case attributes
    case items
    /// Entries are values, or objects with a `value`.
    case user
}

extension PlannedFields {
    fileprivate func schema(of part: SchemaPart, required: Bool) -> [JSONMember] {
        var members: [JSONMember] = [.text("type", "object")]
        let properties = attributes.map { attribute -> JSONMember in
            guard case .user = part else { return .object(attribute.name, attribute.schema) }
            let entry: [JSONMember] = [
                .text("type", "object"),
                .object("properties", [.object("value", attribute.schema)]),
                .list("required", [.text("value")]),
            ]
            return .object(
                attribute.name,
                [.list("anyOf", [JSONValue(.object(attribute.schema)), JSONValue(.object(entry))])]
            )
        }
        if !properties.isEmpty { members.append(.object("properties", properties)) }
        let names = required ? attributes.filter(\.isRequired).map { JSONValue.text($0.name) } : []
        if !names.isEmpty { members.append(.list("required", names)) }
        if !allowsOthers {
            // Attributes of the SDK begin with an underscore.
            members.append(.object("patternProperties", [JSONMember("^_", JSONValue(.boolean(true)))]))
            members.append(JSONMember("additionalProperties", JSONValue(.boolean(false))))
        }
        return members
    }
}

extension PlannedAttribute {
    fileprivate var schema: [JSONMember] {
        var members: [JSONMember] = summary.map { [.text("description", $0)] } ?? []
        members.append(.text("type", type.rawValue))
        return members + rules.all.map { JSONMember(Swift.type(of: $0).key, $0.schema) }
    }
}
