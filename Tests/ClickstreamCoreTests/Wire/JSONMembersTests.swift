import Testing

@testable import ClickstreamCore

@Suite("Members of a JSON object")
struct JSONMembersTests {
    private func named(_ name: String, _ text: String, maxCount: Int = 10) throws -> [String] {
        let bytes = Array(text.utf8)
        return try bytes.withUnsafeBytes { raw in
            try JSONReader.members(named: name, of: raw, maxCount: maxCount).map { found in
                String(decoding: bytes[found.member], as: UTF8.self) + "|"
                    + String(decoding: bytes[found.value], as: UTF8.self)
            }
        }
    }

    private func all(_ text: String, maxCount: Int = 10) throws -> [String] {
        let bytes = Array(text.utf8)
        return try bytes.withUnsafeBytes { raw in
            try JSONReader.members(of: raw, maxCount: maxCount).map { found in
                found.name + "|" + String(decoding: bytes[found.value], as: UTF8.self)
            }
        }
    }

    @Test("of a name are found with their places, also with escapes in the name, and not in nested objects")
    func named() throws {
        #expect(try named("a", "{\"a\":1,\"b\":{\"a\":2},\"a\":[3]}") == ["\"a\":1|1", "\"a\":[3]|[3]"])
        #expect(try named("ab", "{\"\\u0061b\":true,\"a\\u0062c\":false}") == ["\"\\u0061b\":true|true"])
        #expect(try named("a", "{\"\\u0062\\u0062\\u0062\":1}") == [])
        #expect(try named("a", " {} ") == [])
        // Compared by scalars.
        #expect(try named("\u{E9}", "{\"e\\u0301\":1,\"\\u00e9\":2}") == ["\"\\u00e9\":2|2"])
    }

    @Test("are listed in order, with duplicated names")
    func all() throws {
        #expect(try all("{\"a\":1,\"b\":\"x\",\"a\":{\"c\":[]}}") == ["a|1", "b|\"x\"", "a|{\"c\":[]}"])
        #expect(try all("{}") == [])
    }

    @Test(
        "are refused in a text that is no object, or damaged",
        arguments: ["", "[]", "1", "{", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1", "{\"a\":1,}", "{\"a\":1} x"]
    )
    func refused(text: String) {
        #expect(throws: JSONError.self) { try named("a", text) }
        #expect(throws: JSONError.self) { try all(text) }
    }

    @Test("are refused if there are too many")
    func tooMany() throws {
        let text = "{\"a\":1,\"a\":2,\"b\":3}"
        #expect(try named("a", text, maxCount: 2).count == 2)
        #expect(throws: JSONError.self) { try named("a", text, maxCount: 1) }
        #expect(try all(text, maxCount: 3).count == 3)
        #expect(throws: JSONError.self) { try all(text, maxCount: 2) }
    }
}

@Suite("Attributes from JSON")
struct AttributesJSONTests {
    private func attributes(_ text: String) throws -> Attributes {
        try Array(text.utf8).withUnsafeBytes { try Attributes(json: $0) }
    }

    @Test("have the types of the text, in its order; of two values with one name the latest wins")
    func values() throws {
        let read = try attributes("{\"s\":\"x\\n\",\"i\":-7,\"d\":1.5,\"t\":true,\"f\":false,\"s\":\"y\"}")
        #expect(read == ["s": "y", "i": -7, "d": 1.5, "t": true, "f": false])
        #expect(read.map(\.name) == ["s", "i", "d", "t", "f"])
        #expect(try attributes("{}").isEmpty)
    }

    @Test(
        "are refused with other values, and in other texts",
        arguments: ["", "[]", "{\"a\":null}", "{\"a\":[1]}", "{\"a\":{}}", "{a:1}", "{\"a\":1", "{\"a\":tru}", "{} 1"]
    )
    func refused(text: String) {
        #expect(throws: JSONError.self) { try attributes(text) }
    }
}
