import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import ClickstreamReplay
import FormatFixtures
import Foundation
import Testing

/// The documentation's scripts with a user interface, compared with golden files in Tests/ClickstreamSimulationTests/
/// Fixtures/Examples: events and request bodies of each format. `CLICKSTREAM_UPDATE_FIXTURES=1` rewrites the files.
@Suite("Example scripts with a user interface")
struct ExampleScriptTests {
    private static let names = ["storefront", "article"]

    private static func compare(_ lines: [String], with file: String) throws {
        let folder = ScriptReplay.package.appending(path: "Tests/ClickstreamSimulationTests/Fixtures/Examples")
        let golden = folder.appending(path: file)
        let text = lines.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["CLICKSTREAM_UPDATE_FIXTURES"] == "1" {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: golden)
            return
        }
        let stored = try String(contentsOf: golden, encoding: .utf8)
        #expect(text.split(separator: "\n") == stored.split(separator: "\n"), "\(file)")
    }

    @Test("produce the events and request bodies of their golden files", arguments: names)
    func golden(name: String) async throws {
        let replay = try await ScriptReplay(of: "Docs/Examples/\(name).yaml", delivers: true)
        #expect(replay.warnings == [])
        for format in CapturedFormat.recorded {
            try Self.compare(replay.events[format.name] ?? [], with: "\(name).\(format).ndjson")
            try Self.compare(replay.batches[format.name] ?? [], with: "\(name).\(format).batches.ndjson")
        }
    }

    @Test("deliver each event once, unchanged and in order", arguments: names)
    func delivery(name: String) async throws {
        let replay = try await ScriptReplay(of: "Docs/Examples/\(name).yaml", delivers: true)
        for format in CapturedFormat.recorded {
            let delivered = try (replay.batches[format.name] ?? []).flatMap { body in
                format.events(of: try JSONReader.parse(Array(body.utf8))).map { event in
                    var bytes: [UInt8] = []
                    event.write(into: &bytes)
                    return String(decoding: bytes, as: UTF8.self)
                }
            }
            #expect(delivered.count > 5)
            #expect(delivered == replay.events[format.name])
        }
    }

    @Test("record the same events without delivery", arguments: names)
    func dryRun(name: String) async throws {
        let delivered = try await ScriptReplay(of: "Docs/Examples/\(name).yaml", delivers: true)
        let recorded = try await ScriptReplay(of: "Docs/Examples/\(name).yaml")
        #expect(recorded.events == delivered.events)
        #expect(recorded.batches == [:])
    }

    @Test("have the same identifiers in all formats", arguments: names)
    func identifiers(name: String) async throws {
        let replay = try await ScriptReplay(of: "Docs/Examples/\(name).yaml")
        func ids(_ format: FormatName, _ key: String) throws -> Set<String> {
            Set(try (replay.events[format] ?? []).compactMap { try JSONReader.parse(Array($0.utf8))[key]?.string })
        }
        let clickstream = try ids(.clickstream, "event_id")
        let views = (replay.events[.pulse] ?? []).filter { $0.hasPrefix(#"{"event_type":"page_view""#) }.count
        // A page view is the screen view of the clickstream format.
        #expect(try ids(.pulse, "event_id").subtracting(clickstream).count == views)
    }
}

@Suite("Scripts without a user interface")
struct PlainScriptTests {
    @Test("have no automatic capture, and produce the same events beside it", arguments: ["shopping", "kiosk"])
    func unchanged(name: String) async throws {
        let url = ScriptReplay.package.appending(path: "Docs/Examples/\(name).yaml")
        let script = try ScriptReader.read(Array(Data(contentsOf: url)), file: url.lastPathComponent)
        #expect(!script.usesCapture)
        let plain = try await ScriptReplay(script)
        #expect(Set(plain.events.keys) == [.clickstream])
        let captured = try await ScriptReplay(script, capturesAlways: true)
        #expect(captured.events[.pulse] == nil)
        #expect(try Self.withoutIDs(captured.events[.clickstream]) == Self.withoutIDs(plain.events[.clickstream]))
    }

    /// The events with the same text for each UUID.
    private static func withoutIDs(_ lines: [String]?) throws -> [String] {
        (lines ?? []).map { $0.replacing(/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/, with: "UUID") }
    }

    @Test("use automatic capture with any part of it")
    func parts() throws {
        let formats = CapturedFormat.ofCapture.flatMap { format in
            [
                #""config": { "\#(format)": {} }, "steps": [ "launch" ]"#,
                #""steps": [ { "launch": { "config": { "\#(format)": {} } } } ]"#,
            ]
        }
        let parts = [
            #""config": { "autoEvents": [] }, "steps": [ "launch" ]"#, #""ui": {}, "steps": [ "launch" ]"#,
            #""steps": [ "launch", { "repeat": { "times": 1, "steps": [ { "touch": [ [1, 2] ] } ] } } ]"#,
            #""steps": [ "launch", { "variable": { "key": "k", "value": 1 } } ]"#,
            #""steps": [ "launch", { "screen": { "name": "A", "variables": { "1": { "a": "b" } } } } ]"#,
            #""steps": [ "launch", { "configure": { "autoEvents": [ "touch" ] } } ]"#,
        ]
        for part in formats + parts {
            let script = try ScriptReader.read(Array("{ \"clickstream\": 1, \(part) }".utf8), file: "a.json")
            #expect(script.usesCapture, "\(part)")
        }
        let plain = Array(#"{ "clickstream": 1, "config": {}, "steps": [ "launch", { "screen": "A" } ] }"#.utf8)
        #expect(try !ScriptReader.read(plain, file: "a.json").usesCapture)
    }
}
