import Clickstream
import ClickstreamSimulation
import Testing

// Code of ClickstreamSimulation.docc and of the doc comments of ClickstreamSimulation; see DocumentationTests.

@Suite("Code of ClickstreamSimulation's documentation")
struct SimulationSnippets {
    // snippet
    @Test func sessionAfterPause() async throws {
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch()
        client.background()
        await recorder.advance(by: .seconds(31 * 60))
        client.foreground()
        try recorder.expectOrder("_app_end", "_app_start", "_session_start")
    }
    // end

    // snippet
    @Test func buys() throws {
        let recorder = ClickstreamTestRecorder()
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            Checkout().buy(price: 99.9)  // calls ClickstreamAnalytics.recordEvent
        }
        try recorder.expectEvent("purchase") { $0["_value"] == 99.9 }
    }
    // end

    @Test("an automatic flush follows after the interval")
    func time() async throws {
        // snippet
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch { $0.sendInterval = .seconds(10) }
        client.record("add_to_cart")
        await recorder.advance(by: .seconds(9))
        let early = recorder.delivered.count
        await recorder.advance(by: .seconds(1))
        let names = recorder.delivered.map(\.name)
        // end
        #expect(early == 0)
        #expect(names.last == "add_to_cart")
    }

    @Test("the server replies according to a script")
    func server() async throws {
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch()
        // snippet
        recorder.server.answer(.status(503, retryAfter: "30"), .timeOut, .cutBeforeReply)
        recorder.server.defaultReply = .refuse
        // end
        #expect(await !client.flush().isComplete)
    }

    @Test("the next launch delivers the events of a killed client")
    func kill() async throws {
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch()
        // snippet
        client.record("purchase")
        recorder.kill(client)
        let next = try recorder.launch()
        let report = await next.flush()
        // end
        #expect(report.isComplete)
        #expect(recorder.delivered.contains { $0.name == "purchase" })
    }

    @Test("faults of the disk")
    func disk() throws {
        let recorder = ClickstreamTestRecorder()
        // snippet
        recorder.disk.capacity = recorder.disk.usedBytes
        recorder.disk.inject(.cutPower, at: .write(recorder.disk.writes + 1))
        // end
        #expect(!recorder.disk.isPowerCut)
    }

    @Test("an unmet expectation is an issue at its line")
    func report() {
        // snippet
        let recorder = ClickstreamTestRecorder { unmet in
            Issue.record(
                Comment(rawValue: unmet.message),
                sourceLocation: SourceLocation(
                    fileID: unmet.fileID,
                    filePath: unmet.filePath,
                    line: unmet.line,
                    column: unmet.column
                )
            )
        }
        // end
        withKnownIssue { try recorder.expectEvent("purchase") }
    }
}
