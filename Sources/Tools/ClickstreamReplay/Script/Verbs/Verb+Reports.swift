import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments

/// Events that the app reports to automatic capture.
extension Verb {
    static let reports = [transaction, variable, revenue]

    private static let transaction = Verb(
        "transaction",
        value: "a mapping with value, currency and id",
        schema: .mapping(
            [
                "value": .number,
                "currency": ValueSchema.types("string", "integer").described("Code of ISO 4217 such as EUR or 978."),
                "id": .text,
            ],
            required: ["value", "currency"]
        ),
        summary: "A transaction that the app reports.",
        placeholder: .input(.touch([]))
    ) { reader, node, verb in
        guard let fields = reader.fields(node, of: verb) else { return nil }
        for key in ["value", "currency"] where fields[key] == nil {
            reader.report(node.position, "\(verb.quoted) has no '\(key)'", nil)
        }
        let value = fields["value"].flatMap { reader.number($0, "'value'") }
        let currency = fields["currency"].flatMap { knownCurrency($0, &reader) }
        let id = fields["id"].flatMap { reader.text($0, "'id'") }
        guard let value, let currency else { return nil }
        return Capture.Transaction(value: value, currency: currency, id: id).map { .report(.transaction($0)) }
    }

    private static func knownCurrency(_ node: DocumentNode, _ reader: inout ScriptReader) -> Capture.Currency? {
        let currency: Capture.Currency?
        let spelling: String
        switch node.content {
        case .string(let text): (currency, spelling) = (Capture.Currency(text), text)
        case .integer(let code): (currency, spelling) = (Capture.Currency(code: Int(code)), node.spelling)
        default:
            reader.reportType(node, "'currency'", expected: "a code of ISO 4217 such as EUR or 978")
            return nil
        }
        if currency == nil {
            reader.report(node.position, "unknown currency '\(spelling)'", "use a code of ISO 4217 such as EUR or 978")
        }
        return currency
    }

    private static let variable = Verb(
        "variable",
        value: "a mapping with key and value",
        schema: .mapping(["key": .text, "value": .types("string", "integer")], required: ["key", "value"]),
        summary: "A dynamic variable of the session.",
        placeholder: .input(.touch([]))
    ) { reader, node, verb in
        guard let fields = reader.fields(node, of: verb) else { return nil }
        let key = reader.required("key", of: fields, verb, at: node.position)
        guard let value = fields["value"] else {
            reader.report(node.position, "\(verb.quoted) has no 'value'", nil)
            return nil
        }
        switch value.content {
        case .string(let text):
            return key.map { .report(.variable(DynamicVariable(key: $0, value: .text(text)))) }
        case .integer(let integer):
            return key.map { .report(.variable(DynamicVariable(key: $0, value: .integer(integer)))) }
        default:
            reader.reportType(value, "'value'", expected: "a string or an integer", hint: value.quotationHint)
            return nil
        }
    }

    private static let revenue = Verb(
        "revenue",
        value: "a mapping with type and properties",
        schema: .mapping(
            ["type": .words(revenueTypes.map(\.word)), "properties": .attributes],
            required: ["type"]
        ),
        summary: "Revenue that the app reports.",
        placeholder: .input(.touch([]))
    ) { reader, node, verb in
        guard let fields = reader.fields(node, of: verb) else { return nil }
        let properties = fields["properties"].map { reader.attributes($0, "'properties'") } ?? [:]
        guard let type = fields["type"] else {
            let hint = "add one of \(String.list(revenueTypes.map(\.word), "or"))"
            reader.report(node.position, "\(verb.quoted) has no 'type'", hint)
            return nil
        }
        return reader.word(type, "'type'", named: "type of revenue", of: revenueTypes)
            .map { .report(.revenue($0, properties)) }
    }

    private static let revenueTypes: [(word: String, value: RevenueKind)] = [
        ("purchase", .purchase), ("refund", .refund), ("subscription", .subscription),
    ]
}
