import Foundation
import Testing

/// Comparison of the page OnOneScreen.md of each DocC catalog with the list of the module's public API.
///
/// DocumentationTests compares the code of the page with its compiled copies.
@Suite("The page with everything of a module on one screen")
struct OneScreenTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL

    /// Modules with a list in Tests/PublicAPI, and the types whose members belong on the page.
    static let listed: [(String, [String])] = [
        ("ClickstreamAnalytics", ["ClickstreamAnalytics"]),
        ("ClickstreamAudit", ["Audit.Events", "Audit.Scope"]),
        ("ClickstreamCapture", ["Capture"]),
        ("ClickstreamCollector", ["Collector"]),
        ("ClickstreamCore", ["ClickstreamClient"]),
        ("ClickstreamServer", ["ServerEvents"]),
        ("ClickstreamSimulation", ["ClickstreamTestRecorder"]),
    ]

    static let modules = listed.map { $0.0 } + ["ClickstreamGTK"]

    @Test("is the first topic, and fits on a screen", arguments: OneScreenTests.modules)
    func format(module: String) throws {
        let front = try Self.text(of: "\(module).md", in: module)
        let topics = try #require(front.range(of: "\n## Topics\n"))
        #expect(
            front[topics.upperBound...].split(separator: "\n").first { $0.hasPrefix("- ") } == "- <doc:OnOneScreen>"
        )
        let blocks = try Self.text(of: "OnOneScreen.md", in: module).components(separatedBy: "```swift\n").dropFirst()
        let code = blocks.flatMap { $0.components(separatedBy: "\n```")[0].components(separatedBy: "\n") }
        #expect((1...60).contains(code.count))
        #expect(code.filter { $0.count > 100 } == [])
    }

    @Test("names each public type, and each member of the main types", arguments: OneScreenTests.listed)
    func names(module: String, mainTypes: [String]) throws {
        let page = try Self.text(of: "OnOneScreen.md", in: module)
        let symbols = try Self.symbols(of: module)
        for type in mainTypes { #expect(symbols.contains { $0.parent == type }) }
        let missing = symbols.filter { symbol in
            guard symbol.isType || mainTypes.contains(symbol.parent) else { return false }
            return page.range(of: symbol.pattern, options: .regularExpression) == nil
        }
        #expect(missing.map(\.path) == [])
    }

    /// Symbol of a list, a line such as `Capture.Touch.Phase: enum Phase` or `Capture.click(_:): func click(…)`.
    private struct Symbol {
        /// The name with those of the enclosing types, without parameters.
        let path: String
        let isType: Bool

        init(_ line: Substring) {
            path = String(line.prefix { $0 != "(" && $0 != ":" })
            let type = "^[^ ]+: ((@nonexhaustive|final|indirect) )*(actor|class|enum|protocol|struct|typealias) "
            isType = line.range(of: type, options: .regularExpression) != nil
        }

        private var names: [Substring] { path.split(separator: ".") }
        var parent: String { names.dropLast().joined(separator: ".") }

        /// Expression for the symbol in code or in a link: a type with its enclosing types, a member of any value.
        var pattern: String {
            isType ? #"\b"# + names.joined(separator: "[./]") + #"\b"# : "[./]\(names.last ?? "")\\b"
        }
    }

    /// The symbols of a list, without initializers, which are called by the type's name, and without wrappers of properties.
    private static func symbols(of module: String) throws -> [Symbol] {
        let list = root.appendingPathComponent("Tests/PublicAPI/\(module).txt")
        return try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
            .filter { !$0.contains(".init(") && !$0.contains(".$") }
            .map { Symbol($0) }
    }

    private static func text(of page: String, in module: String) throws -> String {
        let sources = root.appendingPathComponent("Sources")
        let pages = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .map { sources.appendingPathComponent("\($0)/\(module)/\(module).docc/\(page)") }
        let file = try #require(pages.first { FileManager.default.fileExists(atPath: $0.path) }, "\(module): \(page)")
        return try String(contentsOf: file, encoding: .utf8)
    }
}
