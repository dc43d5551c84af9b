import ClickstreamCore

/// Results of `tools/call`: a JSON object as text and as a value. Texts of events are only in it, as values.
enum MCPResult {
    /// Maximum depth of the arrays and objects of a result; deeper ones become their JSON text. Readers of JSON limit the depth:
    /// that of the Python client to 200.
    static let maxDepth = 64
    /// Maximum length of a number; a longer one becomes a string. Python refuses integers of more than 4 300 digits.
    static let longestNumber = 400

    static func success(_ object: [UInt8]) -> [UInt8] {
        var writer = ObjectWriter(capacity: 2 * object.count + 128)
        writer.object { result in
            append(text: object, to: &result)
            result.member("isError", false)
            result.member("structuredContent", json: object)
        }
        return writer.bytes
    }

    /// Result for a failure. It has no `structuredContent`, which would have to match the schema of the tool's results.
    static func failure(_ failure: MCPFailure) -> [UInt8] {
        var writer = ObjectWriter()
        writer.object { result in
            append(text: failure.json, to: &result)
            result.member("isError", true)
        }
        return writer.bytes
    }

    private static func append(text: [UInt8], to result: inout ObjectWriter) {
        result.beginArray("content")
        result.object { content in
            content.member("text", String(decoding: text, as: UTF8.self))
            content.member("type", "text")
        }
        result.endArray()
    }

    // MARK: - JSON that every client can read

    /// The object in a response of the query API.
    /// - Parameter advice: remedy for an object of more than `maxBytes`.
    static func object(_ body: [UInt8], maxBytes: Int, advice: String) throws(MCPFailure) -> [UInt8] {
        // A larger text is not built as a value.
        var object: [UInt8] = []
        if body.count <= 2 * maxBytes { object = readable(try value(body[...])) }
        guard body.count <= 2 * maxBytes, object.count <= maxBytes else {
            throw MCPFailure(
                .tooLarge,
                "the result has \(max(body.count, object.count)) bytes, more than \(maxBytes); \(advice)"
            )
        }
        return object
    }

    /// Parses JSON of any depth that a collector accepts.
    static func value(_ text: ArraySlice<UInt8>) throws(MCPFailure) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.parse(text, maxDepth: JSONReader.deepestNesting)
        } catch {
            throw .unexpectedResponse
        }
    }

    /// The value as JSON on one line, without what readers of JSON refuse: halves of surrogate pairs, deep nesting, long numbers.
    static func readable(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        readable(value, depth: 1).write(into: &bytes)
        return bytes
    }

    private static func readable(_ value: JSONValue, depth: Int) -> JSONValue {
        switch value.kind {
        case .array where depth > maxDepth, .object where depth > maxDepth:
            JSONValue(.string(value.description))
        case .array(let elements):
            JSONValue(.array(elements.map { readable($0, depth: depth + 1) }))
        case .object(let members):
            JSONValue(.object(members.map { JSONMember($0.name, readable($0.value, depth: depth + 1)) }))
        case .number(let number) where number.text.utf8.count > longestNumber:
            JSONValue(.string(number.text))
        case .null, .boolean, .number, .string:
            value
        }
    }
}
