import ClickstreamCore
import ClickstreamDocuments

/// Screens and events.
extension Verb {
    static let events = [screen, record]

    private static let screen = Verb(
        "screen",
        value: "a name, or a mapping with name, id, unique_id and variables",
        schema: .either(
            .nonEmptyText,
            .mapping(
                ["name": .nonEmptyText, "id": .text, "unique_id": .text, "variables": customVariables],
                required: ["name"]
            )
        ),
        summary: "A screen appears, as the platform reports it.",
        placeholder: .screen(name: "", id: nil, uniqueID: nil)
    ) { reader, node, verb in
        guard let fields = reader.fields(node, of: verb, shorthand: "name") else { return nil }
        let id = fields["id"].flatMap { reader.text($0, "'id'") }
        let uniqueID = fields["unique_id"].flatMap { reader.text($0, "'unique_id'") }
        let variables = fields["variables"].map { reader.customVariables($0) } ?? []
        guard let name = reader.required("name", of: fields, verb, at: node.position) else { return nil }
        guard !name.isEmpty else {
            reader.report(fields["name"]?.position ?? node.position, "the screen name is empty", nil)
            return nil
        }
        return .screen(name: name, id: id, uniqueID: uniqueID, variables: variables)
    }

    private static let customVariables = ValueSchema([
        .text("type", "object"),
        .object(
            "patternProperties",
            [
                .object(
                    "^[+-]?[0-9]+$",
                    [.text("type", "object"), JSONMember("additionalProperties", ValueSchema.text.json)]
                )
            ]
        ),
        .boolean("additionalProperties", false),
    ]).described(#"Custom variables by their index: { "2": { name: value } }."#)

    private static let record = Verb(
        "record",
        value: "a name, or a mapping with name, attributes and items",
        schema: .either(
            .text,
            .mapping(
                ["name": .text, "attributes": .attributes, "items": .list(of: .attributes)],
                required: ["name"]
            )
        ),
        summary: "recordEvent; _screen_view is the manual screen view.",
        placeholder: .record(name: "", attributes: [:], items: [])
    ) { reader, node, verb in
        guard let fields = reader.fields(node, of: verb, shorthand: "name") else { return nil }
        let name = reader.required("name", of: fields, verb, at: node.position)
        let attributes = fields["attributes"].map { reader.attributes($0, "'attributes'") } ?? [:]
        let items = fields["items"].map { reader.items($0, "'items'") } ?? []
        return name.map { .record(name: $0, attributes: attributes, items: items) }
    }
}
