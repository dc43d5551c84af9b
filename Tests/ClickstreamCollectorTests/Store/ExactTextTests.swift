#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB
import Testing

@testable import ClickstreamCollector

/// Texts that continue after U+0000, where texts of C end.
@Suite("Texts with U+0000", .timeLimit(.minutes(10)))
struct ExactTextTests {
    private static let targets: [(String, Int)] = [
        ("/api/audit?partition=p", 1), ("/api/audit?partition=p%00q", 1), ("/api/audit?partition=p%00", 0),
        ("/api/audit?activity=shop", 2), ("/api/audit?activity=shop%00x", 0), ("/api/audit?event=write%00x", 0),
        ("/api/audit?activity=shop&partition=p%00x", 0),
        ("/api/audit?table=product", 2), ("/api/audit?table=product%00x", 0),
        ("/api/audit?table=product&key=7", 2), ("/api/audit?table=product&key=7%00x", 0),
        ("/api/audit?key=7", 2), ("/api/audit?key=7%00x", 0), ("/api/audit?type=product", 2),
        ("/api/audit?type=product%00x", 0),
        ("/api/captured?name=click", 1), ("/api/captured?name=click%00x", 0), ("/api/captured?code=x%00y", 0),
        ("/api/events?name=a", 1), ("/api/events?name=a%00b", 0), ("/api/events?session=s%00t", 0),
        ("/api/events?user=unique-1%00t", 0), ("/api/events?code=etl_stale%00", 0),
    ]

    @Test("are compared as a whole in all filters")
    func filters() async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A", name: "a", session: "s"))]")
            _ = try await collector.post("[\(click(1))]", "/pulse")
            for (number, partition) in ["p", "p%00q"].enumerated() {
                let body = "[\(auditEvent(number, "write", data: insertion(7)))]"
                _ = try await collector.post(body, "/audit?partition=\(partition)")
            }
            for (target, count) in Self.targets {
                let events = try await collector.get(target).object()["events"] as? [Any]
                #expect(events?.count == count, "\(target)")
            }
        }
    }

    @Test("are found and returned as a whole")
    func values() async throws {
        try await withStore { store in
            for id in ["r", "r\0", "r\0s"] {
                var envelope = Envelope.post(Array("[\(event(id == "r" ? "A" : "B"))]".utf8), id: id)
                envelope.appID = "app of \(id)"
                envelope.userAgent = "agent of \(id)"
                try await store.append([UploadDecoder().decode(envelope)])
                let request = try await store.request(id)
                #expect(request?.id == id && request?.appID == envelope.appID, "\(id)")
                #expect(request?.userAgent == envelope.userAgent)
                #expect(try await store.requestWithBody(id)?.request.id == id)
            }
            #expect(try await store.request("r\0t") == nil)
            let listed = try await store.requests(after: nil, limit: 10).requests.map(\.id)
            #expect(listed == ["r", "r\0", "r\0s"])
            let newest = try await store.newest(EventFilter(), limit: 10, bytes: 100_000, EventTexts())
            // The third event is a duplicate.
            #expect(newest.events.map { $0.1.id } == ["r\0", "r"])
        }
    }

    @Test("are counted as a whole in the summary of audit events")
    func summary() async throws {
        try await withStore { store in
            let body = Array("[\(auditEvent(1, "write", data: insertion(7)))]".utf8)
            try await store.append([UploadDecoder().decode(.post(body, .audit))])
            try await store.write { try $0.execute(sql: "UPDATE audit_events SET activity = CAST(x'610062' AS TEXT)") }
            #expect(try await store.auditSummary().activities.map(\.name) == ["a\0b"])
        }
    }
}
#endif
