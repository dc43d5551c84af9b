import ClickstreamCore
import ClickstreamDocuments

/// Word of the script format that begins a step: how the step is read, and its part of Docs/replay.schema.json.
///
/// A new verb is a row here, a case of ``Step/Action``, and its performance by ``Replayer``.
struct Verb: Sendable {
    /// Parser of the value. Returns `nil` for an invalid value, which it reports.
    typealias Reader = @Sendable (inout ScriptReader, DocumentNode, Verb) -> Step.Action?

    let word: String
    /// Description of the value, for messages; `nil` for a verb without one.
    let value: String?
    /// True if the value may be omitted.
    let isOptional: Bool
    let schema: ValueSchema
    /// Action of a step with an omitted or invalid value, so that the order of the others can still be checked; `nil` if
    /// its effect on the order is unknown.
    let placeholder: Step.Action?
    /// `nil` for a verb without a value.
    let read: Reader?

    /// Verb without a value.
    init(_ word: String, _ action: Step.Action, summary: String) {
        self.word = word
        value = nil
        isOptional = true
        schema = .null.described(summary)
        placeholder = action
        read = nil
    }

    /// Verb with a value.
    init(
        _ word: String,
        value: String,
        isOptional: Bool = false,
        schema: ValueSchema,
        summary: String,
        placeholder: Step.Action?,
        read: @escaping Reader
    ) {
        self.word = word
        self.value = value
        self.isOptional = isOptional
        self.schema = schema.described(summary)
        self.placeholder = placeholder
        self.read = read
    }

    /// The word as messages quote it.
    var quoted: String { "'\(word)'" }
}

extension Verb {
    /// All verbs, in the order of messages and of the schema.
    static let all = process + events + input + reports + client

    static let byWord = Dictionary(uniqueKeysWithValues: all.map { ($0.word, $0) })

    /// JSON Schema of a step.
    static var stepSchema: JSONValue {
        let alone = ValueSchema.words(all.filter(\.isOptional).map(\.word))
        let mapping: [JSONMember] = [
            .text("type", "object"), .object("properties", all.map { JSONMember($0.word, $0.schema.json) }),
            .boolean("additionalProperties", false), .number("minProperties", 1), .number("maxProperties", 1),
        ]
        return ValueSchema.either(alone, ValueSchema(mapping)).described("One word, or a mapping with one key.").json
    }
}
