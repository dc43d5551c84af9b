import ClickstreamCore
import TestSupport
import Testing

@testable import clickstream_cli

@Suite("Events of a collector's response")
struct ReceivedEventTests {
    /// Parts of an event that take much more memory as values than as text.
    enum Part: String, CaseIterable, Sendable {
        case numbers
        case objects
        case lists
        case members
        case rows

        func event(_ count: Int) -> String {
            func list(_ element: (Int) -> String) -> String { (0..<count).map(element).joined(separator: ",") }
            return switch self {
            case .numbers: #"{"a":[\#(list { _ in "1" })]}"#
            case .objects: #"{"a":[\#(list { _ in "{}" })]}"#
            case .lists: #"{"a":[\#(list { _ in "[[]]" })]}"#
            case .members: #"{"a":{\#(list { #""a\#($0)":1"# })}}"#
            case .rows: #"{"_id":"1","data":"{\"t\":{\"insertions\":[\#(list { _ in "{}" })]}}"}"#
            }
        }
    }

    /// - Parameter space: between the tokens of the element.
    private static func element(_ event: String, space: String = "") -> String {
        [
            "{", #""event""#, ":", event, ",", #""form""#, ":", #""audit""#, ",", #""name""#, ":", #""write""#, ",",
            #""violations""#, ":", "[", "{", #""code""#, ":", #""a \\\" b""#, "}", "]", ",", #""seq""#, ":", "7", ",",
            #""request_id""#, ":", #""0a""#, "}",
        ].joined(separator: space)
    }

    private static func received(_ text: String) throws -> ReceivedEvent {
        try ReceivedEvent(text: Array(text.utf8)[...])
    }

    private static func count(_ value: JSONValue) -> Int {
        1 + (value.array ?? []).reduce(0) { $0 + count($1) } + (value.members ?? []).reduce(0) { $0 + count($1.value) }
    }

    @Test("are built in part, with their findings, and printed whole", arguments: Part.allCases)
    func bounded(_ part: Part) throws {
        let json = part.event(100_000)
        let event = try Self.received(Self.element(json, space: "\n "))
        #expect(Self.count(event.element) < 66_000)
        #expect(event.violations.map(\.code) == [#"a \" b"#])
        #expect(event.key == ReceivedEvent.Key(sequence: 7, requestID: "0a"))
        let lines = TailLine(format: .json, style: Style(isColoured: false)).lines(of: event)
        #expect(lines == [Self.element(json)])
    }

    @Test("take time in proportion to their length", arguments: Part.allCases)
    func linear(_ part: Part) throws {
        let growth = try TimeGrowth(from: 5_000) { count in
            Self.element(part.event(count))
        } of: { text in
            let event = try Self.received(text)
            for format in TailCommand.Format.allCases {
                _ = TailLine(format: format, style: Style(isColoured: false)).lines(of: event)
            }
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test(
        "have the number of rows of each table, however many there are",
        arguments: [
            (#"{"type":"t","value":[{},{},{}]}"#, ["t=3"]), (#"{"type":"t","value":null}"#, ["t=0"]),
            (
                #"{"t":{"insertions":[{"a":[1,2]},{}],"deletions":[]},"u":{"modifications":[1]}}"#,
                ["t.insertions=2", "t.deletions=0", "u.modifications=1"]
            ),
            (#"{"type":{},"value":{"a":[1]}}"#, ["value.a=1"]), ("[1]", []), ("7", []), ("no JSON", ["data=no JSON"]),
        ]
    )
    func rows(data: String, counts: [String]) throws {
        let event = #"{"_id":"1","event":"write","data":\#(JSONValue(.string(data)).description)}"#
        let attributes = try Self.received(Self.element(event)).attributes
        #expect(attributes.map { "\($0.name)=\($0.value.plainText ?? "")" } == counts)
        let many = "[" + Array(repeating: "{}", count: 70_000).joined(separator: ",") + "]"
        let text = JSONValue(.string(#"{"t":{"insertions":\#(many)}}"#)).description
        let values = try Self.received(Self.element(#"{"event":"write","data":\#(text)}"#)).attributes
        #expect(values.map { $0.value.integer } == [70_000])
    }
}
