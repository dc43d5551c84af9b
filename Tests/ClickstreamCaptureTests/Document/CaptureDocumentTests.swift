import ClickstreamCapture
import Foundation
import Testing

@Suite("Docs/capture.md, Docs/privacy.md")
struct CaptureDocumentTests {
    /// The root of the repository: the folder of this file is three levels below it.
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL

    @Test("name tests that exist", arguments: ["capture.md", "privacy.md"])
    func names(page: String) throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("Docs/" + page), encoding: .utf8)
        let tests = try Self.tests()
        var named = 0
        for line in text.split(separator: "\n") {
            var suite = ""
            // Text between grave accents; a name that begins with a period belongs to the suite before it.
            for (index, word) in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where !index.isMultiple(of: 2) {
                let parts = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                if parts[0].hasSuffix("Tests"), !parts[0].contains("/") { suite = parts[0] }
                guard !suite.isEmpty, parts[0].isEmpty || parts[0] == suite else { continue }
                named += 1
                let isFound = parts.count == 1 ? tests[suite] != nil : tests[suite]?.contains(parts[1]) == true
                #expect(isFound, "\(page): \(suite).\(parts.dropFirst().joined()) does not exist")
            }
        }
        #expect(named > 20)
    }

    /// The names of the methods of each suite.
    private static func tests() throws -> [String: Set<String>] {
        let folder = root.appendingPathComponent("Tests")
        var tests: [String: Set<String>] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix("Tests.swift") && !path.contains(".build") {
            var suite = ""
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
                if let name = name(after: "struct", in: words), name.hasSuffix("Tests") { suite = name }
                if let name = name(after: "func", in: words) { tests[suite, default: []].insert(name) }
            }
        }
        return tests
    }

    private static func name(after keyword: String, in words: [String]) -> String? {
        words.firstIndex(of: keyword).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
    }

    // MARK: Data sources

    private final class Button: AutoTrackableElement {}

    private final class Source: AutoTrackableEventDataSource {
        let tracks: Bool
        let data: AutoTrackableEventData?

        init(tracks: Bool, data: AutoTrackableEventData?) {
            self.tracks = tracks
            self.data = data
        }

        func shouldAutoTrack(for element: any AutoTrackableElement) -> Bool { tracks }
        func autoTrackEventData(for element: any AutoTrackableElement) -> AutoTrackableEventData? { data }
    }

    private final class SilentSource: AutoTrackableEventDataSource {}

    @Test("a data source opts out and replaces the data; one without methods changes nothing")
    func dataSource() {
        let own = AutoTrackableEventData(elementName: "own")
        let other = AutoTrackableEventData(elementName: "other", trackingGroup: "g")
        let button = Button()
        let sources: [(any AutoTrackableEventDataSource, OptBehavior?, AutoTrackableEventData)] = [
            (SilentSource(), nil, own), (Source(tracks: true, data: nil), nil, own),
            (Source(tracks: false, data: other), .autoOptOut, other),
        ]
        for (source, behavior, data) in sources {
            var element = Capture.Element(className: "UIButton", data: own)
            element.apply(source, for: button)
            #expect(element == Capture.Element(className: "UIButton", optBehavior: behavior, data: data))
            var page = Capture.Page(id: InstanceID(1), className: "Home", data: own)
            page.apply(source, for: button)
            #expect(page == Capture.Page(id: InstanceID(1), className: "Home", optBehavior: behavior, data: data))
        }
    }
}
