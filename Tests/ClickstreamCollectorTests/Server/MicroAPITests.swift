#if Collector
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Micro endpoints")
struct MicroAPITests {
    private func list(_ response: RawResponse) throws -> [[String: Any]] {
        try JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]] ?? []
    }

    /// Two good events, one bad, one duplicate and one unreadable request.
    private func fill(_ collector: Collector) async throws {
        let events = [event("A"), event("B", name: "search", userID: "carol"), event("C", attributes: #""a b":1"#)]
        _ = try await collector.post("[\(events.joined(separator: ","))]", "/collect?appId=shop&x=1")
        _ = try await collector.post("[\(event("A"))]")
        _ = try await collector.post("nonsense")
    }

    @Test("count like Micro: unreadable requests are bad, duplicates are ignored", arguments: ["GET", "POST"])
    func all(_ method: String) async throws {
        try await withCollector { collector in
            try await fill(collector)
            let all = try await collector.send(method, "/micro/all")
            #expect(all.status == 200)
            #expect(all.headers["content-type"] == "application/json")
            #expect(all.text == #"{"total":4,"good":2,"bad":2}"#)
            for (name, count) in [("good", 2), ("bad", 2)] {
                #expect(try list(await collector.send(method, "/micro/\(name)")).count == count)
            }
        }
    }

    @Test("return good events, newest first")
    func good() async throws {
        try await withCollector { collector in
            try await fill(collector)
            let good = try list(await collector.get("/micro/good"))
            #expect(good.map { $0["eventType"] as? String } == ["search", "button_click"])
            let first = try #require(good.first)
            #expect(Set(first.keys) == ["rawEvent", "eventType", "schema", "contexts", "event"])
            #expect((first["event"] as? [String: Any])?["event_id"] as? String == "B")
            let raw = try #require(first["rawEvent"] as? [String: Any])
            #expect(raw["api"] as? [String: String] == ["vendor": "clickstream", "version": "collect"])
            #expect(
                raw["parameters"] as? [String: String] == [
                    "e": "search", "eid": "B", "aid": "shop", "dtm": "\(FixedTime.start - 1_000)", "duid": "unique-1",
                    "uid": "carol",
                ]
            )
        }
    }

    @Test("return bad events with their errors, preceded by unreadable requests")
    func bad() async throws {
        try await withCollector { collector in
            try await fill(collector)
            let bad = try list(await collector.get("/micro/bad"))
            #expect(
                bad.map { Set($0.keys) } == [
                    ["collectorPayload", "rawEvent", "errors", "unlistedViolations"],
                    ["collectorPayload", "rawEvent", "errors", "unlistedViolations"],
                ]
            )
            #expect((bad[0]["collectorPayload"] as? [String: Any])?["body"] as? String == "nonsense")
            #expect(
                bad[0]["errors"] as? [String] == [
                    "gzip: the body is base64, but the data is not valid gzip"
                ]
            )
            let errors = try #require(bad[1]["errors"] as? [String])
            #expect(errors.count == 1 && errors[0].hasPrefix("2002: "))
            let query = (bad[1]["collectorPayload"] as? [String: Any])?["querystring"] as? [[String: String]]
            #expect(query == [["name": "appId", "value": "shop"], ["name": "x", "value": "1"]])
        }
    }

    @Test("return all events as sent")
    func events() async throws {
        try await withCollector { collector in
            try await fill(collector)
            let events = try list(await collector.get("/micro/events"))
            #expect(events.map { $0["event_id"] as? String } == ["C", "B", "A"])
        }
    }

    @Test(
        "filter by the body of a POST",
        arguments: [
            ("good", #"{"event_type":"search"}"#, 200, 1), ("good", #"{"limit":1}"#, 200, 1), ("good", "{}", 200, 2),
            ("good", #"{"event_type":null,"limit":0}"#, 200, 0), ("good", #"{"schema":"iglu:a/b"}"#, 200, 0),
            ("bad", #"{"limit":1}"#, 200, 1), ("bad", #"{"vendor":"x"}"#, 200, 0), ("events", #"{"limit":2}"#, 200, 2),
            ("good", #"{"event_typ":"search"}"#, 400, 0), ("good", "[]", 400, 0), ("good", "{", 400, 0),
            ("good", #"{"limit":-1}"#, 400, 0), ("bad", #"{"limit":"1"}"#, 400, 0), ("ugly", "{}", 404, 0),
        ]
    )
    func filters(_ name: String, _ body: String, _ status: Int, _ count: Int) async throws {
        try await withCollector { collector in
            try await fill(collector)
            let response = try await collector.post(body, "/micro/\(name)")
            #expect(response.status == status)
            if status == 200 {
                #expect(try list(response).count == count)
            } else {
                #expect(try response.object()["error"] != nil)
            }
        }
    }

    @Test(
        "empty the store by either method, but not for a page of another origin",
        arguments: [
            ("GET", [:], 200), ("POST", [:], 200), ("POST", ["Origin": "http://localhost"], 200),
            ("GET", ["Sec-Fetch-Site": "none"], 200), ("GET", ["Sec-Fetch-Site": "same-origin"], 200),
            ("GET", ["Sec-Fetch-Site": "cross-site"], 403), ("POST", ["Origin": "http://evil.example"], 403),
            ("POST", ["Origin": "null"], 403), ("GET", ["Sec-Fetch-Site": "same-site"], 403), ("PUT", [:], 405),
        ]
    )
    func reset(_ method: String, _ headers: [String: String], _ status: Int) async throws {
        try await withCollector { collector in
            try await fill(collector)
            let response = try await collector.send(method, "/micro/reset", headers: headers)
            #expect(response.status == status)
            if status == 200 { #expect(response.text == #"{"total":0,"good":0,"bad":0}"#) }
            #expect(try await collector.summary().requests == (status == 200 ? 0 : 3))
        }
    }
}
#endif
