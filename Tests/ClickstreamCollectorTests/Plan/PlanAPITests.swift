#if Collector
import ClickstreamCore
import ClickstreamPlan
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Plan in the query API")
struct PlanAPITests {
    private static let plan = TrackingPlan(
        events: [
            PlannedEvent(
                "buy",
                summary: "A purchase.",
                fields: PlannedFields([PlannedAttribute("price", .number, isRequired: true)])
            ),
            PlannedEvent("login"),
        ]
    )
    private static let configuration = CollectorConfiguration(plan: plan)

    private static func summary(_ collector: Collector) async throws -> [String: Int] {
        let object = try await collector.get("/api/plan").object()
        return try #require(object["summary"] as? [String: Int])
    }

    @Test("has no comparison without a plan")
    func none() async throws {
        try await withCollector { collector in
            #expect(String(decoding: try await collector.get("/api/plan").body, as: UTF8.self) == #"{"plan":null}"#)
            let event = try await collector.get("/api/plan/events/1")
            #expect(event.status == 404)
            #expect(String(decoding: event.body, as: UTF8.self).contains("--plan FILE"))
        }
    }

    @Test("covers each event that was answered before, once, and begins anew after a reset")
    func current() async throws {
        try await withCollector(Self.configuration) { collector in
            #expect(try await Self.summary(collector)["never_seen"] == 2)
            let good = event("A", name: "buy", attributes: #""price":1"#)
            _ = try await collector.post("[\(good),\(event("B", name: "buy"))]")
            for _ in 0..<2 {
                let summary = try await Self.summary(collector)
                #expect(summary["events"] == 2)
                #expect(summary["events_with_findings"] == 1)
                #expect(summary["seen"] == 1)
            }
            _ = try await collector.post("[\(event("C", name: "byu"))]")
            #expect(try await Self.summary(collector)["unplanned"] == 1)
            _ = try await collector.send("POST", "/api/reset")
            let summary = try await Self.summary(collector)
            #expect(summary["events"] == 0)
            #expect(summary["unplanned"] == 0)
        }
    }

    @Test("counts each event once under concurrent queries")
    func concurrent() async throws {
        try await withCollector(Self.configuration) { collector in
            let events = (0..<600).map { event("E\($0)", name: "login") }.joined(separator: ",")
            _ = try await collector.post("[\(events)]")
            let counts = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.summary(collector)["events"] } }
                return try await group.reduce(into: [Int?]()) { $0.append($1) }
            }
            #expect(counts == Array(repeating: 600, count: 8))
        }
    }

    @Test("has the findings of one event with the plan's requirement")
    func oneEvent() async throws {
        try await withCollector(Self.configuration) { collector in
            _ = try await collector.post("[\(event("A", name: "buy"))]")
            let object = try await collector.get("/api/plan/events/1").object()
            let findings = try #require(object["findings"] as? [[String: Any]])
            #expect(findings.map { $0["code"] as? String } == ["plan_missing_attribute"])
            #expect((findings.first?["planned"] as? [String: Any])?["requirement"] as? String == "a number")
            #expect(try await collector.get("/api/plan/events/2").status == 404)
            #expect(try await collector.get("/api/plan/unknown").status == 404)
        }
    }

    @Test("is described by the OpenAPI document, member by member")
    func described() async throws {
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(QueryAPI.description)) as? [String: Any]
        )
        let components = document["components"] as? [String: [String: [String: Any]]] ?? [:]
        func properties(_ name: String) -> Set<String> {
            Set((components["schemas"]?[name]?["properties"] as? [String: Any] ?? [:]).keys)
        }
        try await withCollector(Self.configuration) { collector in
            _ = try await collector.post("[\(event("A", name: "buy"))]")
            let object = try await collector.get("/api/plan").object()
            #expect(Set(object.keys) == properties("PlanComparison"))
            let events = try #require(object["events"] as? [[String: Any]])
            for event in events { #expect(Set(event.keys) == properties("PlanEvent")) }
            let fields = try #require(events.first?["attributes"] as? [String: Any])
            #expect(Set(fields.keys) == properties("PlanFields"))
            let findings = try #require(events.first?["findings"] as? [[String: Any]])
            for finding in findings { #expect(Set(finding.keys) == properties("PlanFinding")) }
            let planned = try #require(findings.first?["planned"] as? [String: Any])
            #expect(Set(planned.keys) == properties("PlanRequirement"))
            let one = try await collector.get("/api/plan/events/1").object()
            #expect(Set(one.keys) == properties("PlanFindings"))
        }
    }
}
#endif
