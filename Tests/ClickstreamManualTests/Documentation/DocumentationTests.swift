import Foundation
import Testing

/// Comparison of the Swift code in the DocC articles, the doc comments and the how-to pages with its compiled copies in this
/// folder.
///
/// A changed, added or removed block fails until its copy is changed too; a copy that does not compile fails the build.
/// `.ci/light-consumer` checks the blocks that are parts of a package manifest.
@Suite("Code in the documentation")
struct DocumentationTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let sources = folder.appendingPathComponent("../../../Sources").standardizedFileURL

    @Test("is equal to its compiled copies")
    func copies() throws {
        let (documented, copies) = (try Self.documented(), try Self.copies())
        for block in documented {
            #expect(copies.contains { $0.code == block.code }, "\(block.location) has no copy:\n\(block.text)")
        }
        for copy in copies {
            #expect(documented.contains { $0.code == copy.code }, "\(copy.location) is no block:\n\(copy.text)")
        }
    }

    /// Block of Swift with its place.
    private struct Block {
        let location: String
        let text: String

        /// Lines with code, without indentation and imports: imports are at the top of a compiled file.
        let code: [String]

        /// True if the block is part of a package manifest.
        var isManifest: Bool { text.hasPrefix(".") }

        init(location: String, text: String) {
            self.location = location
            self.text = text
            code = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
        }
    }

    /// Blocks of the articles and doc comments of all targets and of the how-to pages, without parts of manifests.
    private static func documented() throws -> [Block] {
        let pages = try files(in: sources.appendingPathComponent("../Docs").standardizedFileURL, ["md"])
            .filter { $0.lastPathComponent.hasPrefix("howto-") }
        return try (files(in: sources, ["md", "swift"]) + pages).flatMap { file in
            let isArticle = file.pathExtension == "md"
            let lines = try lines(of: file).map { line -> String in
                let trimmed = line.trimmingCharacters(in: .whitespaces)
                if isArticle { return trimmed }
                return trimmed.hasPrefix("///") ? trimmed.dropFirst(3).trimmingCharacters(in: .whitespaces) : ""
            }
            return blocks(in: lines, of: file, from: "```swift", to: "```").filter { !$0.isManifest }
        }
    }

    /// Compiled copies in this folder, and those of modules behind a trait, in the folders of their tests.
    private static func copies() throws -> [Block] {
        let modules = try [
            "ClickstreamAuditTests", "ClickstreamGTKTests", "ClickstreamLoggingTests", "ClickstreamServerTests",
        ].flatMap { name in
            try files(in: folder.appendingPathComponent("../../\(name)").standardizedFileURL, ["swift"])
                .filter { $0.lastPathComponent.hasSuffix("Snippets.swift") }
        }
        return try (files(in: folder, ["swift"]) + modules).flatMap { file in
            let lines = try lines(of: file).map { $0.trimmingCharacters(in: .whitespaces) }
            return blocks(in: lines, of: file, from: "// snippet", to: "// end")
        }
    }

    private static func files(in folder: URL, _ extensions: Set<String>) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            .map { folder.appendingPathComponent($0) }
            .filter { extensions.contains($0.pathExtension) }
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }

    /// Blocks between a line `start` and the next line `end`.
    private static func blocks(in lines: [String], of file: URL, from start: String, to end: String) -> [Block] {
        var blocks: [Block] = []
        var rest = lines[...]
        while let first = rest.firstIndex(of: start), let last = rest[first...].firstIndex(of: end) {
            let text = lines[(first + 1)..<last].joined(separator: "\n")
            blocks.append(Block(location: "\(file.lastPathComponent):\(first + 1)", text: text))
            rest = lines[(last + 1)...]
        }
        return blocks
    }
}
