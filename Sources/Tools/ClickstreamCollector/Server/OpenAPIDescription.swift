import CClickstreamResources
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges

/// OpenAPI description of all endpoints of the collector: `openapi.json` of this folder, completed by the registered formats.
///
/// The file names no format of automatic capture. Their paths, the values of the parameters `form` and the counts of each format are
/// added from the descriptions of the formats.
enum OpenAPIDescription {
    /// The description as it is served, composed at the first request.
    static let served = Array((document(of: CapturedFormat.allCases).indented(flatLists: true) + "\n").utf8)

    /// The description of a collector with formats.
    static func document(of formats: [CapturedFormat]) -> JSONValue {
        let captured = formats.filter { $0.list == .captured }
        let counts = captured.map {
            JSONMember.object($0.rawValue, [.text("$ref", "#/components/schemas/CapturedCounts")])
        }
        let file = embedded
        let paths = JSONValue(.object(expanded(file["paths"]?.members ?? [], captured)))
        let schemas: [(path: ArraySlice<String>, value: JSONValue)] = [
            (["Form", "enum"], names(formats)),
            (["CapturedForm", "enum"], names(captured)),
            (["CapturedSummary", "properties"], JSONValue(.object(counts))),
            (["CapturedSummary", "required"], names(captured)),
        ]
        return schemas.reduce(file.replacing(["paths"], by: paths)) { document, schema in
            document.replacing(["components", "schemas"] + schema.path, by: schema.value)
        }
    }

    /// Path in the file that the paths of the captured formats replace. Its operation has the members that they have in common.
    private static let template = "/{form}"

    private static var embedded: JSONValue {
        do {
            return try JSONReader.parse([UInt8](clickstream_openapi()))
        } catch {
            preconditionFailure("Invalid state: openapi.json cannot be read: \(error)")
        }
    }

    private static func names(_ formats: [CapturedFormat]) -> JSONValue {
        JSONValue(.array(formats.map { JSONValue(.string($0.rawValue)) }))
    }

    /// The paths of the file, and in place of the template those of the formats.
    private static func expanded(_ paths: [JSONMember], _ formats: [CapturedFormat]) -> [JSONMember] {
        paths.flatMap { path in
            guard path.name == template else { return [path] }
            let common = path.value["post"]?.members ?? []
            return formats.map { .object($0.path, [.object("post", $0.operation + common)]) }
        }
    }
}

extension CapturedFormat {
    /// Members of the operation that receives events of this format.
    fileprivate var operation: [JSONMember] {
        [
            .text("summary", "Receives captured events in the \(title) format"),
            .text("description", body.sentence),
            .object("requestBody", [.boolean("required", false), .object("content", body.content)]),
        ]
    }
}

extension CapturedFormat.Body {
    fileprivate var sentence: String {
        switch self {
        case .encodedArray: "A JSON array, or base64 of a gzipped one."
        case .array: "A JSON array, possibly with Content-Encoding: gzip."
        case .batch(let batch):
            "A batch: a header with the events of one session in \(batch.events), possibly with Content-Encoding: gzip."
        }
    }

    /// Schemas of a body by their media types.
    fileprivate var content: [JSONMember] {
        let events: [JSONMember] = [.text("type", "array"), .object("items", [.text("type", "object")])]
        switch self {
        case .encodedArray:
            return [
                .object("application/json", [.object("schema", events)]),
                .object("text/plain", [.object("schema", [.text("type", "string")])]),
            ]
        case .array:
            return [.object("application/json", [.object("schema", events)])]
        case .batch(let batch):
            let schema: [JSONMember] = [
                .text("type", "object"), .object("properties", [.object(batch.events, events)]),
            ]
            return [.object("application/json", [.object("schema", schema)])]
        }
    }
}
