import ClickstreamCapture
import ClickstreamJudges
import FormatFixtures
import Foundation
import Testing

@Suite("Docs/capture-events.md")
struct CaptureEventsDocumentTests {
    /// The folder of this file is three levels below the root.
    private static let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../../Docs/capture-events.md").standardizedFileURL

    @Test("equals the generated page; with CLICKSTREAM_WRITE_DOCS set the file is rewritten")
    func document() async throws {
        let markdown = try await CaptureEventsDocument().markdown
        if ProcessInfo.processInfo.environment["CLICKSTREAM_WRITE_DOCS"] != nil {
            try markdown.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == markdown)
    }

    @Test("lists every field of every event, and no other")
    func fields() async throws {
        for section in try await CaptureEventsDocument().sections {
            for format in CapturedFormat.recorded {
                let listed = Set(section.rows.compactMap { $0.paths[format] })
                let written = Set((section.fields[format] ?? [:]).keys)
                #expect(listed.subtracting(written) == [], "\(section.title), \(format): without a value")
                guard section.isComplete else { continue }
                #expect(written.subtracting(listed) == [], "\(section.title), \(format): not listed")
            }
        }
    }

    @Test("has the same value in each format, unless the row is marked")
    func values() async throws {
        for section in try await CaptureEventsDocument().sections {
            for row in section.rows {
                let values = Set(row.paths.compactMap { format, path in section.fields[format]?[path] })
                #expect(values.count == 1 || row.differs, "\(section.title): \(row.meaning): \(values.sorted())")
            }
        }
    }

    @Test("has a section and a row for each line of a format's column", arguments: FormatFixture.all)
    func columns(_ fixture: FormatFixture) async throws {
        let sections = try await CaptureEventsDocument().sections
        let rows = Dictionary(uniqueKeysWithValues: sections.map { ($0.title, Set($0.rows.map(\.meaning))) })
        let events = Set(EventTable.all.map(\.title))
        for (title, paths) in fixture.column.paths {
            let unknown = Set(paths.keys).subtracting(try #require(rows[title], "\(title)"))
            #expect(unknown == [], "\(title)")
        }
        #expect(Set(fixture.column.names.keys).subtracting(events) == [])
    }

    @Test("lists every auto-event type")
    func types() {
        #expect(Set(EventTable.all.flatMap(\.types)) == Set(AutoEventType.all))
    }
}
