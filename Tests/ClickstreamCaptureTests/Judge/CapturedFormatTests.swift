import ClickstreamCore
import ClickstreamJudges
import FormatFixtures
import Testing

@Suite("Descriptions of formats")
struct CapturedFormatTests {
    @Test("are found by distinct names and paths, in the order of the documents")
    func names() {
        let formats = FormatFixture.all.map(\.name)
        #expect(CapturedFormat.allCases.map(\.rawValue) == ["clickstream"] + formats + ["audit"])
        #expect(CapturedFormat.allCases.map { CapturedFormat(rawValue: $0.rawValue) } == CapturedFormat.allCases)
        #expect(CapturedFormat(rawValue: "Pulse") == nil)
        #expect(CapturedFormat.captured == CapturedFormat.allCases.filter { $0 != .clickstream })
        #expect(CapturedFormat.captured(named: "clickstream") == nil)
        #expect(CapturedFormat.captured.map(\.path) == (formats + ["audit"]).map { "/\($0)" })
        #expect(Set(CapturedFormat.allCases.map(\.path)).count == CapturedFormat.allCases.count)
    }

    @Test("of automatic capture have a fixture each")
    func fixtures() {
        #expect(FormatFixture.all.map(\.format) == CapturedFormat.ofCapture)
    }

    @Test(
        "divide a body of their shape",
        arguments: [
            (.clickstream, FormatFixture.Division(body: #"[{"a":1},2]"#)),
            (.audit, FormatFixture.Division(body: #"[{"a":1},2]"#)),
        ] + FormatFixture.all.map { ($0.format, $0.division) } as [(CapturedFormat, FormatFixture.Division)]
    )
    func body(_ form: CapturedFormat, _ division: FormatFixture.Division) throws {
        let text = Array(division.body.utf8)
        let body = try CapturedBody(text, form: form)
        #expect(body.ranges.map { String(decoding: body.bytes[$0], as: UTF8.self) } == [#"{"a":1}"#, "2"])
        #expect(body.header.map { String(decoding: $0, as: UTF8.self) } == division.header)
        #expect(CapturedBody.isBody(try JSONReader.parse(text), form))
    }

    @Test(
        "show the main values of an event",
        arguments: [
            (.clickstream, #"{"attributes":{"a":1,"b":"c"}}"#, ["a=1", "b=c"]),
            (
                .audit, #"{"event":"read","activity":"x","u":"v","data":"{\"type\":\"t\",\"value\":[1,2]}"}"#,
                ["activity=x", "u=v", "t=2"]
            ),
            (.audit, #"{"event":"own","data":"[1,2]","n":{}}"#, ["data=[1,2]"]),
        ] + FormatFixture.all.map { ($0.format, $0.summary.event, $0.summary.values) }
            as [(CapturedFormat, String, [String])]
    )
    func summary(_ form: CapturedFormat, _ event: String, _ values: [String]) throws {
        let members = form.summary.values(of: try JSONReader.parse(Array(event.utf8)))
        #expect(members.map { "\($0.name)=\($0.value.string ?? $0.value.number?.text ?? "")" } == values)
    }

    @Test("find the flaw of a sample, and nothing in the sample itself", arguments: FormatFixture.all)
    func sample(_ fixture: FormatFixture) throws {
        let time = CapturedJudge.now.milliseconds - 1_000
        let good = try CapturedJudge.verdict(fixture.format, fixture.event(1, at: time))
        #expect(good.findings == [] && good.name == fixture.sample.name)
        let flawed = try CapturedJudge.verdict(fixture.format, fixture.flawedEvent(1, at: time))
        #expect(flawed.findings.map(\.code) == ["\(fixture.name)_\(fixture.sample.flaw)"] && flawed.isBad)
    }
}
