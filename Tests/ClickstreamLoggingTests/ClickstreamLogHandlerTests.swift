#if Server
import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamSimulation
import Logging
import Testing

@testable import ClickstreamLogging

@Suite("ClickstreamLogHandler")
struct ClickstreamLogHandlerTests {
    private let recorder = ClickstreamTestRecorder()

    private func logger(_ log: ClickstreamLogRecorder, label: String = "shop.basket") -> Logger {
        Logger(label: label) { ClickstreamLogHandler(label: $0, recorder: log, metadataProvider: nil) }
    }

    @Test("records errors as events, with their metadata")
    func events() throws {
        let client = try recorder.launch()
        var logger = logger(ClickstreamLogRecorder(client: client))
        #expect(logger.logLevel == .info)
        logger[metadataKey: "request-id"] = "r1"
        logger[metadataKey: "http.method"] = "GET"
        logger.warning("not an event")
        logger.error(
            "cannot pay",
            metadata: ["request-id": "r2", "codes": [1, 2].map { "\($0)" }.metadata],
            source: "Shop"
        )
        try recorder.expectEvent("log_message", count: .exactly(1))
        let event = try #require(recorder.events(named: "log_message").first)
        let own = event.attributes.filter { !$0.name.hasPrefix("_") }
        #expect(
            own.map { "\($0.name)=\($0.value)" }
                == [
                    "log_level", "log_label", "log_source", "log_message", "codes", "http_method", "request_id",
                ].map { "\($0)=\(event[$0] ?? 0)" }
        )
        #expect(event["log_level"] == "error" && event["log_label"] == "shop.basket" && event["log_source"] == "Shop")
        #expect(event["log_message"] == "cannot pay" && event["request_id"] == "r2" && event["http_method"] == "GET")
        #expect(event["log_suppressed"] == nil)
        #expect(recorder.violations == [])
    }

    @Test("adapts names and cuts texts, so that no rule is violated")
    func rules() throws {
        let client = try recorder.launch()
        let long = String(repeating: "\u{4E2D}", count: 3_000)
        var metadata: Logger.Metadata = [
            "1st": "a", "": "b", "_own": "c", "caf\u{E9}": "d", long: "\(long)", "log_level": "x",
        ]
        for number in 0..<100 { metadata["n\(number)"] = "\(number)" }
        logger(ClickstreamLogRecorder(client: client), label: long).critical("\(long)", metadata: metadata)
        let event = try #require(recorder.events(named: "log_message").first)
        #expect(recorder.violations == [])
        #expect(event["log_level"] == "critical")
        #expect(event["meta_1st"] == "a")
        #expect(event["meta_"] == "b")
        #expect(event["meta__own"] == "c")
        #expect(event["caf_"] == "d")
        #expect(event.attributes.count { !$0.name.hasPrefix("_") } <= 4 + LogMessage.maxMetadata)
        #expect(event["log_message"] == .string(String(long.prefix(1_024))))
    }

    @Test("gives precedence to metadata of the message, then of the provider, then of the logger")
    func precedence() throws {
        let client = try recorder.launch()
        let log = ClickstreamLogRecorder(client: client)
        var logger = Logger(label: "a") {
            ClickstreamLogHandler(
                label: $0,
                recorder: log,
                metadataProvider: Logger.MetadataProvider { ["b": "provider", "c": "provider"] }
            )
        }
        for key in ["a", "b", "c"] { logger[metadataKey: key] = "logger" }
        logger.error("x", metadata: ["c": "message"])
        let event = try #require(recorder.events(named: "log_message").first)
        #expect(event["a"] == "logger" && event["b"] == "provider" && event["c"] == "message")
    }

    @Test("ignores levels below its own")
    func levels() throws {
        let client = try recorder.launch { $0.tracksExceptions = true }
        let log = ClickstreamLogRecorder(client: client, eventLevel: .notice, breadcrumbLevel: .warning)
        var logger = logger(log)
        #expect(logger.logLevel == .notice)
        logger.info("no")
        logger.notice("event alone")
        logger.warning("both")
        logger.logLevel = .critical
        logger.error("not any more")
        #expect(recorder.events(named: "log_message").map { $0["log_message"] } == ["event alone", "both"])
        client.crash(message: "cold", stack: "main")
        _ = try recorder.launch()
        let crash = try #require(recorder.events(named: "_app_exception").first)
        #expect(crash["_exception_breadcrumbs"] == "2024-01-01T00:00:00.000Z warning shop.basket: both")
    }

    @Test("keeps the latest 50 messages for the event of a crash")
    func breadcrumbs() throws {
        let client = try recorder.launch { $0.tracksExceptions = true }
        let logger = logger(ClickstreamLogRecorder(client: client))
        for number in 1...60 { logger.info("step", metadata: ["number": "\(number)"]) }
        client.crash(message: "cold", stack: "main")
        _ = try recorder.launch()
        guard case .string(let text) = recorder.events(named: "_app_exception").first?["_exception_breadcrumbs"] else {
            Issue.record("no breadcrumbs")
            return
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 50)
        #expect(lines.first == "2024-01-01T00:00:00.000Z info shop.basket: step number=11")
        #expect(lines.last == "2024-01-01T00:00:00.000Z info shop.basket: step number=60")
        #expect(recorder.violations == [])
        #expect(recorder.events(named: "log_message").isEmpty)
    }

    @Test("records at most the given number of events in a minute, and reports the others")
    func rate() async throws {
        let client = try recorder.launch { $0.sendInterval = .zero }
        let logger = logger(ClickstreamLogRecorder(client: client, eventsPerMinute: 2))
        for _ in 0..<10 { logger.error("again") }
        #expect(recorder.events(named: "log_message").count == 2)
        await recorder.advance(by: .seconds(30))
        logger.error("later")
        let events = recorder.events(named: "log_message")
        #expect(events.map { $0["log_suppressed"] } == [nil, nil, 8])
    }

    @Test("ignores messages that an observer of notices logs")
    func recursion() async throws {
        let client = try recorder.launch()
        let logger = logger(ClickstreamLogRecorder(client: client, eventsPerMinute: 1_000))
        client.observe { logger.error("\($0)") }
        client.record("tap")
        logger.error("own")
        await client.flush()
        #expect(recorder.events(named: "log_message").map { $0["log_message"] } == ["own"])
    }

    @Test("uses the SDK of the app by default, also before its start")
    func facade() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            let logger = logger(ClickstreamLogRecorder())
            logger.error("early")
            try ClickstreamAnalytics.initSDK()
            logger.error("late")
        }
        #expect(recorder.events(named: "log_message").map { $0["log_message"] } == ["early", "late"])
    }
}

extension [String] {
    fileprivate var metadata: Logger.MetadataValue { .array(map { .string($0) }) }
}
#endif
