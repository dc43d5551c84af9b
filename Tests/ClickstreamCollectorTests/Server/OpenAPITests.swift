#if Tools
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("OpenAPI")
struct OpenAPITests {
    private static var paths: [String: [String: Any]] {
        let data = Data(OpenAPI.description.utf8)
        // A description that is no JSON has no paths, which the tests find.
        let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        return object?["paths"] as? [String: [String: Any]] ?? [:]
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
}
#endif
