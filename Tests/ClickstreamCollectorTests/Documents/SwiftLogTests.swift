#if Collector
import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Logging
import Testing

/// The adapter of Docs/debugging.md, in the one test target that may use swift-log.
@Suite("The adapter to swift-log")
struct SwiftLogTests {
    /// Keeps what is logged.
    private struct Kept: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.add("\(event.level): \(event.message)")
        }
    }

    private final class LogLines: Sendable {
        private let lines = Locked<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private static let adapter = [
        #"let logger = Logger(label: "clickstream")"#,
        #"ClickstreamAnalytics.observe { logger.log(level: $0.isTrouble ? .warning : .debug, "\($0)") }"#,
    ]

    @Test("is two lines, and logs notices at suitable levels")
    func adapter() throws {
        let lines = LogLines()
        let recorder = ClickstreamTestRecorder()
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            let logger = Logger(label: "clickstream", factory: { _ in Kept(lines: lines) })
            ClickstreamAnalytics.observe { logger.log(level: $0.isTrouble ? .warning : .debug, "\($0)") }
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("buy", ["unit price": 1])
        }
        #expect(lines.all.count == 5)
        #expect(lines.all.first == "debug: session 1 starts: the first session of this store")
        #expect(lines.all.last?.hasPrefix("warning: recorded buy (") == true)
        #expect(lines.all.last?.contains("2002") == true)
    }

    @Test("is printed in the document as compiled here")
    func document() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let document = try String(contentsOf: root.appendingPathComponent("Docs/debugging.md"), encoding: .utf8)
        #expect(document.contains(Self.adapter.joined(separator: "\n")))
    }
}
#endif
