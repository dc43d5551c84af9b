import ClickstreamCore
import Testing

@testable import clickstream_cli

@Suite("History of a row")
struct RowHistoryTests {
    private static let row = EventQuery.Row(table: "orders", key: "17")

    /// An element of `/api/audit`.
    static func element(_ kind: String, _ data: String, at time: String = "08:00", _ metadata: String = "") -> String {
        let data = JSONValue(.string(data)).description
        return #"{"seq":1,"form":"audit","name":"\#(kind)","status":"good","violations":[],"request_id":"r","#
            + #""received_at":1700000000000,"event":{"_id":"5f0c0000000000000000aaaa","event":"\#(kind)","#
            + #""activity":"pay","timestamp":"2026-11-21T\#(time):00.000Z","data":\#(data)\#(metadata)}}"#
    }

    private func event(_ text: String, isJSON: Bool = false) throws -> RowHistory.Event {
        RowHistory.Event(try ReceivedEvent(text: Array(text.utf8)[...]), about: Self.row, isJSON: isJSON)
    }

    private static let update =
        #"{"orders":{"modifications":[{"oldValue":{"id":17,"state":"open"},"newValue":{"state":"paid"}}]}}"#

    @Test(
        "has a line for each change, with time, activity, kind, author and columns",
        arguments: [
            ("write", update, "", ["update  -  state open → paid"]),
            ("write", update, #","role":"admin","username":"carl""#, ["update  carl  state open → paid"]),
            ("write", update, #","n":"","role":"admin""#, ["update  role=admin  state open → paid"]),
            ("write", #"{"orders":{"insertions":[{"id":16},{"id":17,"n":null}]}}"#, "", ["insert  -  id 17, n null"]),
            ("write", #"{"orders":{"deletions":[{"id":"17","n":[]}]}}"#, "", ["delete  -  id 17, n …"]),
            (
                "read", #"{"type":"orders","value":[{"id":17,"n":"a\u001b[1m"},{"id":1}]}"#, "",
                [#"read  -  id 17, n a\u001b[1m"#]
            ),
            (
                "write",
                #"{"orders":{"modifications":[{"oldValue":{"id":17},"newValue":{"id":18}},{"oldValue":{"id":3},"newValue":{"id":17}}]}}"#,
                "", ["update  -  id 17 → 18", "update  -  id 3 → 17"]
            ),
            ("write", #"{"Orders":{"insertions":[{"id":17}]}}"#, "", ["write  -  Orders 17: inserted"]),
            ("write", "{", "", ["write  -  write (pay)"]),
            (
                "write",
                #"{"orders":{"insertions":[{"id":17,"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}]}}"#, "",
                ["insert  -  id 17, a 1, b 2, c 3, d 4, e 5, f 6, g 7 and 2 more"]
            ),
        ] as [(String, String, String, [String])]
    )
    func lines(kind: String, data: String, metadata: String, lines: [String]) throws {
        let history = RowHistory(Self.row, [try event(Self.element(kind, data, metadata))])
        #expect(history.lines(width: nil) == lines.map { "2026-11-21T08:00:00.000Z  pay  \($0)" })
        #expect(history.lines(width: 40).allSatisfy { $0.count <= 40 })
    }

    @Test("is in the order of time, then of arrival, with the events as they were received")
    func order() throws {
        let texts = ["09:00", "08:00", "08:30", "08:00"].enumerated().map { index, time in
            Self.element("write", Self.update, at: time, #","username":"u\#(index)""#)
        }
        let order = [1, 3, 2, 0]
        let lines = RowHistory(Self.row, try texts.map { try event($0) }).lines(width: nil)
        #expect(lines.map { String($0.split(separator: " ")[3]) } == order.map { "u\($0)" })
        let history = RowHistory(Self.row, try texts.map { try event($0, isJSON: true) })
        #expect(history.jsonLines == order.map { texts[$0] })
        let list = order.map { texts[$0] }.joined(separator: ",")
        #expect(history.json == #"{"table":"orders","key":"17","events":[\#(list)]}"#)
    }
}
