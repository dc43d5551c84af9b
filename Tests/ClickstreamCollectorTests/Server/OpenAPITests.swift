#if Tools
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("OpenAPI")
struct OpenAPITests {
    private static var document: [String: Any] {
        let data = Data(OpenAPI.description.utf8)
        // A description that is no JSON has no paths, which the tests find.
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    private static var paths: [String: [String: Any]] { document["paths"] as? [String: [String: Any]] ?? [:] }

    private static func schema(_ name: String) -> [String: Any] {
        let components = document["components"] as? [String: Any]
        return (components?["schemas"] as? [String: Any])?[name] as? [String: Any] ?? [:]
    }

    @Test("is served as embedded in the binary")
    func served() async throws {
        try await withCollector { collector in
            let response = try await collector.get("/api/openapi.json")
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "application/json")
            #expect(response.text == OpenAPI.description)
            #expect(try response.object()["openapi"] as? String == "3.1.0")
            #expect(Self.paths.count > 15)
        }
    }

    @Test("lists for each path the statuses of its replies, and every path responds")
    func statuses() async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A", session: "s1"))]")
            for (path, operations) in Self.paths where path != "/" && path != "/api/stream" {
                for (method, operation) in operations {
                    let target = path.replacingOccurrences(of: "{id}", with: "s1")
                    let response = try await collector.send(method.uppercased(), target)
                    let responses = (operation as? [String: Any])?["responses"] as? [String: Any]
                    #expect(responses?["\(response.status)"] != nil, "\(method) \(path): \(response.status)")
                    #expect(response.status != 403, "\(path)")
                }
            }
        }
    }

    @Test(
        "describes each member of an answer, and requires those that are always there",
        arguments: [
            ("Event", "/api/events", "events"), ("Request", "/api/requests", "requests"),
            ("Session", "/api/sessions", "sessions"), ("Summary", "/api/summary", nil),
            ("MicroGood", "/micro/good", nil), ("MicroBad", "/micro/bad", nil), ("MicroSummary", "/micro/all", nil),
        ] as [(String, String, String?)]
    )
    func members(_ name: String, _ path: String, _ list: String?) async throws {
        let schema = Self.schema(name)
        let described = Set(try #require(schema["properties"] as? [String: Any]).keys)
        let required = Set(try #require(schema["required"] as? [String]))
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A")),\(event("B", attributes: #""a b":1"#))]")
            _ = try await collector.post("nonsense")
            let body = try JSONSerialization.jsonObject(with: Data(try await collector.get(path).body))
            let values = list.map { (body as? [String: Any])?[$0] ?? [] } ?? body
            let rows = try values as? [[String: Any]] ?? [#require(values as? [String: Any])]
            #expect(!rows.isEmpty)
            for row in rows {
                #expect(Set(row.keys).isSubset(of: described))
                #expect(required.isSubset(of: row.keys))
            }
        }
    }
}
#endif
