import ClickstreamCore
import Foundation
import Testing

@testable import ClickstreamJudges

@Suite("Rules: the table as text")
struct RulesTextTests {
    /// Tests/ClickstreamCoreTests/Rules/RulesTextTests.swift is four levels below the root.
    private static let documents = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Docs")

    @Test("equals Docs/error-codes.md; with CLICKSTREAM_WRITE_DOCS set the file is rewritten")
    func document() throws {
        let file = Self.documents.appendingPathComponent("error-codes.md")
        if ProcessInfo.processInfo.environment["CLICKSTREAM_WRITE_DOCS"] != nil {
            try Rules.markdown.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == Rules.markdown)
    }

    @Test("contains every code, its limits and its remedy in each form", arguments: Rules.all)
    func everyRow(rule: Rule) throws {
        let explanation = try #require(Rules.explain(rule.code))
        #expect(Rules.explain(rule.code.description) == explanation)
        for text in [Rules.markdown, Rules.human(), explanation] {
            #expect(text.contains(rule.code.description))
            #expect(text.contains(rule.title))
            if let limit = rule.limit, let unit = rule.unit { #expect(text.contains("\(limit) \(unit.rawValue)")) }
        }
        #expect(explanation.contains(rule.meaning) && explanation.contains(rule.fix))
    }

    @Test("explains the server's codes, and nothing else", arguments: ServerRule.all)
    func server(rule: ServerRule) throws {
        let explanation = try #require(Rules.explain(rule.code))
        #expect(explanation.contains(rule.meaning))
        #expect(Rules.markdown.contains("`\(rule.code)`"))
        #expect(Rules.explain("etl_unheard_of") == nil)
        #expect(Rules.explain("9999") == nil)
    }

    @Test("is valid JSON with a row for each code")
    func json() throws {
        let rows = try #require(
            JSONSerialization.jsonObject(with: Data(Rules.json.utf8)) as? [[String: Any]]
        )
        #expect(rows.map { $0["code"] as? Int } == Rules.all.map(\.code.rawValue))
        #expect(rows.map { $0["limit"] as? Int } == Rules.all.map(\.limit))
        #expect(rows.map { $0["example"] as? String } == Rules.all.map(\.example))
    }

    @Test("shows examples with names that exceed their limit", arguments: Rules.all.filter { $0.check == .nameLength })
    func examples(rule: Rule) {
        let words = rule.example.split(separator: "\"").map(String.init)
        #expect(words.contains { $0.unicodeScalars.count > (rule.limit ?? .max) })
    }
}
