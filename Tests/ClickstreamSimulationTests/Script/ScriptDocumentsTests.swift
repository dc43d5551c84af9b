import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments
import Testing

@testable import ClickstreamReplay

@Suite("Documents of the script format")
struct ScriptDocumentsTests {
    private static func bytes(of path: String) throws -> [UInt8] {
        try Array(GeneratedDocument.text(of: path).utf8)
    }

    private static func schema() throws -> JSONValue {
        try JSONReader.parse(bytes(of: "Docs/replay.schema.json"))
    }

    /// The names under `properties`, behind a path of names.
    private static func keys(_ path: String...) throws -> Set<String> {
        let value = try #require(try schema()[path: path], "no \(path)")
        return Set(try #require(value["properties"]?.members).map(\.name))
    }

    @Test("have every key of the reader in the schema, and no other")
    func keys() throws {
        #expect(try ScriptDocumentsTests.keys() == Set(Vocabulary.scriptKeys))
        #expect(try ScriptDocumentsTests.keys("$defs", "app") == Set(Vocabulary.appKeys))
        #expect(try ScriptDocumentsTests.keys("$defs", "device") == Set(Vocabulary.deviceKeys))
        #expect(
            try ScriptDocumentsTests.keys("$defs", "config")
                == Set(ConfigurationKey.allNames + Vocabulary.captureKeys)
        )
        for format in CaptureConfiguration.formats {
            let keys = try ScriptDocumentsTests.keys("$defs", "config", "properties", format.formatName.rawValue)
            #expect(keys == Set(format.scriptKeys))
        }
        #expect(try ScriptDocumentsTests.keys("$defs", "page") == Set(Vocabulary.pageKeys))
        #expect(try ScriptDocumentsTests.keys("$defs", "view") == Set(Vocabulary.viewKeys))
        #expect(
            try ScriptDocumentsTests.keys("$defs", "view", "properties", "items") == Set(Vocabulary.viewItemsKeys)
        )
    }

    @Test("have every word of a set in the schema")
    func sets() throws {
        let definitions = try #require(try ScriptDocumentsTests.schema()["$defs"])
        let view = definitions["view"]?["properties"]
        let sets: [(JSONValue?, [String])] = [
            (definitions["config"]?["properties"]?["autoEvents"]?["items"], Vocabulary.autoEventTypes),
            (view?["kind"], Vocabulary.kinds),
        ]
        for (schema, words) in sets { #expect(schema?["enum"]?.array?.compactMap(\.string) == words) }
    }

    @Test("have the schemas of the configuration keys and of the verbs")
    func generated() throws {
        let schema = try Self.schema()
        let config = try #require(schema[path: ["$defs", "config", "properties"]]?.members)
        let captureKeys = config.filter { Vocabulary.captureKeys.contains($0.name) }
        let keys = JSONValue(.object(ConfigurationKey.all.flatMap(\.schemas) + captureKeys))
        let withKeys = schema.replacing(["$defs", "config", "properties"], by: keys)
        let whole = withKeys.replacing(["$defs", "step"], by: Verb.stepSchema)
        try GeneratedDocument.compare(whole.indented() + "\n", with: "Docs/replay.schema.json")
    }

    @Test("have valid examples", arguments: ["shopping.yaml", "kiosk.yaml", "storefront.yaml", "article.yaml"])
    func examples(name: String) throws {
        let script = try ScriptReader.read(ScriptDocumentsTests.bytes(of: "Docs/Examples/\(name)"), file: name)
        #expect(script.start == nil)
        #expect(script.facts.configuration.contains { $0.key == "appId" })
    }

    @Test("show the host's own properties in the kiosk's example")
    func kiosk() throws {
        let script = try ScriptReader.read(
            ScriptDocumentsTests.bytes(of: "Docs/Examples/kiosk.yaml"),
            file: "kiosk.yaml"
        )
        #expect(script.facts.app == AppFacts())
        #expect(script.facts.device == DeviceFacts())
    }
}
