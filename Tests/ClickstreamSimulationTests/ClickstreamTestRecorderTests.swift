import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

@Suite("ClickstreamTestRecorder")
struct ClickstreamTestRecorderTests {
    private let recorder = ClickstreamTestRecorder()

    private func message(_ body: () throws(UnmetExpectation) -> Void) -> String {
        do {
            try body()
            return "met"
        } catch {
            return error.message
        }
    }

    // MARK: Expectations

    @Test("finds an event by its name and attributes, literals and variables")
    func expectEvent() throws {
        let client = try recorder.launch()
        let (price, count) = (99.9, 2)
        client.record("buy", attributes: ["value": price, "count": count, "name": "shoes", "sale": true])
        try recorder.expectEvent("buy")
        try recorder.expectEvent("buy") { $0["value"] == 99.9 }
        try recorder.expectEvent("buy") { $0["value"] == price && $0["count"] == count && $0["count"] == 2 }
        try recorder.expectEvent("buy") { $0["name"] == "shoes" && $0["sale"] == true && $0["none"] == nil }
        try recorder.expectEvent("buy") { $0["value"] != 99 && $0["count"] != price }
        try recorder.expectNoEvent("buy") { $0["value"] == 100 }
        try recorder.expectNoEvent("sell")
    }

    @Test("reports the expected and the actual result, and the source location")
    func unmet() throws {
        let client = try recorder.launch()
        client.record("buy", attributes: ["value": 9.5, "name": "shoes"], items: [["id": 7]])
        var unmet: UnmetExpectation?
        let line = #line + 2
        do throws(UnmetExpectation) {
            try recorder.expectEvent("buy") { $0["value"] == 99.9 }
        } catch {
            unmet = error
        }
        #expect(
            unmet?.message == """
                Expected at least 1 "buy", but 0 of 1 meet the condition.
                Recorded, in order:
                  +0 ms  _first_open
                  +0 ms  _app_start
                  +0 ms  _session_start
                  +0 ms  buy [value: 9.5, name: "shoes"] items: [id: 7]
                """
        )
        #expect(unmet?.line == line && unmet?.fileID == #fileID && unmet?.filePath == #filePath)
        #expect(unmet?.description.hasSuffix("\n(expected at \(#fileID):\(line):\(unmet?.column ?? 0))") == true)
    }

    @Test("suggests the probable name, and reports that nothing was recorded")
    func hints() throws {
        #expect(
            message { () throws(UnmetExpectation) in try recorder.expectEvent("buy") }
                == "Expected at least 1 \"buy\", but there are 0.\nNothing was recorded."
        )
        let client = try recorder.launch()
        client.record("add_to_cart")
        let text = message { () throws(UnmetExpectation) in try recorder.expectEvent("add_to_card") }
        #expect(text.contains("\nDid you mean 'add_to_cart'?\nRecorded, in order:\n"))
    }

    @Test("lists the last forty of many events")
    func many() throws {
        let client = try recorder.launch()
        for _ in 0..<50 { client.record("tap") }
        let text = message { () throws(UnmetExpectation) in try recorder.expectNoEvent("tap") }
        #expect(text.hasPrefix("Expected no such \"tap\", but there are 50.\nThe last 40 of 53 events:\n"))
        #expect(text.split(separator: "\n").count == 42)
    }

    @Test(
        "counts",
        arguments: [
            (.exactly(2), nil), (.atLeast(2), nil), (.atMost(2), nil), (.atLeast(0), nil),
            (.exactly(1), "Expected exactly 1 \"tap\", but there are 2."),
            (.atLeast(3), "Expected at least 3 \"tap\", but there are 2."),
            (.atMost(1), "Expected at most 1 \"tap\", but there are 2."),
        ] as [(ExpectedCount, String?)]
    )
    func counts(count: ExpectedCount, sentence: String?) throws {
        let client = try recorder.launch()
        client.record("tap")
        client.record("tap")
        let text = message { () throws(UnmetExpectation) in try recorder.expectEvent("tap", count: count) }
        #expect(text.split(separator: "\n").first.map { String($0) } == sentence ?? "met")
    }

    @Test("checks the order, with others in between, and the app's own events only")
    func order() throws {
        let client = try recorder.launch()
        for name in ["a", "b", "a", "c"] { client.record(name) }
        try recorder.expectOrder("_session_start", "a", "c")
        try recorder.expectOrder("a", "a")
        try recorder.expectOrder()
        try recorder.expectOwnEvents("a", "b", "a", "c")
        let late = message { () throws(UnmetExpectation) in try recorder.expectOrder("c", "a") }
        #expect(late.hasPrefix("Expected \"c\", \"a\" in this order, but no \"a\" follows \"c\".\n"))
        let none = message { () throws(UnmetExpectation) in try recorder.expectOrder("d", "a") }
        #expect(none.hasPrefix("Expected \"d\", \"a\" in this order, but there is no \"d\".\n"))
        let own = message { () throws(UnmetExpectation) in try recorder.expectOwnEvents("a") }
        #expect(own.hasPrefix("Expected the app's own events to be \"a\", but they are \"a\", \"b\", \"a\", \"c\".\n"))
    }

    @Test("collects violations in events and of rejected calls")
    func violations() throws {
        let client = try recorder.launch()
        try recorder.expectNoViolations()
        client.record("buy", attributes: ["unit price": 1])
        client.record("bad name")
        #expect(recorder.violations.map(\.code) == [.attributeNameInvalid, .eventNameInvalid])
        #expect(recorder.events(named: "buy").first?.violations.map(\.code) == [.attributeNameInvalid])
        #expect(recorder.events(named: "buy").first?.error == .attributeNameInvalid)
        let text = message { () throws(UnmetExpectation) in try recorder.expectNoViolations() }
        #expect(text.hasPrefix("Expected no violations, but there are 2: 2002: "))
    }

    @Test("compares events with a tracking plan")
    func plan() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = """
            { "clickstream-plan": 1, "unplanned": "error",
              "events": { "buy": { "attributes": { "price": { "type": "number", "required": true, "minimum": 0 } } } } }
            """
        try Data(text.utf8).write(to: file)
        let plan = try TrackingPlan(contentsOfFile: file.path)
        let client = try recorder.launch()
        client.record("buy", attributes: ["price": 1])
        try recorder.expectPlan(plan)
        client.record("buy", attributes: ["price": -1.5])
        client.record("byu")
        let unmet = message { () throws(UnmetExpectation) in try recorder.expectPlan(plan) }
        #expect(
            unmet.hasPrefix(
                "Expected events as planned, but there are 2 findings: "
                    + "\"buy\" attributes.price: must be a number, at least 0 [plan_range]; "
                    + "\"byu\" event_type: the plan has no event \"byu\"; did you mean 'buy'? [plan_unplanned_event].\n"
            )
        )
        try Data("{ \"clickstream-plan\": 2, \"events\": {} }".utf8).write(to: file)
        #expect(throws: TrackingPlan.Invalid.self) { try TrackingPlan(contentsOfFile: file.path) }
    }

    @Test("calls a report instead of throwing, and the test continues")
    func report() throws {
        let reported = Locked<[UnmetExpectation]>([])
        let recorder = ClickstreamTestRecorder { unmet in reported.withLock { $0.append(unmet) } }
        let client = try recorder.launch()
        try recorder.expectEvent("missing")
        try recorder.expectNoEvent("_first_open")
        try recorder.expectOrder("missing")
        try recorder.expectOwnEvents("missing")
        client.record("bad name")
        try recorder.expectNoViolations()
        try recorder.expectEvent("_first_open")
        #expect(reported.withLock { $0.map(\.line) }.count == 5)
        #expect(reported.withLock { $0.allSatisfy { $0.fileID == #fileID } })
    }

    // MARK: What there is

    @Test("decodes events as recorded")
    func events() throws {
        let client = try recorder.launch()
        client.setUserID("carl")
        client.record("buy", attributes: ["n": 1, "d": 1.0, "t": "x", "b": false], items: [["id": "7", "price": 2.5]])
        let event = try #require(recorder.events(named: "buy").first)
        #expect(event["n"] == 1)
        #expect(event["d"] == 1.0)
        #expect(event["n"] != 1.0)
        #expect(event["t"] == "x")
        #expect(event["b"] == false)
        #expect(event.items == [["id": "7", "price": 2.5]])
        #expect(event.user["_user_id"] == "carl")
        #expect(event.sessionNumber == 1 && event.error == nil && !event.isAutomatic)
        #expect(event.timestamp == Timestamp(milliseconds: 1_704_067_200_000))
        #expect(event.json.contains(#""event_id":"\#(event.id)""#))
        #expect(recorder.events.map(\.isAutomatic) == [true, true, true, true, false])
    }

    @Test("returns the same events for the same seed, and others for another")
    func seeds() throws {
        func json(_ seed: UInt64) throws -> [String] {
            let recorder = ClickstreamTestRecorder(seed: seed)
            try recorder.launch().record("tap")
            return recorder.events.map(\.json)
        }
        #expect(try json(1) == json(1))
        #expect(try json(1) != json(2))
    }

    @Test("clears recorded events, not stored ones")
    func forget() async throws {
        let client = try recorder.launch()
        recorder.forget()
        #expect(recorder.events == [] && recorder.notices == [])
        client.record("tap")
        #expect(recorder.names == ["tap"])
        _ = await client.flush()
        #expect(recorder.delivered.count == 4)
    }

    // MARK: The device

    @Test("plays days of sessions, launches and kills without waiting")
    func lifecycle() async throws {
        let first = try recorder.launch()
        first.foreground()
        first.screen(name: "Home")
        await recorder.advance(by: .seconds(90))
        recorder.kill(first)
        await recorder.advance(by: .seconds(86_400))
        let second = try recorder.launch(device: { $0.app.version = "2.0" })
        second.background()
        #expect(
            recorder.names == [
                "_first_open", "_app_start", "_session_start", "_screen_view", "_app_update", "_app_start",
                "_session_start", "_app_end",
            ]
        )
        #expect(recorder.events.map(\.sessionNumber) == [1, 1, 1, 1, 2, 2, 2, 2])
    }

    @Test("delivers according to the server's script, and counts an event that arrives twice as two")
    func server() async throws {
        recorder.server.answer(.status(503), .cutBeforeReply)
        let client = try recorder.launch()
        client.record("tap")
        #expect(await client.flush().retained == 4)
        await recorder.advance(by: .seconds(3_600))
        #expect(recorder.server.requests.count == 3)
        #expect(recorder.delivered.filter { $0.name == "tap" }.count == 3)
        #expect(Set(recorder.delivered.map(\.id)).count == 4)
        #expect(await client.flush() == FlushReport())
    }

    @Test("flushes automatically when the clock passes the interval")
    func interval() async throws {
        let client = try recorder.launch()
        client.record("tap")
        await recorder.advance(by: .milliseconds(9_999))
        #expect(recorder.delivered.isEmpty)
        await recorder.advance(by: .milliseconds(1))
        #expect(recorder.delivered.map(\.name) == recorder.names)
    }

    @Test("supports disk faults")
    func disk() throws {
        for operation in 1...3 { recorder.disk.inject(.fail(errno: 5), at: .operation(operation)) }
        #expect(throws: StoreError.self) { try recorder.launch() }
        #expect(recorder.notices == [])
    }
}
