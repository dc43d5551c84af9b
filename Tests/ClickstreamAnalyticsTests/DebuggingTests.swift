import Clickstream
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

/// Output and stored events of a process: each test runs a process of its own.
@Suite("A process that uses the SDK")
struct DebuggingTests {
    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    @Test("prints each event on standard error with the prefix EventRecorder, if enabled")
    func logEvents() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            try ClickstreamAnalytics.isolated(in: ClickstreamTestRecorder().world) {
                try ClickstreamAnalytics.initSDK()
                ClickstreamAnalytics.recordEvent("silent")
                try ClickstreamAnalytics.getClickstreamConfiguration().isLogEvents = true
                ClickstreamAnalytics.recordEvent("printed", ["value": 99.9])
                ClickstreamAnalytics.recordEvent("wrong", ["unit price": 1])
                try ClickstreamAnalytics.getClickstreamConfiguration().isLogEvents = false
                ClickstreamAnalytics.recordEvent("silent")
            }
        }
        let lines = Self.lines(result.standardErrorContent)
        let printed = lines.filter { $0.hasPrefix("EventRecorder: ") }.map { $0.dropFirst("EventRecorder: ".count) }
        #expect(printed.count == 2)
        let events = try printed.map { try JSONReader.parse(Array($0.utf8)) }
        #expect(events.map { $0["event_type"]?.string } == ["printed", "wrong"])
        #expect(events.first?["attributes"]?["value"]?.double == 99.9)
        #expect(lines.filter { $0.hasPrefix("Clickstream: ") }.count == 1)
        #expect(lines.contains { $0.hasPrefix("Clickstream: error 2002: invalid event attribute name \"unit price\"") })
        #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("EventRecorder"))
    }

    @Test("finds the file in its working directory, and stores events in the folder given by the environment")
    func realStart() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("clickstream-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                Issue.record("cannot remove \(folder.path): \(error)")
            }
        }
        let text =
            #"{"analytics":{"plugins":{"awsClickstreamPlugin ":{"appId":"found","isTrackScreenViewEvents":false}}}}"#
        try Data(text.utf8).write(to: folder.appendingPathComponent("amplifyconfiguration.json"))
        let path = folder.path
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) { [path = path as String] in
            #expect(FileManager.default.changeCurrentDirectoryPath(path))
            setenv("XDG_STATE_HOME", path, 1)
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("kept")
            ClickstreamAnalytics.shutdown()
        }
        let store = folder.appendingPathComponent("clickstream/found").path
        #expect(FileManager.default.fileExists(atPath: "\(store)/clickstream-store"))
        let events = try #require(
            FileManager.default.subpaths(atPath: store)?.first { $0.hasSuffix(".events") }
        )
        #expect(try String(contentsOfFile: "\(store)/\(events)", encoding: .utf8).contains(#""event_type":"kept""#))
        let warnings = Self.lines(result.standardErrorContent).filter { $0.hasPrefix("Clickstream: ") }
        #expect(warnings.count == 1 && warnings[0].contains("'endpoint' is missing"), "\(warnings)")
    }
}
