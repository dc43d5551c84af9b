#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Captured events", .timeLimit(.minutes(10)))
struct CapturedIngestionTests {
    private func summary(_ collector: Collector) async throws -> [CapturedFormat: CapturedCounts] {
        try await collector.capturedSummary().filter { $0.value != CapturedCounts() }
    }

    @Test("are stored, judged and counted apart from clickstream events")
    func stored() async throws {
        try await withCollector { collector in
            let first = try await collector.post("[\(click(1)),\(click(2, value: "é\\n"))]", "/pulse")
            #expect(first.status == 200 && first.body.isEmpty)
            #expect(try await collector.post("[\(click(1)),\(click(3, at: 1))]", "/pulse").status == 200)
            #expect(try await collector.post(batch([swipe(1), swipe(2)]), CapturedFormat.batched.path).status == 200)
            #expect(
                try await summary(collector)
                    == [
                        .pulse: CapturedCounts(requests: 2, events: 3, badEvents: 1, duplicates: 1),
                        .batched: CapturedCounts(requests: 1, events: 2),
                    ]
            )
            #expect(try await collector.summary() == CollectorSummary())
            #expect(try await collector.get("/api/summary").object()["requests"] as? Int == 0)
            for path in ["events", "requests", "sessions"] {
                #expect(try await collector.get("/api/\(path)").object()[path] as? [String] == [])
            }
            let page = try await collector.captured()
            #expect(page.events.map(\.name) == ["click", "click", "click", "drag", "drag"])
            #expect(
                page.events.map(\.event.json) == [
                    click(1), click(2, value: "é\\n"), click(3, at: 1), swipe(1), swipe(2),
                ]
            )
            #expect(page.events.map(\.header) == [nil, nil, nil, header, header])
            #expect(page.events.map(\.event.status) == [.good, .good, .bad, .good, .good])
            #expect(page.events[2].event.violations.map(\.code) == ["pulse_future"])
            #expect(page.next == nil)
        }
    }

    @Test("have the documented members in replies")
    func members() async throws {
        try await withCollector { collector in
            let answer = try await collector.post(batch([swipe(1, session: 0)]), CapturedFormat.batched.path)
            let id = answer.headers["x-request-id"]
            let row = try #require(
                try await (collector.get("/api/captured").object()["events"] as? [[String: Any]])?.first
            )
            #expect(row["form"] as? String == CapturedFormat.batched.rawValue)
            #expect(row["name"] as? String == "drag")
            #expect((row["event"] as? [String: Any])?["ea"] as? Int == 9)
            #expect((row["header"] as? [String: Any])?["pid"] as? Int == 8)
            #expect((row["header"] as? [String: Any])?["pl"] == nil)
            #expect(row["status"] as? String == "bad")
            #expect(row["request_id"] as? String == id)
            let violations = try #require(row["violations"] as? [[String: Any]])
            #expect(violations.map { $0["code"] as? String } == ["\(CapturedFormat.batched)_out_of_range"])
            #expect(violations.map { $0["name"] as? String } == ["sn"])
            let one = try await collector.get("/api/captured/\(try #require(row["seq"] as? Int))").object()
            #expect(one as NSDictionary == row as NSDictionary)
            let counts =
                try await collector.get("/api/captured/summary").object()[CapturedFormat.batched.rawValue]
                as? [String: Int]
            #expect(
                counts
                    == [
                        "requests": 1, "bad_requests": 0, "events": 1, "good_events": 0, "bad_events": 1,
                        "duplicates": 0,
                    ]
            )
        }
    }

    @Test(
        "have a phrase in lists and alone, of a long event by its excerpt",
        arguments: [
            (.pulse, click(1), "", #"tap "Buy""#), (.pulse, "7", "", nil), (.batched, swipe(1), "", "drag left [root]"),
            (.audit, auditEvent(1, "write", data: insertion(7)), "", "product 7: inserted"),
            (.audit, auditEvent(1, "write", data: insertion(7)), "?event_bytes=40", "write"),
            (.clickstream, event("A", name: "_click", attributes: #""_element_value":"Buy""#), "", #"tap "Buy""#),
            (.clickstream, event("A"), "", nil),
        ] as [(CapturedFormat, String, String, String?)]
    )
    func phrase(_ form: CapturedFormat, _ event: String, _ query: String, _ phrase: String?) async throws {
        try await withCollector { collector in
            _ = try await collector.post(form.text([event]), form == .clickstream ? "/collect" : form.path)
            let path = "/api/\(form.list.rawValue)"
            let row = try #require(
                try await (collector.get(path + query).object()["events"] as? [[String: Any]])?.first
            )
            #expect(row["phrase"] as? String == phrase)
            let one = try await collector.get("\(path)/\(try #require(row["seq"] as? Int))\(query)").object()
            #expect(one as NSDictionary == row as NSDictionary)
        }
    }

    @Test(
        "are stored with a reason if their body cannot be read",
        arguments: [
            (.pulse, "", .empty), (.pulse, " \n", .empty), (.pulse, "[{]", .json), (.pulse, "hello", .json),
            (.pulse, "{}", .notAnArray), (.pulse, "W10=", .json), (.batched, "", .empty),
            (.batched, "[]", .notAnObject), (.batched, "7", .notAnObject), (.batched, "{", .json),
            (.batched, "{}x", .json), (.batched, #"{"pl":7}"#, .noEvents),
            (.batched, #"{"pl":[]}"#, .noEvents), (.batched, #"{"pid":8}"#, .noEvents),
            (.batched, #"{"pl":[{}],"pl":[{}]}"#, .noEvents), (.audit, "", .empty), (.audit, "{}", .notAnArray),
            (.audit, "[{]", .json),
        ] as [(CapturedFormat, String, ReceivedUpload.Flaw.Reason)]
    )
    func unreadable(_ form: CapturedFormat, _ body: String, _ reason: ReceivedUpload.Flaw.Reason) async throws {
        try await withCollector { collector in
            let response = try await collector.post(body, form.path)
            #expect(response.status == 200)
            #expect(try await summary(collector) == [form: CapturedCounts(requests: 1, badRequests: 1)])
            let id = try #require(response.headers["x-request-id"])
            let request = try await collector.get("/api/requests/\(id)").object()
            #expect(request["reason"] as? String == reason.rawValue)
            #expect(request["data"] as? String == body)
            #expect(request["path"] as? String == form.path)
            let path = "/api/\(form.list.rawValue)/requests"
            let list = try await collector.get(path).object()["requests"] as? [[String: Any]]
            #expect(list?.map { $0["rid"] as? String } == [id])
        }
    }

    @Test("are refused and limited like clickstream events, except for the app id", arguments: CapturedFormat.captured)
    func limits(_ form: CapturedFormat) async throws {
        let text = form.text([form.sample(1)])
        let requestsPath = "/api/\(form.list.rawValue)/requests"
        let configuration = CollectorConfiguration(appIDs: ["shop"], authCookie: "secret", bodyLimit: 4_096)
        let limits = Limits(inflatedBytes: 2_048)
        try await withCollector(configuration, limits: limits) { collector in
            let path = form.path
            let cookie = ["Cookie": "secret"]
            #expect(try await collector.post(text, path).status == 401)
            #expect(try await collector.post(text, path, headers: cookie).status == 200)
            #expect(try await collector.post(String(repeating: "x", count: 4_097), path, headers: cookie).status == 413)
            #expect(try await collector.get(path).status == 405)
            let encoded = ["Cookie": "secret", "Content-Encoding": "gzip"]
            func gzip(_ text: String) -> [UInt8] { Gzip.deflate(Array(text.utf8)) }
            let status = try await collector.send("POST", path, headers: encoded, body: gzip(text)).status
            #expect(status == 200)
            let long = gzip(String(repeating: " ", count: 2_049))
            let bomb = try await collector.send("POST", path, headers: encoded, body: long)
            #expect(bomb.status == 200)
            #expect(try await collector.send("POST", path, headers: encoded, body: Array(text.utf8)).status == 200)
            let headers = cookie.merging(["Content-Encoding": "br"]) { $1 }
            #expect(try await collector.post(text, path, headers: headers).status == 415)
            let requests = try await collector.get(requestsPath).object()["requests"] as? [[String: Any]]
            #expect(requests?.map { $0["reason"] as? String } == [nil, nil, "inflation_limit", "gzip"])
            #expect(
                try await summary(collector)
                    == [form: CapturedCounts(requests: 4, badRequests: 2, events: 1, duplicates: 1)]
            )
        }
    }

    @Test("are filtered by form, name, status, code and time, in pages")
    func filters() async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(click(1)),\(click(2, at: 1)),\(click(3))]", "/pulse")
            _ = try await collector.post(batch([swipe(1), swipe(2, own: #""ea":0"#)]), CapturedFormat.batched.path)
            func ids(_ query: String) async throws -> [String] {
                let rows = try await collector.get("/api/captured" + query).object()["events"] as? [[String: Any]]
                return try #require(rows).map { row in
                    let event = row["event"] as? [String: Any]
                    let id = event?["event_id"] as? String ?? event?["euid"] as? String ?? ""
                    return "\((row["form"] as? String ?? "").prefix(1))\(id.suffix(1))"
                }
            }
            #expect(try await ids("") == ["p1", "p2", "p3", "c1", "c2"])
            #expect(try await ids("?form=pulse") == ["p1", "p2", "p3"])
            #expect(try await ids("?form=\(CapturedFormat.batched)&name=app_start") == ["c2"])
            #expect(try await ids("?form=pulse&name=drag") == [])
            #expect(try await ids("?status=bad") == ["p2"])
            #expect(try await ids("?code=pulse_future") == ["p2"])
            #expect(try await ids("?since=\(FixedTime.start)").count == 5)
            #expect(try await ids("?since=\(FixedTime.start + 1)") == [])
            #expect(try await ids("?until=\(FixedTime.start)") == [])
            #expect(try await ids("?until=\(FixedTime.start + 1)&since=\(FixedTime.start)").count == 5)
            let page = try await collector.captured(CapturedFilter(limit: 2))
            #expect(page.events.count == 2)
            #expect(try await ids("?cursor=\(try #require(page.next))") == ["p3", "c1", "c2"])
        }
    }

    @Test(
        "have queries whose mistakes are explained",
        arguments: [
            (
                "?form=clickstream",
                "form must be \(String.list(CapturedFormat.ofCapture.map(\.rawValue), "or")), not 'clickstream'"
            ),
            ("?limit=0", "limit must be an integer from 1, not '0'"),
            (
                "?since=x",
                "since must be milliseconds since 1970 or an ISO 8601 date such as 2023-09-05T13:19:26Z, not 'x'"
            ),
            (
                "?user=1",
                "unknown parameter user; use form, name, status, code, since, until, limit, cursor, event_bytes"
            ),
        ]
    )
    func errors(_ query: String, _ text: String) async throws {
        try await withCollector { collector in
            let response = try await collector.get("/api/captured" + query)
            #expect(response.status == 400)
            #expect(try response.object() as? [String: String] == ["error": text])
            #expect(try await collector.get("/api/captured/9").status == 404)
            #expect(try await collector.get("/api/captured/x/y").status == 404)
            #expect(try await collector.send("POST", "/api/captured").status == 405)
        }
    }

    @Test("survive a restart, and are still recognized; a reset removes them")
    func restart() async throws {
        try await withFolder { folder in
            let configuration = CollectorConfiguration(storePath: folder + "/store.sqlite")
            try await withCollector(configuration) { collector in
                _ = try await collector.post("[\(click(1))]", "/pulse")
                _ = try await collector.post(batch([swipe(1)]), CapturedFormat.batched.path)
            }
            try await withCollector(configuration) { collector in
                _ = try await collector.post("[\(click(1)),\(click(2))]", "/pulse")
                #expect(
                    try await summary(collector)
                        == [
                            .pulse: CapturedCounts(requests: 2, events: 2, duplicates: 1),
                            .batched: CapturedCounts(requests: 1, events: 1),
                        ]
                )
                #expect(try await collector.captured().events.map(\.header) == [nil, header, nil])
                _ = try await collector.send("POST", "/api/reset")
                #expect(try await summary(collector) == [:])
                #expect(try await collector.captured() == CapturedPage(events: [], next: nil))
            }
        }
    }

    @Test("may have more events in a batch, if that is configured")
    func batchSize() async throws {
        let events = (0..<52).map { swipe($0) }
        for (size, bad) in [(50, 2), (51, 1), (52, 0)] {
            try await withCollector(CollectorConfiguration(batchSize: size)) { collector in
                _ = try await collector.post(batch(events), CapturedFormat.batched.path)
                #expect(
                    try await summary(collector)
                        == [.batched: CapturedCounts(requests: 1, events: 52, badEvents: bad)]
                )
            }
        }
    }

    @Test("list findings on a header with so many events that their text is in proportion to the body")
    func headerFindings() {
        let names = (0..<100).map { "\"\(String(repeating: "x", count: 90))\($0)\":1" }
        let events = Array(repeating: "{}", count: 5_000).joined(separator: ",")
        let body = "{\(names.joined(separator: ",")),\"pl\":[\(events)]}"
        let upload = UploadDecoder().decode(.post(Array(body.utf8), .batched))
        let facts = upload.content.captured
        let bytes = facts.flatMap(\.findings).reduce(0) { $0 + $1.name.utf8.count + $1.message.utf8.count }
        // All findings of one event more, and a short one of each other event.
        #expect(bytes < FindingBudget.minBytes + 4 * body.utf8.count + 100 * 400 + events.utf8.count * 40)
        #expect(facts.count == 5_000 && facts.allSatisfy { $0.isBad && !$0.findings.isEmpty })
        #expect(facts.first?.findings.count == 100)
        #expect(facts.last?.findings.map(\.name) == ["header"])
    }

    @Test("repeat at most a part of a long header")
    func longHeader() async throws {
        try await withCollector { collector in
            let long = String(repeating: "x", count: 100_000)
            let body = batch([swipe(1), swipe(2)]).replacing(
                #""dt":4"#,
                with: #""dt":4,"long":["\#(long)","\#(long)"]"#
            )
            _ = try await collector.post(body, CapturedFormat.batched.path)
            let rows = try await collector.get("/api/captured").object()["events"] as? [[String: Any]] ?? []
            #expect(rows.map { $0["header_cut"] as? Bool } == [true, true])
            for row in rows { #expect((row["header"] as? [String: Any])?["pid"] as? Int == 8) }
            #expect(try await collector.get("/api/captured").body.count < 10_000)
        }
    }

    @Test("have metrics by format")
    func metrics() async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(click(1)),\(click(1)),\(click(2, at: 1))]", "/pulse")
            _ = try await collector.post("7", CapturedFormat.batched.path)
            let text = String(decoding: try await collector.get("/metrics").body, as: UTF8.self)
            for line in [
                #"clickstream_collector_captured_requests_total{form="pulse",status="good"} 1"#,
                #"clickstream_collector_captured_requests_total{form="\#(CapturedFormat.batched)",status="bad"} 1"#,
                #"clickstream_collector_captured_events_total{form="pulse",status="bad"} 1"#,
                #"clickstream_collector_captured_duplicates_total{form="pulse"} 1"#,
                #"clickstream_collector_events_total{status="good"} 0"#,
            ] {
                #expect(text.contains(line + "\n"), "\(line)")
            }
        }
    }
}
#endif
