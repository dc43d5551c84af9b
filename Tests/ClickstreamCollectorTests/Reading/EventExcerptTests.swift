import ClickstreamCore
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Event excerpt")
struct EventExcerptTests {
    private func excerpt(_ text: String, _ maxBytes: Int) -> String {
        String(decoding: EventExcerpt.make(of: Array(text.utf8)[...], maxBytes: maxBytes), as: UTF8.self)
    }

    @Test("cuts long strings between two characters, and keeps the rest")
    func strings() throws {
        let long = String(repeating: "é", count: 1_000)
        let text = excerpt(#"{ "a" : "\#(long)", "b":[1, true ,null] }"#, 10_000)
        let value = try JSONReader.parse(Array(text.utf8))
        #expect(value["a"]?.string == String(repeating: "é", count: 511) + "…")
        #expect(text.hasSuffix(#","b":[1,true,null]}"#))
        for start in 0..<12 {
            let pairs = String(repeating: "x", count: start) + String(repeating: #"\ud83d\ude00"#, count: 200)
            _ = try JSONReader.parse(Array(excerpt("[\"\(pairs)\"]", 10_000).utf8))
        }
    }

    @Test("cuts a plain text like the same text in JSON", arguments: ["x", "é", "€", "😀", "a\u{301}"], [0, 1, 2, 3])
    func plainText(part: String, offset: Int) throws {
        let long = String(repeating: "y", count: offset) + String(repeating: part, count: 2_000)
        let value = try JSONReader.parse(Array(excerpt("\"\(long)\"", 10_000).utf8))
        #expect(EventExcerpt.beginning(of: Array(long.utf8)) == value.string)
    }

    @Test("is well-formed and bounded, for any value")
    func fuzz() throws {
        var random = SplitMix(seed: 7)
        func value(_ depth: Int) -> String {
            switch Int(random.next() % (depth > 6 ? 4 : 6)) {
            case 0: return "\"" + String(repeating: #"a\n\u00e9é😀\\"#, count: Int(random.next() % 400)) + "\""
            case 1: return String(repeating: "7", count: 1 + Int(random.next() % 2_000))
            case 2: return ["true", "false", "null", "-1.5e3"][Int(random.next() % 4)]
            case 3: return " \"\" "
            case 4:
                return "[" + (0..<Int(random.next() % 6)).map { _ in value(depth + 1) }.joined(separator: " ,\n") + "]"
            default:
                let members = (0..<Int(random.next() % 6)).map { "\"k\($0)\": \(value(depth + 1))" }
                return "{" + members.joined(separator: ",") + "}"
            }
        }
        for _ in 0..<500 {
            let text = value(0)
            let maxBytes = 1 + Int(random.next() % 4_096)
            let excerpt = EventExcerpt.make(of: Array(text.utf8)[...], maxBytes: maxBytes)
            #expect(excerpt.count <= maxBytes + 4 * EventExcerpt.stringBytes)
            #expect(throws: Never.self) { try JSONReader.parse(excerpt) }
        }
    }
}
