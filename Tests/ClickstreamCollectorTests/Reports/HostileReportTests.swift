#if Collector
import ClickstreamCore
import Testing

@testable import ClickstreamCollector

/// Events and queries that are made to take much memory or time.
@Suite("Reports on hostile events", .timeLimit(.minutes(10)))
struct HostileReportTests {
    /// Kinds of values of `attributes.x`.
    enum Values: String, Sendable, CaseIterable {
        case longTexts, longNumbers, nestedArrays, duplicates, escapes, manyMembers

        /// JSON text of the members of the attributes of an event.
        func members(_ number: Int) -> String {
            switch self {
            case .longTexts: "\"x\":\"\(String(repeating: "a", count: 1_048_576))\(number)\""
            case .longNumbers: "\"x\":-\(number + 1)\(String(repeating: "0", count: 300_000))1e-77"
            case .nestedArrays:
                "\"x\":\(String(repeating: "[", count: 100))\(number)\(String(repeating: "]", count: 100))"
            case .duplicates: "\"x\":1\(String(repeating: ",\"x\":1", count: 20_000)),\"x\":\(number)"
            case .escapes: #""x":"\#(String(repeating: #"\u0001"#, count: 100_000))\#(number)""#
            case .manyMembers:
                "\"x\":{\((0..<20_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")),\"n\":\(number)}"
            }
        }
    }

    @Test("count each value, and show its beginning", arguments: Values.allCases)
    func values(values: Values) async throws {
        try await withStore { store in
            let events = (0..<20).map { event("\($0)", attributes: values.members($0)) }
            try await store.append([UploadDecoder().decode(.post(Array("[\(events.joined(separator: ","))]".utf8)))])
            let count = try CountQuery(EventFilter(), by: "attributes.x", limit: nil)
            let report = try await count.report(on: store)
            #expect(report.values.map(\.events) == Array(repeating: 1, count: 20))
            #expect(report.values.allSatisfy { !$0.value.isNull })
            // Each escape of an excerpt is written again.
            #expect(report.json(by: "attributes.x").count < 20 * 1_300)
            let funnel = try FunnelQuery(
                EventFilter(),
                steps: ["button_click:attributes.x != 7"],
                within: nil,
                by: "attributes.x",
                per: "session",
                limit: nil
            )
            let found = try await funnel.report(on: store)
            #expect(found.steps.map(\.users) == [1])
            #expect(found.json.count < 2 * 1_300)
        }
    }

    @Test("have no value for an object with more than 65 536 members of the same name")
    func duplicates() async throws {
        try await withStore { store in
            let many = "\"x\":1" + String(repeating: ",\"x\":1", count: 65_536)
            try await store.append([UploadDecoder().decode(.post(Array("[\(event("A", attributes: many))]".utf8)))])
            let report = try await CountQuery(EventFilter(), by: "attributes.x", limit: nil).report(on: store)
            #expect(report.values == [CountReport.Value(value: JSONValue(.null), events: 1, users: 1)])
        }
    }

    @Test("have no events of a request whose values are nested too deeply")
    func depth() async throws {
        try await withStore { store in
            let nested = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
            let body = "[\(event("A", attributes: "\"x\":\(nested)"))]"
            try await store.append([UploadDecoder().decode(.post(Array(body.utf8)))])
            let report = try await CountQuery(EventFilter(), by: "attributes.x", limit: nil).report(on: store)
            #expect(report.events == 0)
            #expect(try await store.summary().badRequests == 1)
        }
    }

    private static let long = String(repeating: "a", count: 20_000)

    @Test(
        "answer any query, and refuse it in a few words",
        arguments: [
            ("count?name=%00", 200), ("count?name=a%00b&user=%FF%FE%C0%80", 200), ("count?name=%", 200),
            ("count?%00=1", 400),
            ("count?name=\(long)", 200), ("count?\(long)=1", 400), ("count?by=attributes.%00", 200),
            ("count?by=\(long)", 400), ("count?name=a&name=b&name=\(long)", 200), ("count?since=\(long)", 400),
            ("count?since=-9223372036854775808&until=9223372036854775807", 200), ("count?limit=\(long)", 400),
            ("count?limit=9223372036854775807", 200), ("count?limit=-9223372036854775808", 400),
            ("funnel?step=a&step=b&within=9223372036854775807", 200), ("funnel?step=a&within=9223372036854775808", 400),
            ("funnel?step=\(long)&by=attributes.x", 200), ("funnel?step=\(long):", 400),
            ("funnel?\(String(repeating: "step=a&", count: 4_000))", 400),
            ("funnel?step=a:\(String(repeating: "x.", count: 10_000))x%20!%3D%201", 200),
            ("funnel?step=a:\(String(repeating: "*.", count: 10_000))x%20!%3D%201", 200),
            ("funnel?step=a:x%3D%3D\(String(repeating: "%5B", count: 8_000))", 400),
            ("funnel?step=a:x%5B\(long)%5D%3D%3D1", 400), ("funnel?step=a:x%5B99999999999999999999%5D%3D%3D1", 400),
            ("funnel?step=a:\(long)", 400), ("funnel?step=a:x%20%3D~%20%22(a*)*b%22", 400),
        ] as [(String, Int)]
    )
    func queries(target: String, status: Int) async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A", name: "a", attributes: "\"x\":1"))]")
            let response = try await collector.get("/api/report/\(target)")
            #expect(response.status == status, "\(response.text.prefix(200))")
            // A name is shown as it was given.
            #expect(response.body.count < (status == 200 ? 45_000 : 3_000))
        }
    }
}
#endif
