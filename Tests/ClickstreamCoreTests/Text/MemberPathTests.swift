import Testing

@testable import ClickstreamCore

@Suite("Path of member names")
struct MemberPathTests {
    private static func value(at path: [String], _ text: String) -> String? {
        let bytes = Array(text.utf8)
        let range = bytes.withUnsafeBytes { MemberPath(path).value(in: $0) }
        return range.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// The same by ``JSONReader/members(named:of:maxDepth:maxCount:)``, which validates each object that it passes.
    private static func plainRange(at path: [String], _ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        var value = bytes[...]
        for name in path {
            // A value other than an object has no members.
            let members = try? JSONReader.members(
                named: name,
                of: UnsafeRawBufferPointer(rebasing: value),
                maxCount: MemberPath.maxDuplicates
            )
            guard let last = members?.last?.value else { return nil }
            value = value[value.startIndex + last.lowerBound..<value.startIndex + last.upperBound]
        }
        return value.startIndex..<value.endIndex
    }

    @Test(
        "leads to the value of the last member with the name",
        arguments: [
            (["a"], #"{"a":1}"#, "1"), (["a"], #"{"b":{"a":2},"a":[3,"]"]}"#, #"[3,"]"]"#),
            (["a", "b"], #"{"a" : {"b" : "x\"}" } }"#, #""x\"}""#), (["a"], #"{"a":1,"\u0061":2}"#, "2"),
            (["a", "b"], #"{"a":{"b":1},"a":2}"#, nil), (["a", "b"], #"{"a":{"b":1},"a":{}}"#, nil),
            (["a", "b"], #"{"a":2,"a":{"b":3}}"#, "3"), (["a"], "[1]", nil), (["a"], "{}", nil), (["a"], #""a""#, nil),
            ([""], #"{"":true}"#, "true"), (["\u{0}"], #"{"\u0000":-1.5e3 }"#, "-1.5e3"),
            (["\u{1F600}"], #"{"\ud83D\uDE00":null}"#, "null"), (["\u{FFFD}"], #"{"\ud800":1}"#, "1"),
            (["\u{E9}"], #"{"e\u0301":1}"#, nil), (["e\u{301}"], #"{"e\u0301":1}"#, "1"),
            (["a\"b\\"], #"{"a\"b\\":1}"#, "1"), ([], "7", "7"),
        ] as [([String], String, String?)]
    )
    func values(path: [String], text: String, value: String?) {
        #expect(Self.value(at: path, text) == value)
    }

    @Test(
        "leads to no value of an object with too many members of that name",
        arguments: [(65_536, "2"), (65_537, nil)] as [(Int, String?)]
    )
    func duplicates(count: Int, value: String?) {
        let members = String(repeating: #""a":1,"#, count: count - 1)
        #expect(Self.value(at: ["a"], "{\(members)\"\\u0061\":2}") == value)
    }

    @Test("leads where a strict reader finds the value", arguments: 0..<20 as Range<UInt64>)
    func agreement(seed: UInt64) {
        var random = RandomJSON(seed: seed)
        var found = 0
        for _ in 0..<500 {
            let text = random.event()
            let path = (0..<Int.random(in: 1...3, using: &random.generator)).map { _ in random.name() }
            let bytes = Array(text.utf8)
            bytes.withUnsafeBytes { raw in
                let range = MemberPath(path).value(in: raw)
                #expect(range == Self.plainRange(at: path, raw), "\(path) \(text)")
                if range != nil { found += 1 }
            }
        }
        #expect(found > 10)
    }

    @Test("finds elements of an array, and their values, as a strict reader does", arguments: 0..<20 as Range<UInt64>)
    func elements(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        let texts = (0..<20).map { _ in random.event() }
        let text = Array(" [ \(texts.joined(separator: " ,")) ] ".utf8)
        let end = text.count - 1
        try text.withUnsafeBytes { bytes in
            let array = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            let ranges = try JSONReader.elements(of: array)
            #expect(ranges.count == texts.count)
            let path = MemberPath(["a", "b"])
            // Every second element, so that others are passed.
            var elements = JSONElements(array, from: 1)
            for range in ranges.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
                let element = elements.element(at: range.lowerBound, path)
                let found = try #require(element)
                let event = UnsafeRawBufferPointer(rebasing: bytes[range])
                let value = path.value(in: event).map {
                    $0.lowerBound + range.lowerBound..<$0.upperBound + range.lowerBound
                }
                #expect(found.range == range)
                #expect(found.value == value)
            }
            var others = JSONElements(array, from: 1)
            let within = others.element(at: ranges[1].lowerBound + 1, nil)
            #expect(within == nil)
            var none = JSONElements(array, from: 0)
            let outside = none.element(at: ranges[0].lowerBound, nil)
            #expect(outside == nil)
        }
    }

    @Test("reads texts that are not well-formed without a trap", arguments: 0..<20 as Range<UInt64>)
    func malformed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let marks = Array("{}[]\",:\\a1 ".utf8)
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                marks[Int.random(in: marks.indices, using: &random)]
            }
            text.withUnsafeBytes { bytes in
                for offset in 0..<bytes.count {
                    var elements = JSONElements(bytes, from: 0)
                    let found = elements.element(at: offset, MemberPath(["a", "1"]))
                    #expect(found.map { $0.range.upperBound <= bytes.count } ?? true)
                    #expect(found?.value.map { $0.upperBound <= bytes.count } ?? true)
                }
            }
        }
    }
}

/// JSON texts with duplicate names, escapes and white space wherever they may be.
private struct RandomJSON {
    private static let names = [
        "a", "b", "", "\u{E9}", "e\u{301}", "a.b", "\u{0}", "\u{1F600}", "\u{FFFD}", "x\"y", "\\", "attributes",
    ]
    private static let scalars = ["0", "-0.50", "12e3", "true", "false", "null", "\"}\"", "\"\\\\\"", "\"\\\"]\""]

    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    private mutating func one(of texts: [String]) -> String {
        texts[Int.random(in: 0..<texts.count, using: &generator)]
    }

    mutating func name() -> String { one(of: Self.names) }

    mutating func event() -> String { chance(20) ? value(depth: 0) : object(depth: 0) }

    private mutating func space() -> String { chance(5) ? one(of: [" ", "\n\t", "  \r"]) : "" }

    /// A name as a string, with random escapes.
    private mutating func member() -> String {
        if chance(20) { return one(of: ["\"\\ud800\"", "\"\\uDC00\""]) }
        var text = "\""
        for scalar in name().unicodeScalars {
            if scalar == "\"" || scalar == "\\", chance(2) {
                text += "\\\(scalar)"
            } else if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || chance(4) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: chance(2))
                    text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 4 ? 3 : 7), using: &generator) {
        case 0...2: one(of: Self.scalars)
        case 3: list("[", "]") { $0.value(depth: depth + 1) }
        default: object(depth: depth)
        }
    }

    private mutating func object(depth: Int) -> String {
        list("{", "}") { "\($0.member())\($0.space()):\($0.space())\($0.value(depth: depth + 1))" }
    }

    private mutating func list(_ begin: String, _ end: String, _ element: (inout RandomJSON) -> String) -> String {
        var elements: [String] = []
        for _ in 0..<Int.random(in: 0..<6, using: &generator) { elements.append(space() + element(&self) + space()) }
        return begin + (elements.isEmpty ? space() : elements.joined(separator: ",")) + end
    }
}
