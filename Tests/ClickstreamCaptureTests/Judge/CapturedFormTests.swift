import ClickstreamCore
import ClickstreamJudges
import Testing

@Suite("Descriptions of formats")
struct CapturedFormTests {
    @Test("are found by distinct names and paths, in the order of the documents")
    func names() {
        #expect(CapturedForm.allCases.map(\.name) == ["clickstream", "pulse", "contentsquare", "audit"])
        #expect(CapturedForm.allCases.map { CapturedForm(rawValue: $0.name) } == CapturedForm.allCases)
        #expect(CapturedForm(rawValue: "Pulse") == nil)
        #expect(CapturedForm.captured == CapturedForm.allCases.filter { $0 != .clickstream })
        #expect(CapturedForm.captured(named: "clickstream") == nil)
        #expect(CapturedForm.ofCapture == [.pulse, .contentsquare])
        #expect(Set(CapturedForm.allCases.map(\.path)).count == CapturedForm.allCases.count)
    }

    @Test(
        "divide a body of their shape",
        arguments: [
            (.clickstream, #"[{"a":1},2]"#, nil), (.pulse, #"[{"a":1},2]"#, nil), (.audit, #"[{"a":1},2]"#, nil),
            (.contentsquare, #"{"pid":8,"pl":[{"a":1},2]}"#, #"{"pid":8}"#),
        ] as [(CapturedForm, String, String?)]
    )
    func body(_ form: CapturedForm, _ text: String, _ header: String?) throws {
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
        ] as [(CapturedForm, String, [String])]
    )
    func summary(_ form: CapturedForm, _ event: String, _ values: [String]) throws {
        let members = form.summary.values(of: try JSONReader.parse(Array(event.utf8)))
        #expect(members.map { "\($0.name)=\($0.value.string ?? $0.value.number?.text ?? "")" } == values)
    }
}
