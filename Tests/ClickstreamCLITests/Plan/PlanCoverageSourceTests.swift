#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamPlan
import Testing

@testable import clickstream_cli

@Suite("plan coverage of a collector and of a store")
struct PlanCoverageSourceTests {
    @Test("has the JSON of /api/plan, whichever way the events are read")
    func sources() async throws {
        try await Workplace.use { workplace in
            let plan = try workplace.write(PlanCoverageCommandTests.plan, to: "plan.yaml")
            let path = workplace.path("store.sqlite")
            let tracked = CollectorConfiguration(
                storePath: path,
                plan: try TrackingPlan.read(Array(PlanCoverageCommandTests.plan.utf8), file: "plan.yaml")
            )
            try await Collector.use(tracked) { collector in
                let none = try await workplace.run("plan", "coverage", "--url", collector.baseURL)
                #expect(none.status == 0)
                #expect(none.errors.hasPrefix("no clickstream events received by the collector at "))
                let events = [
                    WireEvents.event("buy", id: "1"), WireEvents.event("login", id: "2", attributes: "\"value\": 1"),
                    WireEvents.event("sell", id: "3"), WireEvents.event("buy", id: "4", attributes: "\"price\": 2.5"),
                ]
                #expect(try await WireEvents.send(events, to: collector.endpoint) == 200)
                let own = try await workplace.run("plan", "coverage", "--url", collector.baseURL)
                #expect((own.status, own.errors) == (0, ""))
                let value = try JSONReader.parse(Array(own.output.utf8))
                #expect(value["coverage"]?["events"]?["never_seen"]?.array?.compactMap(\.string) == ["view"])
                for source in [["--url", collector.baseURL], ["--store", path]] {
                    let run = try await workplace.run(["plan", "coverage", plan] + source)
                    #expect(run == own)
                }
                let human = try await workplace.run(
                    ["plan", "coverage", "--url", collector.baseURL, "--format", "human", "--require", "100%"]
                )
                #expect(human.status == 1)
                #expect(human.lines.last == "2 of 3 planned events seen (66.6 %)")
                #expect(human.lines.dropFirst().first?.split(separator: " ") == ["view", "0", "never", "seen"])
            }
        }
    }

    @Test("fails for a missing store and without a collector")
    func missing() async throws {
        try await Workplace.use { workplace in
            let plan = try workplace.write(PlanCoverageCommandTests.plan, to: "plan.yaml")
            let store = try await workplace.run("plan", "coverage", plan, "--store", workplace.path("none.sqlite"))
            #expect((store.status, store.output) == (66, ""))
            let collector = try await workplace.run("plan", "coverage", plan, "--url", "http://127.0.0.1:1")
            #expect((collector.status, collector.output) == (69, ""))
        }
    }
}
#endif
