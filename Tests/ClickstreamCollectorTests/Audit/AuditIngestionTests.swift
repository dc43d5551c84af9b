#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Audit events", .timeLimit(.minutes(10)))
struct AuditIngestionTests {
    private static func names(_ path: String, _ collector: Collector) async throws -> [String] {
        let rows = try await collector.get(path).object()["events"] as? [[String: Any]]
        return try #require(rows).map { row in
            let event = row["event"] as? [String: Any]
            return "\(event?["_id"] as? String ?? "-")".suffix(2) + " \(row["name"] as? String ?? "-")"
        }
    }

    @Test("are stored, judged and counted apart from the other formats, plain and compressed")
    func stored() async throws {
        try await withCollector { collector in
            let events = [auditEvent(1, "read", data: readPayload), auditEvent(2, "write", data: writePayload)]
            let path = "/audit?partition=audit-1"
            #expect(try await collector.post("[\(events.joined(separator: ","))]", path).status == 200)
            let again = Array("[\(events[1]),\(auditEvent(3, "custom", data: "é", more: #","n":1"#))]".utf8)
            let encoded = ["Content-Encoding": "gzip"]
            let body = Gzip.deflate(again)
            #expect(try await collector.send("POST", path, headers: encoded, body: body).status == 200)
            let counts = try await collector.auditSummary().counts
            #expect(counts == CapturedCounts(requests: 2, events: 3, badEvents: 1, duplicates: 1))
            #expect(try await collector.summary() == CollectorSummary())
            #expect(try await collector.captured().events == [])
            let page = try await collector.captured(CapturedFilter(form: .audit))
            #expect(page.events.map(\.event.json) == events + [auditEvent(3, "custom", data: "é", more: #","n":1"#)])
            #expect(page.events.map(\.partition) == ["audit-1", "audit-1", "audit-1"])
            #expect(page.events.map { $0.event.violations.map(\.code) } == [[], [], ["audit_wrong_type"]])
            for list in ["captured", "events"] { #expect(try await Self.names("/api/\(list)", collector) == []) }
        }
    }

    @Test("are duplicates if they have the same id in any case, whatever else they contain")
    func duplicates() async throws {
        try await withCollector { collector in
            let first = auditEvent(171, "read", data: readPayload)
            let later = first.replacing("10:11:12", with: "10:11:13").replacing("00ab", with: "00AB")
            _ = try await collector.post("[\(first),\(later)]", "/audit")
            _ = try await collector.post("[\(auditEvent(172, "read", data: readPayload)),\(first)]", "/audit")
            let counts = try await collector.auditSummary().counts
            #expect(counts == CapturedCounts(requests: 2, events: 2, duplicates: 2))
        }
    }

    @Test(
        "are found by what they are about",
        arguments: [
            ("", ["01 read", "02 write", "03 write", "04 pressed", "05 read"]),
            ("activity=shop", ["01 read", "05 read"]),
            ("activity=none", []), ("event=write", ["02 write", "03 write"]),
            ("event=read&activity=shop", ["01 read", "05 read"]),
            ("name=pressed", ["04 pressed"]), ("type=pressed", ["04 pressed"]), ("type=read", ["01 read", "05 read"]),
            ("type=Person", ["01 read", "02 write"]), ("table=Person", ["01 read", "02 write"]),
            ("table=product", ["03 write", "05 read"]), ("table=product&key=7", ["03 write", "05 read"]),
            ("table=product&key=8", ["05 read"]), ("table=Person&key=7", []), ("key=7", ["03 write", "05 read"]),
            ("table=product&key=7&event=write", ["03 write"]), ("partition=audit-2", ["04 pressed", "05 read"]),
            ("status=bad", ["05 read"]), ("code=audit_row", ["05 read"]),
            ("limit=2&cursor=2", ["03 write", "04 pressed"]),
            ("table=product&key=7&limit=1", ["03 write"]), ("table=product&key=7&limit=1&cursor=4", ["05 read"]),
            ("since=2100-01-01", []), ("until=2000-01-01", []), ("until=2100-01-01&status=bad", ["05 read"]),
        ] as [(String, [String])]
    )
    func filters(_ query: String, _ wanted: [String]) async throws {
        try await withCollector { collector in
            let first = [
                auditEvent(1, "read", data: readPayload), auditEvent(2, "write", activity: "edit", data: writePayload),
                auditEvent(3, "write", activity: "edit", data: insertion(7)),
            ]
            let read = #"{"type":"product","value":[{"id":7},{"id":8},[7]]}"#
            let second = [
                auditEvent(4, "pressed", activity: "edit", data: nil),
                auditEvent(5, "read", data: read, more: #","n":7"#),
            ]
            _ = try await collector.post("[\(first.joined(separator: ","))]", "/audit?partition=audit-1")
            _ = try await collector.post("[\(second.joined(separator: ","))]", "/audit?partition=audit-2")
            let names = try await Self.names("/api/audit?\(query)", collector)
            #expect(names == wanted)
        }
    }

    @Test("have the documented members in replies, and a summary by activity, type and table")
    func members() async throws {
        try await withCollector { collector in
            let text = "[\(auditEvent(1, "write", data: writePayload)),\(auditEvent(2, "read", data: readPayload))]"
            let id = try await collector.post(text, "/audit").headers["x-request-id"]
            let row = try #require(
                try await (collector.get("/api/audit?limit=1").object()["events"] as? [[String: Any]])?.first
            )
            #expect(row["form"] as? String == "audit" && row["name"] as? String == "write")
            #expect(row["partition"] is NSNull && row["header"] == nil)
            #expect(row["request_id"] as? String == id)
            let sequence = try #require(row["seq"] as? Int)
            let one = try await collector.get("/api/audit/\(sequence)").object()
            #expect(one as NSDictionary == row as NSDictionary)
            #expect(try await collector.get("/api/captured/\(sequence)").status == 404)
            #expect(try await collector.get("/api/audit/99").status == 404)
            let summary = try await collector.get("/api/audit/summary").object()
            #expect(
                summary as NSDictionary == [
                    "requests": 1, "bad_requests": 0, "events": 2, "good_events": 2, "bad_events": 0, "duplicates": 0,
                    "activities": [["name": "shop", "events": 2]],
                    "types": [["name": "read", "events": 1], ["name": "write", "events": 1]],
                    "tables": [["name": "Person", "events": 2]],
                ] as NSDictionary
            )
            let requests = try await collector.get("/api/audit/requests").object()["requests"] as? [[String: Any]]
            #expect(requests?.map { $0["rid"] as? String } == [id])
            let captured = try await collector.get("/api/captured/requests").object()["requests"] as? [Any]
            #expect(captured?.isEmpty == true)
        }
    }

    @Test(
        "are refused by a query that is no query of theirs",
        arguments: ["form=audit", "activity=a&since=yesterday", "until=tomorrow", "limit=0", "session=s", "app=shop"]
    )
    func invalid(_ query: String) async throws {
        try await withCollector { collector in
            let status = try await collector.get("/api/audit?\(query)").status
            #expect(status == 400)
            let captured = try await collector.get("/api/captured?form=audit").status
            #expect(captured == 400)
        }
    }

    @Test("are sent by the stream in one order with the others, and selected by their form")
    func stream() async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(click(1))]", "/pulse")
            _ = try await collector.post("[\(auditEvent(1, "read", data: readPayload))]", "/audit?partition=p")
            for (query, wanted) in [("", ["1 captured", "3 audit"]), ("&form=audit", ["3 audit"])] {
                let reader = try await StreamReader(collector.port, "?last_event_id=0" + query)
                let frames = try await reader.next(1 + wanted.count).dropFirst()
                #expect(frames.map { "\($0.id ?? "") \($0.event ?? "")" } == wanted)
                let row = try await (collector.get("/api/audit").object()["events"] as? [NSDictionary])?.first
                let last = try frames.last?.object()
                #expect(last.map { $0 as NSDictionary } == row)
                reader.close()
            }
        }
    }

    @Test("are affected by faults, counted in the metrics, and removed by a reset")
    func shared() async throws {
        try await withCollector { collector in
            collector.inject([CollectorFault(.status(503), times: 1)])
            let text = "[\(auditEvent(1, "write", data: insertion(7)))]"
            #expect(try await collector.post(text, "/audit").status == 503)
            #expect(try await collector.post(text, "/audit").status == 200)
            let metrics = String(decoding: try await collector.get("/metrics").body, as: UTF8.self)
            #expect(metrics.contains(#"captured_events_total{form="audit",status="good"} 1"#))
            try await collector.reset()
            #expect(try await collector.auditSummary().counts == CapturedCounts())
            #expect(try await Self.names("/api/audit?table=product&key=7", collector) == [])
            #expect(try await collector.post(text, "/audit").status == 200)
            #expect(try await Self.names("/api/audit?table=product&key=7", collector) == ["01 write"])
        }
    }

    @Test("are added to a store of layout 5, which keeps its captured events")
    func layout5() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path)
            try await withCollector(configuration) { collector in
                _ = try await collector.post("[\(event("A"))]")
                _ = try await collector.post("[\(click(1))]", "/pulse")
            }
            try withDatabase(at: path) { try OldStore.downgrade($0, to: 5) }
            try await withCollector(configuration) { collector in
                #expect(try await collector.events().events.map(\.json) == [event("A")])
                #expect(try await collector.captured().events.map(\.event.json) == [click(1)])
                _ = try await collector.post("[\(auditEvent(1, "write", data: insertion(7)))]", "/audit")
                #expect(try await Self.names("/api/audit?table=product&key=7", collector) == ["01 write"])
                #expect(try await collector.auditSummary().counts == CapturedCounts(requests: 1, events: 1))
            }
            // A store of the present layout is opened without a migration.
            try await withCollector(configuration) { collector in
                let names = try await Self.names("/api/audit", collector)
                #expect(names == ["01 write"])
            }
        }
    }

    @Test("lose the index of their rows with the request that retention removes")
    func eviction() async throws {
        let time = virtualTime()
        try await withCollector(CollectorConfiguration(maxAge: .seconds(3_600)), time: time) { collector in
            _ = try await collector.post("[\(auditEvent(1, "write", data: insertion(7)))]", "/audit")
            await time.advance(milliseconds: 7_200_000)
            _ = try await collector.post("[\(auditEvent(2, "write", data: insertion(7)))]", "/audit")
            for await _ in collector.changes() {
                if try await collector.auditSummary().counts.requests == 1 { break }
            }
            #expect(try await Self.names("/api/audit?table=product&key=7", collector) == ["02 write"])
            #expect(try await collector.auditSummary().tables.map(\.events) == [1])
        }
    }
}
#endif
