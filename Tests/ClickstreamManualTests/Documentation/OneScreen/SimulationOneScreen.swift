import Clickstream
import ClickstreamSimulation
import Testing

// Code of ClickstreamSimulation.docc/OnOneScreen.md; see DocumentationTests and OneScreenTests.

@Suite("Everything of ClickstreamSimulation on one screen")
struct SimulationOneScreen {
    // snippet
    @Test func staticAPI() async throws {
        // Start: one simulated device for each test
        let recorder = ClickstreamTestRecorder(seed: 1)
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("purchase", ["value": 99.9])
            await ClickstreamAnalytics.flush()
        }

        // Expect: an unmet one throws UnmetExpectation
        try recorder.expectEvent("purchase", count: ExpectedCount.exactly(1)) { $0["value"] == 99.9 }
        try recorder.expectNoEvent("refund")
        try recorder.expectOrder("_app_start", "purchase")
        try recorder.expectOwnEvents("purchase")
        try recorder.expectNoViolations()

        // Read
        let events: [RecordedEvent] = recorder.events(named: "purchase")
        let received: [RecordedEvent] = recorder.delivered
        #expect(received.map(\.name) == recorder.names && events[0].sessionNumber == 1)
        print(events[0].attributes, events[0].items, events[0].user, events[0].json, recorder.notices)
    }

    @Test func clientOfItsOwn() async throws {
        // Start, and let time pass
        let recorder = ClickstreamTestRecorder()
        let client: ClickstreamClient = try recorder.launch { $0.sendInterval = .seconds(10) }
        client.record("add_to_cart")
        await recorder.advance(by: .seconds(10))
        recorder.time.shiftWall(by: .seconds(-3_600))  // a person sets the clock back

        // Let the server and the disk fail
        recorder.server.answer(.status(503, retryAfter: "30"), .timeOut, .cutBeforeReply)
        recorder.server.defaultReply = ScriptedServer.Reply.refuse
        recorder.disk.capacity = recorder.disk.usedBytes
        recorder.disk.inject(.fail(errno: 5), at: .write(recorder.disk.writes + 1))

        // End like kill -9; the disk remains for the next launch
        recorder.kill(client)
        #expect(recorder.server.requests.count == 1)
    }
    // end
}
