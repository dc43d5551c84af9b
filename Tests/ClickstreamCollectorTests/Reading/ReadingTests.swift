#if Collector
import ClickstreamCore
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Query API")
struct ReadingTests {
    @Test("counts an empty store")
    func nothing() async throws {
        try await withCollector { collector in
            let response = try await collector.get("/api/summary")
            #expect(response.headers["content-type"] == "application/json")
            #expect(
                response.text
                    == #"{"bad_events":0,"bad_requests":0,"duplicates":0,"events":0,"good_events":0,"last_seq":0,"#
                    + #""requests":0,"sessions":0,"users":0}"#
            )
            #expect(try await collector.get("/api/events").text == #"{"events":[],"next":null}"#)
            #expect(try await collector.get("/api/requests").text == #"{"requests":[],"next":null}"#)
            #expect(try await collector.get("/api/sessions").text == #"{"next":null,"sessions":[]}"#)
        }
    }

    @Test("counts good and bad events, duplicates apart, within one request too")
    func summary() async throws {
        try await withCollector { collector in
            let noID = #"{"event_type":"a","app_id":"shop","timestamp":\#(FixedTime.start)}"#
            _ = try await collector.post("[\(event("A")),\(event("B", session: "s2", uniqueID: "u2")),\(event("A"))]")
            _ = try await collector.post("[\(event("A", at: -2_000)),\(noID),\(noID),1]")
            _ = try await collector.post("?")
            let summary = try await collector.summary()
            #expect(
                summary
                    == CollectorSummary(
                        requests: 3,
                        badRequests: 1,
                        events: 6,
                        goodEvents: 3,
                        badEvents: 3,
                        duplicates: 1,
                        sessions: 2,
                        users: 2
                    )
            )
            let text = try await collector.get("/api/summary").body
            #expect(try JSONDecoder().decode(CollectorSummary.self, from: Data(text)) == summary)
        }
    }

    @Test("returns events as sent, with their violations")
    func events() async throws {
        try await withCollector { collector in
            let good = event("A", attributes: #""price":1.50,"note":"<b>\u00e9\/""#)
            let bad = event("B", name: "1st", attributes: #""a b":1"#)
            let response = try await collector.post("[ \(good) ,\n\(bad), \(event("C", at: 60_000))]")
            let id = response.headers["x-request-id"] ?? ""
            let text = try await collector.get("/api/events").text
            #expect(
                text.hasPrefix(
                    #"{"events":[{"event":\#(good),"status":"good","violations":[],"unlisted_violations":0,"request_id":"\#(id)","seq":1,"received_at":\#(FixedTime.start)}"#
                )
            )
            let events = try await collector.events().events
            #expect(events.map(\.json) == [good, bad, event("C", at: 60_000)])
            #expect(events.map(\.status) == [.good, .bad, .bad])
            #expect(events.map { $0.violations.map(\.code) } == [[], ["1001", "2002"], ["etl_future"]])
            #expect(text.contains(#""violations":[{"code":1001,"#))
            #expect(text.contains(#""violations":[{"code":"etl_future","#))
        }
    }

    @Test("counts the findings that it does not list, of events and requests, and without those of duplicates")
    func unlisted() async throws {
        func bad(_ id: String, _ count: Int) -> String {
            event(id, attributes: (0..<count).map { #""\#($0)-":1"# }.joined(separator: ","))
        }
        try await withCollector { collector in
            let response = try await collector.post(
                "[\(bad("A", 120)),\(bad("B", 1)),\(bad("A", 120)),\(bad("C", 300))]"
            )
            let list = try await collector.get("/api/events").object()["events"] as? [[String: Any]] ?? []
            #expect(list.map { ($0["violations"] as? [Any])?.count } == [101, 1, 101])
            #expect(list.map { $0["unlisted_violations"] as? Int } == [20, 0, 200])
            #expect(try await collector.get("/api/events/1").object()["unlisted_violations"] as? Int == 20)
            #expect(try await collector.events().events.map(\.unlistedViolations) == [20, 0, 200])
            let id = response.headers["x-request-id"] ?? ""
            #expect(try await collector.get("/api/requests/\(id)").object()["unlisted_violations"] as? Int == 220)
            #expect(try await collector.request(id)?.unlistedViolations == 220)
            #expect(try await collector.get("/api/requests").text.contains(#""unlisted_violations":220"#))
            let micro = try JSONSerialization.jsonObject(with: Data(try await collector.get("/micro/bad").body))
            #expect((micro as? [[String: Any]])?.map { $0["unlistedViolations"] as? Int } == [200, 0, 20])
        }
    }

    @Test("counts an event with warnings only as good")
    func warning() async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A", at: -73 * 3_600_000))]")
            let events = try await collector.events().events
            #expect(events.map(\.status) == [.good])
            #expect(events.map { $0.violations.map(\.code) } == [["etl_stale"]])
            #expect(events.map { $0.violations.map(\.severity) } == [[.warning]])
        }
    }

    @Test("reports an event whose time is in another unit as bad, not as stale or future")
    func units() async throws {
        let values = ["1715131614", "1715131614123000", "1715131614123000000", "0", "-1"]
        func event(_ index: Int, _ timestamp: String, _ start: String = "\(FixedTime.start)") -> String {
            #"{"event_id":"\#(index)","event_type":"tap","app_id":"shop","timestamp":\#(timestamp),"#
                + #""attributes":{"_session_start_timestamp":\#(start)}}"#
        }
        try await withCollector { collector in
            for (index, value) in values.enumerated() {
                let other = event(values.count + index, "\(FixedTime.start)", value)
                _ = try await collector.post("[\(event(index, value)),\(other)]")
            }
            let events = try await collector.events().events
            #expect(events.count == 2 * values.count)
            #expect(events.allSatisfy { $0.status == .bad && $0.violations.map(\.code) == ["etl_time_unit"] })
            #expect(events.first?.violations.first?.message.contains("probably in seconds") == true)
        }
    }

    @Test(
        "names the unit of a request's upload_timestamp that is not in milliseconds",
        arguments: [
            ("1715131615000", nil), ("1715131615", "seconds"), ("1715131615000000", "microseconds"),
            ("1715131615000000000", "nanoseconds"), ("0", "unknown"), ("-5", "unknown"), ("", nil), ("now", nil),
            ("1715131615.5", nil),
        ] as [(String, String?)]
    )
    func uploadTimestamp(value: String, unit: String?) async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A"))]", "/collect?appId=shop&upload_timestamp=\(value)")
            let list = try await collector.get("/api/requests").object()
            let rows = try #require(list["requests"] as? [[String: Any]])
            #expect(rows.map { $0["upload_timestamp_unit"] as? String } == [unit])
        }
    }

    @Test(
        "warns of a request without an app id, which the published load balancer refuses",
        arguments: [
            ("/collect?appId=shop", "requests", false), ("/collect?appId=", "requests", true),
            ("/collect", "requests", true), ("/collect?appid=shop", "requests", true),
            ("/pulse", "captured/requests", false),
        ]
    )
    func missingAppID(target: String, list: String, expected: Bool) async throws {
        try await withCollector { collector in
            #expect(try await collector.post("[]", target).status == 200)
            let reply = try await collector.get("/api/\(list)").object()
            let rows = try #require(reply["requests"] as? [[String: Any]])
            #expect(rows.map { $0["app_id_missing"] as? Bool } == [expected])
        }
    }

    @Test(
        "filters events",
        arguments: [
            ("", "ABCDE"), ("name=search", "BE"), ("session=s2", "CD"), ("user=u2", "CDE"), ("user=carol", "E"),
            ("status=good", "ABCD"), ("status=bad", "E"), ("code=2002", "E"), ("code=etl_future", ""),
            ("since=0", "ABCDE"), ("since=1715131615123", "ABCDE"), ("since=1715131615124", ""),
            ("since=2024-05-08T01:26:55.123Z", "ABCDE"), ("since=2024-05-08T03:26:55.124%2B02:00", ""),
            ("since=2024-05-08", "ABCDE"), ("name=search&user=u2", "E"), ("name=&status=&limit=&cursor=", "ABCDE"),
            ("until=1715131615123", ""), ("until=2024-05-08T01:26:55.124Z", "ABCDE"), ("until=0", ""),
            ("since=1715131615123&until=1715131615124", "ABCDE"), ("since=2025-01-01&until=2024-01-01", ""),
            ("app=shop", "ABCE"), ("app=news", "D"), ("device=d1", "D"), ("platform=iOS", "D"), ("version=1.10", "D"),
            ("version=1.1", ""), ("screen=Home", "D"), ("device=d1&app=shop", ""), ("app=&device=&until=", "ABCDE"),
            ("app=news&device=d1&platform=iOS&version=1.10&screen=Home&session=s2&user=u2&status=good", "D"),
            ("app=&app=news&app=shop", "D"), ("device=", "ABCDE"),
            ("name=no%20such", ""), ("limit=2", "AB"), ("limit=10001", "ABCDE"), ("cursor=3", "DE"), ("cursor=99", ""),
        ]
    )
    func filters(_ query: String, _ expected: String) async throws {
        try await withCollector { collector in
            let screen = #""_screen_name":"Home""#
            let onDevice = event("D", app: "news", session: "s2", uniqueID: "u2", attributes: screen)
            let events = [
                event("A"), event("B", name: "search"), event("C", session: "s2", uniqueID: "u2"),
                #"{"device_id":"d1","platform":"iOS","app_version":"1.10","# + String(onDevice.dropFirst()),
                event("E", name: "search", session: nil, uniqueID: "u2", userID: "carol", attributes: #""a b":1"#),
            ]
            _ = try await collector.post("[\(events.joined(separator: ","))]")
            let response = try await collector.get("/api/events?\(query)")
            #expect(response.status == 200)
            let rows = try #require(try response.object()["events"] as? [[String: Any]])
            let ids = rows.compactMap { ($0["event"] as? [String: Any])?["event_id"] as? String }
            #expect(ids.joined() == expected)
        }
    }

    @Test("returns every event once, page by page", arguments: [1, 3, 7, 20])
    func paging(_ limit: Int) async throws {
        try await withCollector { collector in
            let all = (0..<7).map { event("E\($0)") }
            _ = try await collector.post("[\(all.prefix(4).joined(separator: ","))]")
            _ = try await collector.post("[\(all.dropFirst(4).joined(separator: ","))]")
            var seen: [String] = []
            var cursor: String? = ""
            while let at = cursor {
                let page = try await collector.get("/api/events?limit=\(limit)&cursor=\(at)").object()
                let rows = try #require(page["events"] as? [[String: Any]])
                #expect(rows.count <= limit)
                seen += rows.compactMap { ($0["event"] as? [String: Any])?["event_id"] as? String }
                cursor = page["next"] as? String
            }
            #expect(seen == (0..<7).map { "E\($0)" })
        }
    }

    @Test("limits a page in bytes, whatever limit was requested, and returns at least one element")
    func pageBytes() async throws {
        var limits = Limits()
        limits.pageBytes = 4_000
        try await withCollector(limits: limits) { collector in
            let note = String(repeating: "n", count: 1_000)
            for body in 0..<4 {
                let events = (0..<5).map { event("\(body)-\($0)", attributes: #""note":"\#(note)""#) }
                _ = try await collector.post("[\(events.joined(separator: ","))]", "/collect?note=\(note)")
                _ = try await collector.post("nonsense \(note)\(note)\(note)\(note)", "/collect?note=\(note)")
            }
            for kind in ["events", "requests"] {
                var sizes: [Int] = []
                var cursor: String? = ""
                while let at = cursor {
                    let page = try await collector.get("/api/\(kind)?limit=10000&cursor=\(at)").object()
                    sizes.append((page[kind] as? [Any])?.count ?? -1)
                    cursor = page["next"] as? String
                }
                #expect(sizes == (kind == "events" ? [4, 4, 4, 4, 4] : [4, 4]), "\(kind)")
            }
            for (name, count) in [("good", 4), ("events", 4), ("bad", 1)] {
                let list = try JSONSerialization.jsonObject(with: Data(try await collector.get("/micro/\(name)").body))
                #expect((list as? [Any])?.count == count, "\(name)")
            }
        }
    }

    @Test(
        "reports the expected value",
        arguments: [
            ("/api/events?limit=0", 400, "limit must be an integer from 1, not '0'"),
            ("/api/events?limit=ten", 400, "limit must be an integer from 1, not 'ten'"),
            ("/api/events?status=ugly", 400, "status must be good or bad, not 'ugly'"),
            ("/api/events?cursor=-1", 400, "cursor must be the next of an earlier response, not '-1'"),
            (
                "/api/events?since=yesterday", 400,
                "since must be milliseconds since 1970 or an ISO 8601 date such as 2023-09-05T13:19:26Z, not 'yesterday'"
            ),
            (
                "/api/events?since=0&until=tomorrow", 400,
                "until must be milliseconds since 1970 or an ISO 8601 date such as 2023-09-05T13:19:26Z, not 'tomorrow'"
            ),
            (
                "/api/events?app_id=shop", 400,
                "unknown parameter app_id; use name, session, user, app, device, platform, version, screen, status, code, since, until, sort, order, limit, cursor, event_bytes"
            ),
            ("/api/summary?x=1", 400, "unknown parameter x; this path has none"),
            ("/api/sessions?user=a", 400, "unknown parameter user; use limit, cursor"),
            ("/api/requests/0", 404, "no request with this id; use a value of X-Request-ID"),
            ("/api/sessions/none", 404, "no such session; /api/sessions lists the sessions"),
            ("/api/reset", 405, "/api/reset requires POST"),
        ]
    )
    func errors(_ target: String, _ status: Int, _ text: String) async throws {
        try await withCollector { collector in
            let response = try await collector.get(target)
            #expect(response.status == status)
            #expect(try response.object() as? [String: String] == ["error": text])
        }
    }

    @Test("accepts only GET and HEAD")
    func methods() async throws {
        try await withCollector { collector in
            #expect(try await collector.send("POST", "/api/summary").status == 405)
            let head = try await collector.send("HEAD", "/api/events")
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "25")
            #expect(try await collector.get("/api/nothing").status == 404)
        }
    }

    @Test("returns a request's envelope as the published server stores it, with the result")
    func request() async throws {
        try await withCollector { collector in
            let uri =
                "/collect?platform=Linux&appId=shop&compression=&event_bundle_sequence_id=7"
                + "&upload_timestamp=1715131615000&hashCode=01234567"
            let body = "[\(event("A")),\(event("A"))]"
            let response = try await collector.post(
                body,
                uri,
                headers: ["User-Agent": "test/1", "X-Forwarded-For": "10.0.0.1, 10.0.0.2"]
            )
            let id = response.headers["x-request-id"] ?? ""
            let row = try await collector.get("/api/requests/\(id)").object() as NSDictionary
            let expected: [String: Any] = [
                "date": "2024-05-08T01:26:55+00:00", "uri": uri, "ua": "test/1", "ip": "10.0.0.1, 10.0.0.2",
                "client_timestamp": "1715131615000", "rid": id, "method": "POST", "data": body,
                "ingest_time": 1_715_131_615_000, "server_ingest_time": 1_715_131_615_000, "appId": "shop",
                "platform": "Linux", "compression": "", "fakeIp": NSNull(), "path": "/collect",
                "source_type": "http_server", "timestamp": "2024-05-08T01:26:55.123Z", "received_at": FixedTime.start,
                "status": "good", "reason": NSNull(), "detail": NSNull(), "events": 1, "bad_events": 0,
                "unlisted_violations": 0,
                "duplicates": 1,
                "event_bundle_sequence_id": 7, "unique_id": "unique-1", "hash_code": "01234567", "hash_matches": false,
                "encoded_bytes": body.utf8.count, "raw_bytes": body.utf8.count, "ratio": 1, "clock_skew_ms": 123,
                "upload_timestamp_unit": NSNull(), "app_id_missing": false,
            ]
            #expect(row == expected as NSDictionary)
            let list = try await collector.get("/api/requests").object()
            let rows = try #require(list["requests"] as? [[String: Any]])
            #expect(rows.map { $0["rid"] as? String } == [id])
            #expect(rows.allSatisfy { $0["data"] == nil })
        }
    }

    @Test("reports the unique id of a request: that of the first stored event, and none without a stored event")
    func uniqueID() async throws {
        try await withCollector { collector in
            func event(_ id: String, _ device: String?) -> String {
                let member = device.map { #","unique_id":"\#($0)""# } ?? ""
                return
                    #"{"event_type":"a","event_id":"\#(id)","timestamp":\#(FixedTime.start),"app_id":"shop"\#(member)}"#
            }
            let bodies = [
                "[\(event("1", "phone")),\(event("2", "tablet"))]",
                "[\(event("1", "phone")),\(event("3", "tablet"))]",  // the first is a duplicate
                "[\(event("1", "phone"))]",
                "[\(event("4", nil)),\(event("5", "phone"))]",
                "unreadable",
                "[]",
            ]
            for body in bodies { _ = try await collector.post(body) }
            let list = try await collector.get("/api/requests").object()
            let rows = try #require(list["requests"] as? [[String: Any]])
            #expect(rows.map { $0["unique_id"] as? String } == ["phone", "tablet", nil, nil, nil, nil])
        }
    }

    @Test("returns a session with its screens and its events in the order of their time")
    func session() async throws {
        try await withCollector { collector in
            func screen(_ name: String, _ more: String = "") -> String {
                #""_screen_name":"\#(name)","_screen_unique_id":"\#(name)1"\#(more)"#
            }
            let events = [
                event(
                    "2",
                    name: "_user_engagement",
                    at: -7_000,
                    attributes: screen("Home", #","_engagement_time_msec":2000"#)
                ),
                event("1", name: "_screen_view", at: -9_000, attributes: screen("Home")),
                event(
                    "3",
                    name: "_screen_view",
                    at: -7_000,
                    userID: "carol",
                    attributes: screen("Cart", #","_engagement_time_msec":2000"#)
                ),
                event("4", name: "_clickstream_error", at: -6_500, attributes: screen("Cart")),
                event(
                    "5",
                    name: "_screen_view",
                    at: -6_400,
                    attributes: screen("Pay", #","_engagement_time_msec":600"#)
                ),
            ]
            _ = try await collector.post("[\(events.joined(separator: ","))]")
            let id = "abcdefgh-20240508-012600000"
            let row = try await collector.get("/api/sessions/\(id)").object()
            let screens = try #require(row["screens"] as? NSArray)
            let start = FixedTime.start
            let (home, cart, pay): (Int64, Int64, Int64) = (start - 9_000, start - 7_000, start - 6_400)
            #expect(
                screens == [
                    ["name": "Home", "unique_id": "Home1", "entered_at": home, "engagement_ms": 2_000],
                    ["name": "Cart", "unique_id": "Cart1", "entered_at": cart, "engagement_ms": 600],
                    ["name": "Pay", "unique_id": "Pay1", "entered_at": pay, "engagement_ms": 0],
                ] as NSArray
            )
            let timeline = try #require(row["timeline"] as? [[String: Any]])
            #expect(timeline.compactMap { $0["event_id"] as? String } == ["1", "2", "3", "4", "5"])
            #expect(timeline.compactMap { $0["offset_ms"] as? Int } == [51_000, 53_000, 53_000, 53_500, 53_600])

            var session = row
            session["timeline"] = nil
            session["screens"] = nil
            let expected: [String: Any] = [
                "id": id, "number": 3, "app_id": "shop", "user_ids": ["carol"], "unique_ids": ["unique-1"],
                "start": start - 60_000, "last": start - 6_400, "duration_ms": 53_600, "events": 5,
                "engagement_ms": 2_000, "errors": 1,
            ]
            #expect(session as NSDictionary == expected as NSDictionary)
            let sessions = try await collector.sessions()
            #expect(sessions.sessions == [try await collector.session(id)?.session])
            #expect(sessions.next == nil)
        }
    }

    @Test("distinguishes sessions of different apps, and lists them page by page")
    func sessions() async throws {
        try await withCollector { collector in
            let events = [
                event("A", session: "s1"), event("B", app: "news", session: "s1"), event("C", session: "s2"),
                event("D", session: "s1", uniqueID: "u2"),
            ]
            _ = try await collector.post("[\(events.joined(separator: ","))]")
            let first = try await collector.sessions(limit: 2)
            #expect(first.sessions.map(\.appID) == ["shop", "news"])
            #expect(first.sessions.map(\.events) == [2, 1])
            #expect(first.sessions.map(\.uniqueIDs) == [["unique-1", "u2"], ["unique-1"]])
            let second = try await collector.sessions(after: first.next, limit: 2)
            #expect(second.sessions.map(\.id) == ["s2"])
            #expect(second.next == nil)
            #expect(try await collector.session("s1")?.session.appID == "shop")
            #expect(try await collector.session("s1", app: "news")?.session.events == 1)
            #expect(try await collector.summary().sessions == 3)
        }
    }

    @Test("empties the store on request, but not for a page of another origin")
    func reset() async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A"))]")
            let refused = try await collector.send("POST", "/api/reset", headers: ["Origin": "https://evil.example"])
            #expect(refused.status == 403)
            #expect(try await collector.summary().requests == 1)
            let response = try await collector.send("POST", "/api/reset", headers: ["Origin": "http://localhost"])
            #expect(response.status == 200)
            #expect(try await collector.summary() == CollectorSummary())
            _ = try await collector.post("[\(event("A"))]")
            let events = try await collector.events().events
            #expect(events.map(\.sequence) == [4])
        }
    }
}
#endif
