#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("OpenAPI")
struct OpenAPITests {
    private static var document: [String: Any] {
        let data = Data(OpenAPIDescription.served)
        // A description that is no JSON has no paths, which the tests find.
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    private static var paths: [String: [String: Any]] { document["paths"] as? [String: [String: Any]] ?? [:] }

    private static var components: [String: [String: Any]] { document["components"] as? [String: [String: Any]] ?? [:] }

    private static func schema(_ name: String) -> [String: Any] {
        components["schemas"]?[name] as? [String: Any] ?? [:]
    }

    private static func properties(_ name: String) -> [String: [String: Any]] {
        schema(name)["properties"] as? [String: [String: Any]] ?? [:]
    }

    /// All values of `$ref` within a value.
    private static func references(in value: Any) -> [String] {
        if let list = value as? [Any] { return list.flatMap(references) }
        guard let members = value as? [String: Any] else { return [] }
        return members.flatMap { name, value in
            (value as? String).map { name == "$ref" ? [$0] : [] } ?? references(in: value)
        }
    }

    /// Names of an operation's parameters in the query, references resolved.
    private static func queryParameters(_ path: String) -> Set<String> {
        let operation = paths[path]?["get"] as? [String: Any]
        let parameters = (operation?["parameters"] as? [[String: Any]] ?? []).compactMap { parameter in
            guard let reference = parameter["$ref"] as? String else { return parameter }
            return components["parameters"]?[String(reference.split(separator: "/").last ?? "")] as? [String: Any]
        }
        return Set(parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String })
    }

    @Test("is served, with its version")
    func served() async throws {
        try await withCollector { collector in
            let response = try await collector.get("/api/openapi.json")
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "application/json")
            #expect(response.body == OpenAPIDescription.served)
            #expect(try response.object()["openapi"] as? String == "3.1.0")
            #expect(Self.paths.count > 15)
        }
    }

    @Test("refers to components that exist, and has no others")
    func references() {
        let named = Self.components.flatMap { kind, members in members.keys.map { "#/components/\(kind)/\($0)" } }
        #expect(Set(Self.references(in: Self.document)) == Set(named))
    }

    @Test("has the path of each captured format, with the shape of its bodies", arguments: CapturedFormat.captured)
    func captured(_ form: CapturedFormat) throws {
        let operation = try #require(Self.paths[form.path]?["post"] as? [String: Any])
        #expect((operation["summary"] as? String)?.lowercased().contains(form.rawValue) == true)
        let body = operation["requestBody"] as? [String: Any]
        let content = (body?["content"] as? [String: [String: Any]])?["application/json"]
        let schema = try #require(content?["schema"] as? [String: Any])
        let sample = try JSONReader.parse(Array(form.text([form.sample(1)]).utf8))
        #expect(schema["type"] as? String == (sample.array == nil ? "object" : "array"))
        let properties = schema["properties"] as? [String: [String: Any]]
        #expect(properties.map { Array($0.keys) } == form.batch.map { [$0.events] })
    }

    @Test("has the names of the formats as values of the parameters, and the counts of each")
    func forms() {
        #expect(Self.schema("Form")["enum"] as? [String] == CapturedFormat.allCases.map(\.rawValue))
        #expect(Self.schema("CapturedForm")["enum"] as? [String] == CapturedFormat.ofCapture.map(\.rawValue))
        let reference = ["$ref": "#/components/schemas/CapturedCounts"]
        let counts = CapturedFormat.ofCapture.map { ($0.rawValue, reference) }
        #expect(
            Self.properties("CapturedSummary") as? [String: [String: String]]
                == Dictionary(uniqueKeysWithValues: counts)
        )
        #expect(Self.schema("CapturedSummary")["required"] as? [String] == CapturedFormat.ofCapture.map(\.rawValue))
    }

    @Test(
        "has a further format everywhere, whatever the shape of its bodies",
        arguments: [
            (.array, ["application/json": #"{"type":"array","items":{"type":"object"}}"#]),
            (
                .encodedArray,
                [
                    "application/json": #"{"type":"array","items":{"type":"object"}}"#,
                    "text/plain": #"{"type":"string"}"#,
                ]
            ),
            (
                CapturedFormat.batched.body,
                [
                    "application/json":
                        #"{"type":"object","properties":{"pl":{"type":"array","items":{"type":"object"}}}}"#
                ]
            ),
        ] as [(CapturedFormat.Body, [String: String])]
    )
    func further(_ body: CapturedFormat.Body, _ content: [String: String]) throws {
        var form = CapturedFormat.pulse
        (form.name, form.title, form.body) = (FormatName(rawValue: "further"), "Further", body)
        let document = OpenAPIDescription.document(of: CapturedFormat.allCases + [form])
        let operation = try #require(document[path: ["paths", "/further", "post"]])
        #expect(operation["summary"] == JSONValue(.string("Receives captured events in the Further format")))
        #expect(operation["responses"] == document[path: ["paths", "/pulse", "post", "responses"]])
        let media = operation[path: ["requestBody", "content"]]?.members ?? []
        let described = media.map { ($0.name, $0.value["schema"]?.description ?? "") }
        #expect(Dictionary(uniqueKeysWithValues: described) == content)
        let schemas = try #require(document[path: ["components", "schemas"]])
        for names in [["Form", "enum"], ["CapturedForm", "enum"], ["CapturedSummary", "required"]] {
            #expect(schemas[path: names]?.array?.last?.string == "further", "\(names)")
        }
        #expect(schemas[path: ["CapturedSummary", "properties", "further"]] != nil)
    }

    @Test("lists the paths of the query API")
    func queryPaths() {
        let listed = Self.paths.keys.filter { $0.hasPrefix("/api/") }
        #expect(Set(listed) == Set(QueryAPI.paths.map { "/api/" + $0 }))
    }

    @Test(
        "lists for each path of the query API the parameters that it accepts",
        arguments: QueryAPI.paths.filter { $0 != "faults" && $0 != "reset" }
    )
    func parameters(_ path: String) async throws {
        try await withCollector { collector in
            let target = "/api/\(path)".replacing(/\{.*\}/, with: "1")
            let response = try await collector.get("\(target)?unknown=1")
            let error = try #require(try response.object()["error"] as? String)
            let names = error.split(separator: "; use ").dropFirst().first?.split(separator: ", ") ?? []
            #expect(response.status == 400)
            #expect(Self.queryParameters("/api/\(path)") == Set(names.map(String.init)), "\(error)")
        }
    }

    @Test("repeats the version, names and limits of the code")
    func values() throws {
        let info = Self.document["info"] as? [String: Any]
        #expect(info?["version"] as? String == SDK.version)

        let reasons = Self.properties("Request")["reason"]?["enum"] as? [Any]
        #expect(reasons?.compactMap { $0 as? String } == ReceivedUpload.Flaw.Reason.allCases.map(\.rawValue))
        #expect(Self.schema("Status")["enum"] as? [String] == [CollectedStatus.good, .bad].map(\.rawValue))

        let sorted = [
            "sort": EventOrder.Field.allCases.map(\.name), "order": EventOrder.Direction.allCases.map(\.rawValue),
        ]
        let events = Self.paths["/api/events"]?["get"] as? [String: Any]
        for parameter in try #require(events?["parameters"] as? [[String: Any]]) {
            guard let name = parameter["name"] as? String, let names = sorted[name] else { continue }
            #expect((parameter["schema"] as? [String: Any])?["enum"] as? [String] == names + [""])
        }

        let fault = Self.properties("Fault")
        #expect(fault["kind"]?["enum"] as? [String] == CollectorFault.names.map(\.name))
        #expect(fault["status"]?["minimum"] as? Int == CollectorFault.statuses.lowerBound)
        #expect(fault["status"]?["maximum"] as? Int == CollectorFault.statuses.upperBound)

        let limit = try #require(Self.components["parameters"]?["limit"] as? [String: Any])
        let schema = limit["schema"] as? [String: Any]
        #expect(schema?["minimum"] as? Int == EventFilter.limits.lowerBound)
        #expect(schema?["default"] as? Int == EventFilter().limit)
        #expect((limit["description"] as? String)?.contains("\(EventFilter.limits.upperBound)") == true)
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
            ("CapturedEvent", "/api/captured", "events"), ("AuditEvent", "/api/audit", "events"),
            ("Session", "/api/sessions", "sessions"), ("Summary", "/api/summary", nil),
            ("CountReport", "/api/report/count", nil), ("FunnelReport", "/api/report/funnel?step=_click", nil),
            ("MicroGood", "/micro/good", nil), ("MicroBad", "/micro/bad", nil), ("MicroSummary", "/micro/all", nil),
        ] as [(String, String, String?)]
    )
    func members(_ name: String, _ path: String, _ list: String?) async throws {
        let schema = Self.schema(name)
        let described = Set(try #require(schema["properties"] as? [String: Any]).keys)
        let required = Set(try #require(schema["required"] as? [String]))
        try await withCollector { collector in
            let click = event("C", name: "_click", attributes: #""_element_value":"Buy""#)
            _ = try await collector.post("[\(event("A")),\(event("B", attributes: #""a b":1"#)),\(click)]")
            for form in CapturedFormat.captured { _ = try await collector.post(form.text([form.sample(1)]), form.path) }
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
