import Foundation
import Testing

/// The manuals' text against this target's sources.
@Suite("The manuals' snippets")
struct SnippetTests {
    @Test("are thirteen and three")
    func count() {
        #expect(Snippet.all.count { $0.manual == .english } == 13)
        #expect(Snippet.all.count { $0.manual == .chinese } == 3)
    }

    @Test("are printed in this target line for line, imports hoisted", arguments: Snippet.all)
    func stands(snippet: Snippet) throws {
        let lines = Self.code(of: snippet.text)
        #expect(lines.count >= 2)
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(snippet.manual.rawValue)
        let source = Self.code(of: try String(contentsOf: file, encoding: .utf8))
        let stands = source.indices.contains { source[$0...].starts(with: lines) }
        #expect(stands, "line \(snippet.line): \(lines)")
    }

    /// Lines with code, without indentation, imports and the three dots of the Chinese manual.
    private static func code(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && $0 != "import Clickstream" && $0 != "..." }
    }
}
