import ClickstreamCore
import ClickstreamJudges
import Testing

@Suite("Descriptions of formats")
struct CapturedFormatTests {
    @Test("are found by distinct names and paths, in the order of the documents")
    func names() {
        #expect(CapturedFormat.allCases.map(\.name) == ["clickstream", "pulse", "contentsquare", "audit"])
        #expect(CapturedFormat.allCases.map { CapturedFormat(rawValue: $0.name) } == CapturedFormat.allCases)
        #expect(CapturedFormat(rawValue: "Pulse") == nil)
        #expect(CapturedFormat.captured == CapturedFormat.allCases.filter { $0 != .clickstream })
        #expect(CapturedFormat.captured(named: "clickstream") == nil)
        #expect(CapturedFormat.ofCapture == [.pulse, .contentsquare])
        #expect(CapturedFormat.captured.map(\.path) == ["/pulse", "/contentsquare", "/audit"])
        #expect(Set(CapturedFormat.allCases.map(\.path)).count == CapturedFormat.allCases.count)
    }

    @Test(
        "divide a body of their shape",
        arguments: [
            (.clickstream, #"[{"a":1},2]"#, nil), (.pulse, #"[{"a":1},2]"#, nil), (.audit, #"[{"a":1},2]"#, nil),
            (.contentsquare, #"{"pid":8,"pl":[{"a":1},2]}"#, #"{"pid":8}"#),
        ] as [(CapturedFormat, String, String?)]
    )
    func body(_ form: CapturedFormat, _ text: String, _ header: String?) throws {
        let body = try CapturedBody(Array(text.utf8), form: form)
        #expect(body.ranges.map { String(decoding: body.bytes[$0], as: UTF8.self) } == [#"{"a":1}"#, "2"])
        #expect(body.header.map { String(decoding: $0, as: UTF8.self) } == header)
        #expect(CapturedBody.isBody(try JSONReader.parse(Array(text.utf8)), form))
    }

    @Test(
        "show the main values of an event",
        arguments: [
            (.clickstream, #"{"attributes":{"a":1,"b":"c"}}"#, ["a=1", "b=c"]),
            (.pulse, #"{"data":{"element":{"type":"button","class":[7]},"items_count":null}}"#, ["type=button"]),
            (.contentsquare, #"{"tvp":"[root]","tr":{"vl":2.5},"k":"a"}"#, ["target=[root]", "value=2.5", "key=a"]),
            (
                .audit, #"{"event":"read","activity":"x","u":"v","data":"{\"type\":\"t\",\"value\":[1,2]}"}"#,
                ["activity=x", "u=v", "t=2"]
            ),
            (.audit, #"{"event":"own","data":"[1,2]","n":{}}"#, ["data=[1,2]"]),
        ] as [(CapturedFormat, String, [String])]
    )
    func summary(_ form: CapturedFormat, _ event: String, _ values: [String]) throws {
        let members = form.summary.values(of: try JSONReader.parse(Array(event.utf8)))
        #expect(members.map { "\($0.name)=\($0.value.string ?? $0.value.number?.text ?? "")" } == values)
    }
}
