import ClickstreamCore
import ClickstreamDocuments
import Testing

@testable import ClickstreamReplay

/// Documents with every configuration key, besides the schema: see ``ScriptDocumentsTests``.
@Suite("Documents of the configuration keys")
struct ConfigurationDocumentsTests {
    @Test("amplifyconfiguration.example.json has each key with its default")
    func example() throws {
        var configuration = ClickstreamClient.Configuration(
            appID: "your_app_id",
            endpoint: "https://example.com/collect"
        )
        configuration.globalAttributes = ["_app_install_channel": "App Store"]
        let keys = ConfigurationKey.all.map { JSONMember($0.name, $0.value(in: configuration).json) }
        let plugins: [JSONMember] = [.object("awsClickstreamPlugin", keys)]
        let file = JSONValue(.object([.object("analytics", [.object("plugins", plugins)])]))
        try GeneratedDocument.compare(file.indented() + "\n", with: "amplifyconfiguration.example.json")
    }

    @Test("Docs/configuration.md has each name in a table", arguments: ConfigurationKey.allNames)
    func page(name: String) throws {
        let page = try GeneratedDocument.text(of: "Docs/configuration.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.contains { $0.contains("`\(name)`") })
    }
}

extension ConfigurationKey {
    /// JSON Schema of the key in a replay script, by its name and by each alias.
    var schemas: [JSONMember] {
        let own = JSONMember.object(name, schema + [.text("description", documentation)])
        return [own] + aliases.map { .object($0, schema + [.text("description", "The same as \(name).")]) }
    }

    private var schema: [JSONMember] {
        switch form {
        case .boolean: return [.text("type", "boolean")]
        case .text, .optionalText:
            var configuration = ClickstreamClient.Configuration(appID: "")
            let refusesEmpty = apply(.text(""), to: &configuration)?.kind == .unfitValue
            return [.text("type", "string")] + (refusesEmpty ? [.number("minLength", 1)] : [])
        case .milliseconds, .optionalMilliseconds, .count, .optionalCount, .zoneOffset:
            guard let range else { return [] }
            let minimum: [JSONMember] = [.text("type", "integer"), .number("minimum", range.lowerBound)]
            return minimum + (range.upperBound < .max ? [.number("maximum", range.upperBound)] : [])
        case .attributes: return [.text("$ref", "#/$defs/attributes")]
        case .word(let words, _, _): return [.list("enum", texts: words)]
        case .sampling:
            let rate: [JSONMember] = [.text("type", "number"), .number("minimum", 0), .number("maximum", 1)]
            return [.text("type", "object"), .object("additionalProperties", rate)]
        }
    }

    /// The summary, with the default of a boolean, a number or a word.
    private var documentation: String {
        switch value(in: ClickstreamClient.Configuration(appID: "")) {
        case .boolean(let truth): "\(summary) Default \(truth)."
        case .integer(let number): "\(summary) Default \(number)."
        case .text(let text) where !text.isEmpty: "\(summary) Default \(text)."
        case .text, .attributes, .null, .unfit: summary
        }
    }
}

extension ConfigurationKey.Value {
    /// The value in a configuration file; attributes other than texts are not converted.
    fileprivate var json: JSONValue {
        switch self {
        case .boolean(let truth): JSONValue(.boolean(truth))
        case .integer(let number): JSONValue(.number(JSONNumber(integer: number)))
        case .text(let text): JSONValue(.string(text))
        case .attributes(let attributes):
            JSONValue(
                .object(
                    attributes.compactMap { element in
                        if case .string(let text) = element.value { JSONMember.text(element.name, text) } else { nil }
                    }
                )
            )
        case .null, .unfit: JSONValue(.null)
        }
    }
}
