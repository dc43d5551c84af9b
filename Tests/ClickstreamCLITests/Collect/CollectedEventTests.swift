#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import Testing

@testable import clickstream_cli

@Suite("Events of the collector in this process")
struct CollectedEventTests {
    private func received(
        _ json: String,
        _ status: CollectedStatus = .good,
        _ violations: [CollectedViolation] = [],
        unlisted: Int = 0
    ) throws -> ReceivedEvent {
        try ReceivedEvent(
            CollectedEvent(
                sequence: 7,
                json: json,
                status: status,
                violations: violations,
                unlistedViolations: unlisted,
                requestID: "0a",
                receivedAt: Timestamp(milliseconds: 5)
            )
        )
    }

    @Test("are the elements of /api/events")
    func element() throws {
        let violations = [
            CollectedViolation(code: "2001", severity: .error, subject: "attribute", name: "a", message: "is \"long\""),
            CollectedViolation(code: "etl_stale", severity: .warning, subject: "event", name: "", message: "is old"),
        ]
        let bad = try received(#"{"event_type":"buy","attributes":{"price":1.50}}"#, .bad, violations, unlisted: 2)
        let expected = #"""
            {"event":{"event_type":"buy","attributes":{"price":1.50}},"status":"bad","violations":[
            {"code":2001,"severity":"error","subject":"attribute","name":"a","message":"is \"long\""},
            {"code":"etl_stale","severity":"warning","subject":"event","name":"","message":"is old"}],
            "unlisted_violations":2,"request_id":"0a","seq":7,"received_at":5}
            """#
        #expect(try bad.element == JSONReader.parse(Array(expected.utf8)))
        #expect(bad.isBad)
        #expect(bad.violations.map(\.isWarning) == [false, true])
        let good = try received("7")
        #expect(!good.isBad)
        #expect(good.name == nil)
    }

    @Test("are built in part, with their findings, whatever they contain")
    func bounded() throws {
        let list = "[" + Array(repeating: "1", count: 200_000).joined(separator: ",") + "]"
        let text = #"{"event_type":"buy","attributes":{"one":\#(list),"other":\#(list)},"last":1}"#
        let finding = CollectedViolation(code: "2001", severity: .error, subject: "event", name: "", message: "")
        let event = try received(text, .bad, [finding])
        let attributes = event.event["attributes"]?.members ?? []
        #expect(attributes.reduce(0) { $0 + ($1.value.array?.count ?? 0) } <= 65_536)
        #expect(event.violations.map(\.code) == ["2001"])
        #expect(event.event["last"]?.integer == 1)
    }

    @Test("are compared with conditions on values at any depth")
    func deep() throws {
        let event = try received(#"{"a":{"b":{"c":{"d":{"e":[[[{"f":7}]]]}}}}}"#)
        #expect(try ValueCondition("a.b.c.d.e[0][0][0].f == 7").holds(for: event.event))
    }
}
#endif
