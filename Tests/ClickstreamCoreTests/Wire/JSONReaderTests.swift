import ClickstreamCore
import Foundation
import Testing

@Suite("JSONReader")
struct JSONReaderTests {
    private func parsed(_ text: String) throws -> JSONValue {
        try JSONReader.parse(Array(text.utf8))
    }

    @Test(
        "reads every type of value",
        arguments: [
            ("null", .null),
            (" true ", .boolean(true)),
            ("\t\r\nfalse\n", .boolean(false)),
            ("\"\"", .string("")),
            ("\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", .string("a\"\\/\u{8}\u{C}\n\r\tz")),
            ("\"\\u0041\\u00e9\\u4E2d\"", .string("A\u{E9}\u{4E2D}")),
            ("\"\\uD83D\\uDE00\"", .string("\u{1F600}")),
            ("\"\\uD83D\"", .string("\u{FFFD}")),
            ("\"\\uDE00x\"", .string("\u{FFFD}x")),
            ("\"\\uD83D\\u0041\"", .string("\u{FFFD}A")),
            ("\"\\uD83D\\uD83D\\uDE00\"", .string("\u{FFFD}\u{1F600}")),
            ("\"\u{E9}\u{4E2D}\u{1F600}\u{7F}\"", .string("\u{E9}\u{4E2D}\u{1F600}\u{7F}")),
            ("[]", .array([])),
            ("[ ]", .array([])),
            ("{}", .object([])),
            (
                "[1 , \"a\",[null]]",
                .array([
                    JSONValue(.number(JSONNumber(integer: 1))), JSONValue(.string("a")),
                    JSONValue(.array([JSONValue(.null)])),
                ])
            ),
            (
                "{\"a\" : 1,\"a\":true}",
                .object([
                    JSONMember("a", JSONValue(.number(JSONNumber(integer: 1)))),
                    JSONMember("a", JSONValue(.boolean(true))),
                ])
            ),
        ] as [(String, JSONValue.Kind)]
    )
    func reads(text: String, kind: JSONValue.Kind) throws {
        #expect(try parsed(text).kind == kind)
    }

    @Test(
        "keeps a number's text and value",
        arguments: [
            ("0", 0, 0), ("-0", 0, -0.0), ("12", 12, 12), ("-7", -7, -7),
            ("9223372036854775807", .max, 0x1p63),
            ("-9223372036854775808", .min, -0x1p63),
            ("9223372036854775808", nil, 0x1p63),
            ("-9223372036854775809", nil, -0x1p63),
            ("9007199254740993", 9_007_199_254_740_993, 9_007_199_254_740_992),
            ("99.9", nil, 99.9), ("1.0", nil, 1), ("1.50", nil, 1.5), ("2e3", nil, 2_000), ("2E+3", nil, 2_000),
            ("25e-1", nil, 2.5), ("1e999", nil, .infinity), ("-1e999", nil, -.infinity), ("1e-999", nil, 0),
            ("5e-324", nil, .leastNonzeroMagnitude),
        ] as [(String, Int64?, Double)]
    )
    func numbers(text: String, integer: Int64?, double: Double) throws {
        let number = try #require(try parsed(text).number)
        #expect(number == JSONNumber(text: text, integer: integer, double: double))
        #expect(number.double.sign == double.sign)
    }

    @Test(
        "reports the problem and its position",
        arguments: [
            ("", .empty, 0), (" \n", .empty, 2), ("[", .endOfText, 1), ("[1", .endOfText, 2), ("[1,", .endOfText, 3),
            ("[1,]", .syntax, 3), ("[,1]", .syntax, 1), ("[1 2]", .syntax, 3), ("[1}", .syntax, 2),
            ("{", .endOfText, 1), ("{\"a\"", .endOfText, 4), ("{\"a\":", .endOfText, 5), ("{\"a\":1", .endOfText, 6),
            ("{\"a\":1,}", .syntax, 7), ("{a:1}", .syntax, 1), ("{\"a\" 1}", .syntax, 5), ("{1:1}", .syntax, 1),
            ("{\"a\":1]", .syntax, 6), ("1 2", .syntax, 2), ("nul", .endOfText, 3), ("nulL", .syntax, 0),
            ("True", .syntax, 0), ("NaN", .syntax, 0), ("01", .syntax, 0), ("-", .endOfText, 1), ("-a", .syntax, 1),
            ("+1", .syntax, 0), (".5", .syntax, 0), ("1.", .endOfText, 2), ("1.e", .syntax, 2), ("1e", .endOfText, 2),
            ("1e+", .endOfText, 3), ("0x1", .syntax, 1), ("-01", .syntax, 1), ("\"", .endOfText, 1),
            ("\"a", .endOfText, 2), ("\"\\", .endOfText, 2), ("\"\\x\"", .syntax, 2), ("\"\\u12\"", .syntax, 5),
            ("\"\\u12", .endOfText, 5), ("\"a\nb\"", .syntax, 2), ("\"\0\"", .syntax, 1), ("\"\u{1F}\"", .syntax, 1),
            ("\0", .syntax, 0), ("\u{FEFF}1", .syntax, 0), ("'a'", .syntax, 0), ("[1]//", .syntax, 3),
            ("\u{A0}1", .syntax, 0),
        ] as [(String, JSONError.Kind, Int)]
    )
    func refuses(text: String, kind: JSONError.Kind, offset: Int) throws {
        let error = #expect(throws: JSONError.self) { try parsed(text) }
        #expect(error?.kind == kind)
        #expect(error?.offset == offset)
        let checked = #expect(throws: JSONError.self) {
            try Array(text.utf8).withUnsafeBytes { try JSONReader.check($0) }
        }
        #expect(checked == error)
    }

    @Test(
        "rejects invalid UTF-8, at the byte where it begins",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82],
            [0xE2, 0x28, 0xA1],
            [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80],
            [0xFF], [0xF0, 0x9F, 0x98, 0x28],
        ] as [[UInt8]]
    )
    func refusesInvalidUTF8(bytes: [UInt8]) {
        for prefix in ["", "a", "abcdefgh", "\u{E9}"] {
            let text = Array("\"\(prefix)".utf8) + bytes + Array("\"".utf8)
            let error = #expect(throws: JSONError.self) { try JSONReader.parse(text) }
            #expect(error?.kind == .invalidUTF8)
            #expect(error?.offset == 1 + prefix.utf8.count)
        }
    }

    @Test(
        "rejects half of a surrogate pair on request",
        arguments: [("\"\\uD83D\\uDE00\"", nil), ("\"\\uD83D\"", 1), ("\"x\\uDE00\"", 2), ("\"\\uD83D\\u0041\"", 1)]
            as [(String, Int?)]
    )
    func loneSurrogates(text: String, offset: Int?) {
        var found: JSONError?
        do throws(JSONError) {
            _ = try JSONReader.parse(Array(text.utf8), loneSurrogates: .refused)
        } catch {
            found = error
        }
        #expect(found?.offset == offset)
        #expect(found.map { $0.kind == .loneSurrogate } ?? true)
    }

    @Test("nests as deep as allowed and no deeper", arguments: [1, 2, 128, 512])
    func depth(limit: Int) throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ depth: Int) -> [UInt8] {
                Array((String(repeating: open, count: depth) + "[]" + String(repeating: close, count: depth)).utf8)
            }
            _ = try JSONReader.parse(nested(limit - 1), maxDepth: limit)
            let error = #expect(throws: JSONError.self) { try JSONReader.parse(nested(limit), maxDepth: limit) }
            #expect(error?.kind == .depthExceeded)
        }
        let endless = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        let error = #expect(throws: JSONError.self) { try JSONReader.parse(endless, maxDepth: .max) }
        #expect(error?.kind == .depthExceeded)
    }

    @Test("contains the offset of every value and name")
    func offsets() throws {
        let value = try parsed(" {\"a\" : [1, true], \"b\":null}")
        #expect(value.offset == 1)
        let members = try #require(value.members)
        #expect(members.map(\.nameOffset) == [2, 19])
        #expect(members.map(\.value.offset) == [8, 23])
        #expect(members[0].value.array?.map(\.offset) == [9, 12])
    }

    @Test("accesses objects by name: of equal names the last is used")
    func conveniences() throws {
        let value = try parsed("{\"a\":1,\"s\":\"x\",\"a\":2.5,\"t\":true,\"n\":null,\"l\":[1]}")
        #expect(value["a"]?.double == 2.5)
        #expect(value["a"]?.integer == nil)
        #expect(value["s"]?.string == "x")
        #expect(value["t"]?.boolean == true)
        #expect(value["n"]?.isNull == true)
        #expect(value["l"]?.array?.first?.integer == 1)
        #expect(value["missing"] == nil)
        #expect(value["s"]?["a"] == nil)
    }

    @Test(
        "returns lines and columns from 1",
        arguments: [
            ("abc", 0, 1, 1), ("abc", 2, 1, 3), ("a\nb", 2, 2, 1), ("a\r\nb", 3, 2, 1), ("a\rb", 2, 2, 1),
            ("\u{E9}\u{1F600}x", 6, 1, 3), ("a\n\nbc", 4, 3, 2), ("ab", 9, 1, 3), ("ab", -1, 1, 1),
        ]
    )
    func positions(text: String, offset: Int, line: Int, column: Int) {
        #expect(SourcePosition(of: offset, in: text.utf8) == SourcePosition(line: line, column: column))
    }

    @Test("splits an array into the bytes of its elements")
    func splits() throws {
        let text = Array(" [ {\"a\":\"],[\\\"\"} ,1.5e3,\"x\" , [ ] ,null ] ".utf8)
        let elements = try JSONReader.elements(of: text[...]).map { String(decoding: text[$0], as: UTF8.self) }
        #expect(elements == ["{\"a\":\"],[\\\"\"}", "1.5e3", "\"x\"", "[ ]", "null"])
        #expect(try JSONReader.elements(of: Array("[]".utf8)[...]) == [])
    }

    @Test("returns ranges in the array of bytes for a part of it")
    func parts() throws {
        let text = Array("x: [{\"a\":1}, 2]".utf8)
        let elements = try JSONReader.elements(of: text[3...])
        #expect(elements == [4..<11, 13..<14])
        let members = try JSONReader.members(of: text[elements[0]], maxCount: 1)
        #expect(members.map(\.value) == [9..<10])
        let number = try JSONReader.parse(text[elements[1]], within: .none).value
        #expect(number.integer == 2)
    }

    @Test(
        "splits only arrays",
        arguments: [("{}", .notAnArray), ("1", .notAnArray), ("", .empty), ("[1]]", .syntax)]
            as [(String, JSONError.Kind)]
    )
    func splitsArraysOnly(text: String, kind: JSONError.Kind) {
        let error = #expect(throws: JSONError.self) { try JSONReader.elements(of: Array(text.utf8)[...]) }
        #expect(error?.kind == kind)
    }

    @Test("is written as read, and agrees with the splitter and the validation on damaged texts", arguments: 0..<40)
    func roundTrips(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            let value = JSONValue(.array((0..<3).map { _ in randomValue(depth: 3, &random) }))
            var bytes: [UInt8] = []
            value.write(into: &bytes)
            let read = try JSONReader.parse(bytes)
            #expect(read == value)
            let elements = try JSONReader.elements(of: bytes[...])
            #expect(try elements.map { try JSONReader.parse(Array(bytes[$0])) } == value.array)
            let foreign = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            #expect(same(read, foreign))

            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[index] = UInt8.random(in: 0...255, using: &random)
                case 1: damaged.remove(at: index)
                default: damaged.insert(Array("[]{},:\"\\0e-".utf8).randomElement(using: &random) ?? 0, at: index)
                }
                if damaged.isEmpty { break }
            }
            let parses = (try? JSONReader.parse(damaged)) != nil  // only whether it fails is asked
            let checks = (try? damaged.withUnsafeBytes { try JSONReader.check($0) }) != nil  // likewise
            #expect(parses == checks)
        }
    }

    private func randomValue(depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return JSONValue(.null)
        case 1: return JSONValue(.boolean(Bool.random(using: &random)))
        case 2: return JSONValue(.number(JSONNumber(integer: Int64.random(in: .min ... .max, using: &random))))
        case 3: return JSONValue(.number(JSONNumber(double: Double.random(in: -1e6...1e6, using: &random))))
        case 4: return JSONValue(.string(randomText(&random)))
        case 5:
            return JSONValue(
                .array((0..<Int.random(in: 0...4, using: &random)).map { _ in randomValue(depth: depth - 1, &random) })
            )
        default:
            return JSONValue(
                .object(
                    (0..<Int.random(in: 0...4, using: &random)).map {
                        JSONMember("\($0)" + randomText(&random), randomValue(depth: depth - 1, &random))
                    }
                )
            )
        }
    }

    /// True if Foundation reads the same value.
    private func same(_ value: JSONValue, _ foreign: Any) -> Bool {
        switch value.kind {
        case .null: foreign is NSNull
        case .boolean(let truth): foreign as? Bool == truth
        case .number(let number):
            // Foundation goes through `Decimal` and is off in the last place.
            (foreign as? NSNumber).map { abs($0.doubleValue - number.double) <= abs(number.double) * 1e-14 } ?? false
        case .string(let text): foreign as? String == text
        case .array(let elements):
            (foreign as? [Any]).map { $0.count == elements.count && zip(elements, $0).allSatisfy { same($0, $1) } }
                ?? false
        case .object(let members):
            (foreign as? [String: Any]).map { object in
                object.count == members.count
                    && members.allSatisfy { member in object[member.name].map { same(member.value, $0) } ?? false }
            } ?? false
        }
    }
}
