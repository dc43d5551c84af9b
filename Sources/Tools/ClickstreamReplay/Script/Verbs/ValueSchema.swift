import ClickstreamCore

/// JSON Schema of a value in a script, in the form of Docs/replay.schema.json.
struct ValueSchema: Sendable {
    private var members: [JSONMember]
    /// Keys of a mapping, also of one among alternatives; empty for other values.
    private(set) var keys: [String] = []

    init(_ members: [JSONMember]) {
        self.members = members
    }

    var json: JSONValue { JSONValue(.object(members)) }

    /// The schema with a sentence for readers.
    func described(_ sentence: String) -> ValueSchema {
        var schema = self
        schema.members.append(.text("description", sentence))
        return schema
    }
}

extension ValueSchema {
    static let null = ValueSchema([.text("type", "null")])
    static let text = ValueSchema([.text("type", "string")])
    static let nonEmptyText = ValueSchema([.text("type", "string"), .number("minLength", 1)])
    static let number = ValueSchema([.text("type", "number")])
    static let attributes = definition("attributes")
    static let duration = definition("duration")
    static let point = definition("point")

    /// Definition of the schema, by its name.
    static func definition(_ name: String) -> ValueSchema { ValueSchema([.text("$ref", "#/$defs/\(name)")]) }

    static func integer(in range: ClosedRange<Int64>, default: Int64? = nil) -> ValueSchema {
        ValueSchema(
            [.text("type", "integer"), .number("minimum", range.lowerBound), .number("maximum", range.upperBound)]
                + (`default`.map { [.number("default", $0)] } ?? [])
        )
    }

    /// A value of one of several types.
    static func types(_ names: String...) -> ValueSchema { ValueSchema([.list("type", texts: names)]) }

    /// One of several words.
    static func words(_ words: [String]) -> ValueSchema { ValueSchema([.list("enum", texts: words)]) }

    static func list(of element: ValueSchema, minItems: Int? = nil) -> ValueSchema {
        ValueSchema(
            [.text("type", "array"), JSONMember("items", element.json)]
                + (minItems.map { [.number("minItems", $0)] } ?? [])
        )
    }

    static func either(_ alternatives: ValueSchema...) -> ValueSchema {
        var schema = ValueSchema([.list("anyOf", alternatives.map(\.json))])
        schema.keys = alternatives.flatMap(\.keys)
        return schema
    }

    /// A mapping with these keys and no others.
    static func mapping(_ values: KeyValuePairs<String, ValueSchema>, required: [String] = []) -> ValueSchema {
        mapping(values.map { ($0.key, $0.value) }, required: required)
    }

    /// A mapping with these keys, each of the same schema, and no others.
    static func mapping(_ keys: [String], of value: ValueSchema) -> ValueSchema {
        mapping(keys.map { ($0, value) }, required: [])
    }

    private static func mapping(_ values: [(key: String, value: ValueSchema)], required: [String]) -> ValueSchema {
        var schema = ValueSchema([
            .text("type", "object"), .object("properties", values.map { JSONMember($0.key, $0.value.json) }),
        ])
        if !required.isEmpty { schema.members.append(.list("required", texts: required)) }
        schema.members.append(.boolean("additionalProperties", false))
        schema.keys = values.map(\.key)
        return schema
    }
}
