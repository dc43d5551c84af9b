import ClickstreamCore
import ClickstreamDocuments
import Foundation
import Testing

@testable import ClickstreamReplay

/// Documents with every configuration key, which are generated from `ConfigurationKey.all`.
///
/// `CLICKSTREAM_UPDATE_FIXTURES=1` rewrites the files.
@Suite("Documents of the configuration keys")
struct ConfigurationDocumentsTests {
    private static func text(of path: String) throws -> String {
        try String(contentsOf: Replay.package.appending(path: path), encoding: .utf8)
    }

    private static func compare(_ generated: String, with path: String) throws {
        if ProcessInfo.processInfo.environment["CLICKSTREAM_UPDATE_FIXTURES"] == "1" {
            try Data(generated.utf8).write(to: Replay.package.appending(path: path))
            return
        }
        #expect(
            try text(of: path) == generated,
            "\(path) is out of date: run this suite with CLICKSTREAM_UPDATE_FIXTURES=1"
        )
    }

    @Test("amplifyconfiguration.example.json has each key with its default")
    func example() throws {
        var configuration = Configuration(appID: "your_app_id", endpoint: "https://example.com/collect")
        configuration.globalAttributes = ["_app_install_channel": "App Store"]
        let keys = ConfigurationKey.all.map { JSONMember($0.name, $0.value(in: configuration).json) }
        let plugins: [JSONMember] = [.object("awsClickstreamPlugin", keys)]
        let file = JSONValue(.object([.object("analytics", [.object("plugins", plugins)])]))
        try Self.compare(file.indented() + "\n", with: "amplifyconfiguration.example.json")
    }

    @Test("Docs/replay.schema.json has the schema of each key before those of capture")
    func schema() throws {
        let path = "Docs/replay.schema.json"
        let bytes = Array(try Self.text(of: path).utf8)
        let schema = try JSONReader.parse(bytes)
        let members = try #require(schema[path: ["$defs", "config", "properties"]]?.members)
        let start = try #require(members.first).nameOffset
        let end = try #require(members.first { Vocabulary.captureKeys.contains($0.name) }).nameOffset
        let keys = JSONValue(.object(ConfigurationKey.all.flatMap(\.schemas))).indented()
        // Without the braces, three levels further to the right.
        let lines = keys.dropFirst(4).dropLast(2).replacing("\n", with: "\n      ") + ",\n        "
        let generated = bytes[..<start] + Array(lines.utf8) + bytes[end...]
        try Self.compare(String(decoding: generated, as: UTF8.self), with: path)
    }

    @Test("Docs/configuration.md has each name in a table", arguments: ConfigurationKey.allNames)
    func page(name: String) throws {
        let rows = try Self.text(of: "Docs/configuration.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.contains { $0.contains("`\(name)`") })
    }
}

extension ConfigurationKey {
    /// JSON Schema of the key in a replay script, by its name and by each alias.
    fileprivate var schemas: [JSONMember] {
        let own = JSONMember.object(name, schema + [.text("description", documentation)])
        return [own] + aliases.map { .object($0, schema + [.text("description", "The same as \(name).")]) }
    }

    private var schema: [JSONMember] {
        switch form {
        case .boolean: return [.text("type", "boolean")]
        case .text, .optionalText:
            var configuration = Configuration(appID: "")
            let refusesEmpty = apply(.text(""), to: &configuration)?.kind == .unfitValue
            return [.text("type", "string")] + (refusesEmpty ? [.number("minLength", 1)] : [])
        case .milliseconds, .optionalMilliseconds, .count, .optionalCount, .zoneOffset:
            guard let range else { return [] }
            let minimum: [JSONMember] = [.text("type", "integer"), .number("minimum", range.lowerBound)]
            return minimum + (range.upperBound < .max ? [.number("maximum", range.upperBound)] : [])
        case .attributes: return [.text("$ref", "#/$defs/attributes")]
        case .word(let words, _, _): return [.list("enum", words.map { JSONValue(.string($0)) })]
        case .sampling:
            let rate: [JSONMember] = [.text("type", "number"), .number("minimum", 0), .number("maximum", 1)]
            return [.text("type", "object"), .object("additionalProperties", rate)]
        }
    }

    /// The summary, with the default of a boolean, a number or a word.
    private var documentation: String {
        switch value(in: Configuration(appID: "")) {
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
