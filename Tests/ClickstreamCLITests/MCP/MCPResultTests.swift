import ClickstreamCore
import Testing

@testable import clickstream_cli

@Suite("Results of the Model Context Protocol")
struct MCPResultTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("contain the object as text and as a value, failures as text alone")
    func results() throws {
        let object = #"{"a":"b\"c\nd"}"#
        let success = try JSONReader.parse(MCPResult.success(Array(object.utf8)))
        #expect(success["isError"]?.boolean == false)
        #expect(success["structuredContent"]?.description == object)
        #expect(success["content"]?.array?.count == 1)
        #expect(success["content"]?.array?.first?["type"]?.string == "text")
        #expect(success["content"]?.array?.first?["text"]?.string == object)
        let failure = MCPResult.failure(MCPFailure(.tooLarge, "too large", next: "7"))
        #expect(
            Self.text(failure)
                == #"{"content":[{"text":"{\"code\":\"too_large\",\"error\":\"too large\",\"next\":\"7\"}","type":"text"}],"isError":true}"#
        )
    }

    private static let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)

    @Test("have nothing that a reader of JSON refuses")
    func readable() throws {
        let long = String(repeating: "9", count: 5_000)
        let text = #"{ "a" : "\ud800x\u000a", "b":\#(long), "c":\#(Self.deep), "d":[1.50,-0,1E5,true,null] }"#
        let line = MCPResult.readable(try MCPResult.value(Array(text.utf8)[...]))
        let value = try JSONReader.parse(line, maxDepth: MCPResult.maxDepth + 1)
        #expect(value["a"]?.string == "\u{FFFD}x\n")
        #expect(value["b"]?.string == long)
        #expect(value["d"]?.description == "[1.50,-0,1E5,true,null]")
        #expect(!line.contains(UInt8(ascii: "\n")))
        var inner = value["c"]
        var depth = 1
        while let next = inner?.array?.first { (inner, depth) = (next, depth + 1) }
        #expect(depth == MCPResult.maxDepth)
        #expect(inner?.string == String(Self.deep.dropFirst(depth - 1).dropLast(depth - 1)))
    }

    @Test("are refused with the advice if they are too large")
    func tooLarge() throws {
        let body = Array(#"{"a":"\#(String(repeating: "x", count: 100))"}"#.utf8)
        #expect(try MCPResult.object(body, maxBytes: body.count, advice: "") == body)
        for limit in [body.count - 1, 10] {
            #expect(
                throws: MCPFailure(.tooLarge, "the result has \(body.count) bytes, more than \(limit); use less")
            ) {
                try MCPResult.object(body, maxBytes: limit, advice: "use less")
            }
        }
    }

    // MARK: - Lists

    /// A list with so many elements of about 30 bytes.
    private static func list(_ count: Int, next: String) -> [UInt8] {
        let elements = (1...count).map { #"{"seq":\#(10 * $0),"text":"abcdefghij"}"# }
        return Array(#"{"events":[\#(elements.joined(separator: ","))],"next":\#(next),"other":1}"#.utf8)
    }

    private static func page(
        _ body: [UInt8],
        _ cursor: MCPList.Cursor,
        from start: Int = 0,
        _ maxBytes: Int
    ) throws -> JSONValue {
        let page = try MCPList(body, "events").page(cursor, from: start, maxBytes: maxBytes, advice: "use less")
        #expect(page.count <= maxBytes)
        return try JSONReader.parse(page)
    }

    @Test("have as many elements as fit, and the cursor of the others")
    func pages() throws {
        let body = Self.list(20, next: #""999""#)
        let whole = try Self.page(body, .sequence, 10_000)
        #expect(whole["events"]?.array?.count == 20)
        #expect(whole["next"]?.string == "999")
        #expect(whole["other"]?.integer == 1)
        let part = try Self.page(body, .sequence, 300)
        let count = try #require(part["events"]?.array?.count)
        #expect((1..<20).contains(count))
        #expect(part["next"]?.string == "\(10 * count)")
        #expect(try Self.page(Self.list(1, next: "null"), .sequence, 300)["next"]?.isNull == true)
    }

    @Test("return each element once along the cursors by index")
    func indexes() throws {
        let body = Self.list(20, next: "null")
        var start: Int? = 0
        var sequences: [Int64] = []
        while let from = start {
            let page = try Self.page(body, .index, from: from, 300)
            sequences += (page["events"]?.array ?? []).compactMap { $0["seq"]?.integer }
            start = page["next"]?.string.flatMap { Int($0) }
        }
        #expect(sequences == (1...20).map { 10 * $0 })
        let past = try Self.page(body, .index, from: .max, 300)
        #expect(past["events"]?.array?.isEmpty == true && past["next"]?.isNull == true)
    }

    @Test("leave out the largest lists beside the elements, and name them, so that elements fit")
    func others() throws {
        let long = (1...40).map { "\"u-\($0)\"" }.joined(separator: ",")
        let longer = String(repeating: "x", count: 400)
        let text =
            #"{"id":"s","screens":[{"name":"\#(longer)"}],"timeline":[{"seq":1},{"seq":2}],"users":[\#(long)],"few":[1]}"#
        let pages: [Int: [String]] = [4_096: [], 700: ["screens"], 300: ["screens", "users"]]
        for (maxBytes, omitted) in pages {
            let list = try MCPList(Array(text.utf8), "timeline")
            let page = try list.page(.index, maxBytes: maxBytes, advice: "")
            #expect(page.count <= maxBytes)
            let value = try JSONReader.parse(page)
            #expect(value["timeline"]?.array?.count == 2)
            #expect((value["omitted"]?.array ?? []).compactMap(\.string) == omitted)
            for name in ["screens", "users"] { #expect((value[name] == nil) == omitted.contains(name)) }
            #expect(value["id"]?.string == "s" && value["few"]?.array?.count == 1)
        }
    }

    @Test(
        "report an element that is too large alone, with the cursor after it",
        arguments: [(MCPList.Cursor.sequence, "10"), (.index, "1")]
    )
    func largeElement(cursor: MCPList.Cursor, next: String) throws {
        let failure = MCPFailure(
            .tooLarge,
            "an element of events has 30 bytes, which do not fit into a result of 100; use less",
            next: next
        )
        #expect(throws: failure) { try Self.page(Self.list(3, next: "null"), cursor, 100) }
    }

    @Test("report a response that is not a collector's", arguments: ["", "[]", "{}", #"{"events":1}"#, "<html>"])
    func foreign(body: String) {
        #expect(throws: MCPFailure.unexpectedResponse) { try MCPList(Array(body.utf8), "events") }
    }
}
