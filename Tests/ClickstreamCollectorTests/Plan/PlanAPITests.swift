#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Dispatch
import Foundation
import Testing

@testable import ClickstreamCollector
@testable import ClickstreamPlan

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
                #expect(summary["events_with_errors"] == 1)
                #expect(summary["seen"] == 1)
            }
            _ = try await collector.post("[\(event("C", name: "byu"))]")
            let warned = try await Self.summary(collector)
            #expect(warned["unplanned"] == 1)
            #expect(warned["events_with_findings"] == 2)
            #expect(warned["events_with_errors"] == 1)
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

    /// Ids of the events that match a query.
    private static func events(_ collector: Collector, _ query: String) async throws -> [String] {
        let object = try await collector.get("/api/events?\(query)").object()
        let elements = try #require(object["events"] as? [[String: Any]])
        return elements.compactMap { ($0["event"] as? [String: Any])?["event_id"] as? String }
    }

    /// A good event, one with an error by the plan, one with a warning.
    private static let judged =
        "[\(event("A", name: "buy", attributes: #""price":1"#)),\(event("B", name: "buy")),\(event("C", name: "byu"))]"

    @Test("gives each event the plan's verdict: findings, status, filters, and numbers")
    func verdicts() async throws {
        try await withCollector(Self.configuration) { collector in
            #expect(try await collector.post(Self.judged).status == 200)
            #expect(try await Self.events(collector, "status=bad") == ["B"])
            #expect(try await Self.events(collector, "status=good") == ["A", "C"])
            #expect(try await Self.events(collector, "code=plan_missing_attribute") == ["B"])
            #expect(try await Self.events(collector, "code=plan_unplanned_event") == ["C"])
            let page = try await collector.events()
            let codes = page.events.map { $0.violations.map(\.code) }
            #expect(codes == [[], ["plan_missing_attribute"], ["plan_unplanned_event"]])
            #expect(page.events.last?.violations.map(\.severity) == [.warning])
            let summary = try await collector.summary()
            #expect(summary.events == 3 && summary.goodEvents == 2 && summary.badEvents == 1)
            #expect(try await collector.requests().requests.map(\.badEvents) == [1])
            #expect(try await collector.get("/micro/all").object()["bad"] as? Int == 1)
        }
    }

    @Test("judges the events of a store again if it is opened with another plan, or without one")
    func otherPlan() async throws {
        try await withFolder { folder in
            var configuration = Self.configuration
            configuration.storePath = folder + "/store.sqlite"
            try await withCollector(configuration) { collector in
                _ = try await collector.post("[{}]")
                _ = try await collector.post(Self.judged)
                // Duplicates have no row.
                _ = try await collector.post(Self.judged)
            }
            var strict = Self.plan
            strict.unplanned = .error
            strict.events[0].fields = PlannedFields()
            let plans: [(TrackingPlan?, bad: [String], code: [String])] = [
                (Self.plan, ["B"], ["B"]), (strict, ["C"], []), (nil, [], []), (Self.plan, ["B"], ["B"]),
            ]
            for (plan, bad, code) in plans {
                configuration.plan = plan
                try await withCollector(configuration) { collector in
                    #expect(try await Self.events(collector, "status=bad") == bad)
                    #expect(try await Self.events(collector, "code=plan_missing_attribute") == code)
                    let summary = try await collector.summary()
                    // The event without anything breaks other rules.
                    #expect(summary.events == 4 && summary.badEvents == bad.count + 1)
                    #expect(try await collector.requests().requests.map(\.badEvents) == [1, bad.count, 0])
                }
            }
        }
    }

    @Test("judges the events of a store again that another process added by another plan")
    func otherProcess() async throws {
        var strict = Self.plan
        strict.unplanned = .error
        for (first, second, bad) in [(Self.plan, nil, 0), (nil, Self.plan, 1), (Self.plan, strict, 2)]
            as [(TrackingPlan?, TrackingPlan?, Int)]
        {
            try await withFolder { folder in
                let path = folder + "/store.sqlite"
                let decoders = [first, second].map { UploadDecoder(plan: $0.map { PlanJudge($0) }) }
                let stores = try decoders.map { try Store(path: path, decoder: $0) }
                for (index, body) in [Self.judged, "[\(event("D", name: "buy", attributes: #""price":1"#))]"]
                    .enumerated()
                {
                    let upload = decoders[index].decode(.post(Array(body.utf8), id: "\(index)"))
                    try await stores[index].append([upload])
                }
                for store in stores { try store.close() }
                for _ in 0..<2 {
                    let store = try Store(path: path, decoder: decoders[1])
                    #expect(try await store.summary().badEvents == bad)
                    try store.close()
                }
            }
        }
    }

    @Test("lists of an upload's findings as many as of the rules', and then one of each event")
    func listed() async throws {
        let attributes = (0..<100).map { PlannedAttribute("a\($0)", .string, isRequired: true) }
        let plan = TrackingPlan(events: [PlannedEvent("many", fields: PlannedFields(attributes))])
        let decoder = UploadDecoder(plan: PlanJudge(plan))
        let body = "[\((0..<210).map { event("E\($0)", name: "many") }.joined(separator: ","))]"
        let events = decoder.decode(.post(Array(body.utf8))).content.events
        #expect(events.prefix(200).allSatisfy { $0.findings.count == 100 && $0.unlisted == 0 && $0.isBad })
        #expect(events.suffix(10).allSatisfy { $0.findings.count == 1 && $0.unlisted == 99 && $0.isBad })
    }

    @Test("has the same verdict on each event of an upload, however many are compared with a pattern")
    func patterns() throws {
        let attributes = [PlannedAttribute("a", .string, rules: [PatternRule(try PlanPattern("a{80}c"))])]
        let plan = TrackingPlan(events: [PlannedEvent("buy", fields: PlannedFields(attributes))])
        let decoder = UploadDecoder(plan: PlanJudge(plan))
        let text = String(repeating: "a", count: 200) + "c"
        let body = (0..<400).map { event("E\($0)", name: "buy", attributes: #""a":"\#(text)""#) }.joined(separator: ",")
        let events = decoder.decode(.post(Array("[\(body)]".utf8))).content.events
        #expect(events.count == 400 && events.allSatisfy { $0.findings.isEmpty && !$0.isBad })
    }

    private static let limits = {
        var limits = Limits()
        // Differs from the delays of all other timers.
        limits.planSeconds = 7
        return limits
    }()

    /// Gives `body` a collector with one event, the thread of whose monitor is occupied until `body` signals the semaphore or ends.
    private static func withOccupiedMonitor(
        _ body: (Collector, VirtualTime, DispatchSemaphore) async throws -> Void
    ) async throws {
        let time = virtualTime()
        try await withCollector(configuration, limits: limits, time: time) { collector in
            _ = try await collector.post("[\(event("A", name: "buy"))]")
            let monitor = try #require(collector.plan)
            let release = DispatchSemaphore(value: 0)
            monitor.executor.queue.async { release.wait() }
            defer { release.signal() }
            try await body(collector, time, release)
        }
    }

    @Test("answers other requests while events are compared, and no query of the plan waits longer than its limit")
    func apart() async throws {
        try await Self.withOccupiedMonitor { collector, time, _ in
            let targets = ["/api/plan", "/api/plan/events/1", "/api/plan", "/api/plan/events/1", "/api/plan"]
            let waiting = targets.map { target in Task { try await collector.get(target) } }
            await time.timers(targets.count, after: 7_000)
            #expect(try await collector.get("/ping").status == 200)
            #expect(try await collector.post("[\(event("B", name: "buy"))]").status == 200)
            #expect(try await collector.get("/api/summary").object()["events"] as? Int == 2)
            await time.advance(milliseconds: 7_000)
            for task in waiting {
                let reply = try await task.value
                #expect(reply.status == 503)
                #expect(reply.headers["retry-after"] == "1")
            }
        }
    }

    @Test("compares all events after a query that was refused")
    func continued() async throws {
        try await Self.withOccupiedMonitor { collector, time, release in
            let refused = Task { try await collector.get("/api/plan") }
            await time.timers(after: 7_000)
            await time.advance(milliseconds: 7_000)
            let reply = try await refused.value
            #expect(reply.status == 503)
            release.signal()
            let events = try await Self.summary(collector)["events"]
            #expect(events == 1)
        }
    }

    @Test("does not delay the stop of the collector", .timeLimit(.minutes(10)))
    func stop() async throws {
        try await Self.withOccupiedMonitor { collector, time, _ in
            let query = Task { try await collector.get("/api/plan") }
            await time.timers(after: 7_000)
            await collector.stop()
            let reply = try await query.value
            #expect(reply.status == 503)
        }
    }

    @Test("compares at the stop what was not compared before, within a time")
    func atStop() async throws {
        try await withCollector(Self.configuration, time: virtualTime()) { collector in
            _ = try await collector.post("[\(event("A", name: "buy")),\(event("B", name: "login"))]")
            #expect(try await Self.summary(collector)["events"] == 2)
            _ = try await collector.post("[\(event("C", name: "buy"))]")
            await collector.endServing()
            let none = try #require(await collector.planComparison(within: 0))
            #expect(!none.isComplete)
            let all = try #require(await collector.planComparison(within: 60_000))
            #expect(all.coverage?.total == 3)
            #expect(all.coverage?.totalWithErrors == 2)
            #expect(all.isComplete)
        }
    }

    @Test("waits at the stop no longer than its time for an event that takes long", .timeLimit(.minutes(10)))
    func longEvent() async throws {
        try await Self.withOccupiedMonitor { collector, time, _ in
            async let comparison = collector.planComparison(within: 3_000)
            await time.timers(after: 3_500)
            await time.advance(milliseconds: 3_500)
            let found = try #require(await comparison)
            #expect(found.coverage == nil)
            #expect(!found.isComplete)
        }
    }

    @Test("compares events while they arrive, until the collector stops", .timeLimit(.minutes(10)))
    func follows() async throws {
        try await withCollector(Self.configuration, time: virtualTime()) { collector in
            _ = try await collector.post("[\(event("A", name: "buy"))]")
            await collector.endServing()
            await collector.planFollowing?.value
            let monitor = try #require(collector.plan)
            // Reads nothing itself.
            let comparison = try await monitor.comparison(until: { true })
            #expect(comparison.coverage?.total == 1)
        }
    }

    @Test("reads of an event what ingestion reads: at most 4 096 attributes")
    func bounds() async throws {
        try await withCollector(Self.configuration) { collector in
            let attributes = (0..<10_000).map { #""a\#($0)":1"# }.joined(separator: ",")
            _ = try await collector.post("[\(event("A", name: "login", attributes: attributes))]")
            let object = try await collector.get("/api/plan").object()
            let events = try #require(object["events"] as? [[String: Any]])
            let login = try #require(events.first { $0["name"] as? String == "login" })
            let fields = try #require(login["attributes"] as? [String: Any])
            #expect((fields["listed"] as? [Any])?.count == 200)
            #expect((fields["unlisted"] as? Int) ?? .max < 4_096)
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
            JSONSerialization.jsonObject(with: Data(OpenAPIDescription.served)) as? [String: Any]
        )
        let components = document["components"] as? [String: [String: [String: Any]]] ?? [:]
        func properties(_ name: String) -> Set<String> {
            Set((components["schemas"]?[name]?["properties"] as? [String: Any] ?? [:]).keys)
        }
        try await withCollector(Self.configuration) { collector in
            _ = try await collector.post("[\(event("A", name: "buy"))]")
            let object = try await collector.get("/api/plan").object()
            #expect(Set(object.keys) == properties("PlanComparison"))
            let coverage = try #require(object["coverage"] as? [String: [String: Any]])
            #expect(Set(try #require(coverage["attributes"]).keys) == properties("PlanShare"))
            #expect(Set(try #require(coverage["events"]).keys) == properties("PlanShare").union(["never_seen"]))
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
