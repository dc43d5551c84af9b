import ClickstreamCore
import Foundation
import Testing

@testable import ClickstreamReplay

@Suite("Documents of the script format")
struct ScriptDocumentsTests {
    private static func bytes(of path: String) throws -> [UInt8] {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return try Array(Data(contentsOf: folder.appending(path: path)))
    }

    private static func schema() throws -> JSONValue {
        try JSONReader.parse(bytes(of: "Docs/replay.schema.json"))
    }

    /// The names under `properties`, behind a path of names.
    private static func keys(_ path: String...) throws -> Set<String> {
        var value = try schema()
        for name in path {
            if let index = Int(name) {
                let elements = try #require(value.array)
                value = elements[index]
            } else {
                value = try #require(value[name], "no \(name)")
            }
        }
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
        for format in ScriptedFormat.all {
            #expect(try ScriptDocumentsTests.keys("$defs", "config", "properties", format.name) == Set(format.keys))
        }
        #expect(try ScriptDocumentsTests.keys("$defs", "page") == Set(Vocabulary.pageKeys))
        #expect(try ScriptDocumentsTests.keys("$defs", "view") == Set(Vocabulary.viewKeys))
        #expect(
            try ScriptDocumentsTests.keys("$defs", "view", "properties", "items") == Set(Vocabulary.viewItemsKeys)
        )
        let step = ["$defs", "step", "anyOf", "1"]
        #expect(
            try ScriptDocumentsTests.keys(step[0], step[1], step[2], step[3]) == Set(StepWord.allCases.map(\.rawValue))
        )
        let words = try #require(
            try ScriptDocumentsTests.schema()["$defs"]?["step"]?["anyOf"]?.array?[1]["properties"]
        )
        func inner(_ word: StepWord, _ alternative: Int? = nil) throws -> Set<String> {
            let value = try #require(words[word.rawValue])
            let object = try alternative.map { try #require(value["anyOf"]?.array)[$0] } ?? value
            return Set(try #require(object["properties"]?.members).map(\.name))
        }
        #expect(try inner(.launch, 1) == Set(Vocabulary.launchKeys))
        #expect(try inner(.crash, 1) == Set(Vocabulary.crashKeys))
        #expect(try inner(.screen, 1) == Set(Vocabulary.screenKeys))
        #expect(try inner(.record, 1) == Set(Vocabulary.recordKeys))
        #expect(try inner(.consent) == Set(Vocabulary.consentKeys))
        #expect(try inner(.repeat) == Set(Vocabulary.repeatKeys))
        #expect(words["network"]?["enum"]?.array?.compactMap(\.string) == Vocabulary.networkWords)
        #expect(try inner(.scroll) == Set(Vocabulary.scrollKeys))
        #expect(try inner(.gesture) == Set(Vocabulary.gestureKeys))
        #expect(try inner(.transaction) == Set(Vocabulary.transactionKeys))
        #expect(try inner(.variable) == Set(Vocabulary.variableKeys))
        #expect(try inner(.revenue) == Set(Vocabulary.revenueKeys))
    }

    @Test("have every word of a set in the schema")
    func sets() throws {
        let definitions = try #require(try ScriptDocumentsTests.schema()["$defs"])
        let view = definitions["view"]?["properties"]
        let words = definitions["step"]?["anyOf"]?.array?[1]["properties"]
        let sets: [(JSONValue?, [String])] = [
            (definitions["config"]?["properties"]?["autoEvents"]?["items"], Vocabulary.autoEventTypes),
            (view?["kind"], Vocabulary.kinds),
            (definitions["decision"], Vocabulary.consentWords),
            (words?["gesture"]?["properties"]?["type"], Vocabulary.gestureTypes),
            (words?["revenue"]?["properties"]?["type"], Vocabulary.revenueTypes),
        ]
        for (schema, words) in sets { #expect(schema?["enum"]?.array?.compactMap(\.string) == words) }
    }

    @Test("have the words without a value in the schema")
    func words() throws {
        let alone = try ScriptDocumentsTests.schema()["$defs"]?["step"]?["anyOf"]?.array?[0]["enum"]
        #expect(alone?.array?.compactMap(\.string) == StepWord.allCases.filter(\.needsNoValue).map(\.rawValue))
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
