import ClickstreamJudges
import Testing

@Suite("CapturedJudge")
struct CapturedJudgeTests {
    @Test(
        "reads any value as an event",
        arguments: CapturedFormat.captured,
        ["null", "7", "[]", "\"x\"", "{}", #"{"data":7,"event_type":"click"}"#, #"{"ea":4,"cv":7}"#]
    )
    func anything(_ form: CapturedFormat, _ event: String) throws {
        #expect(try CapturedJudge.verdict(form, event).isBad)
    }

    @Test("has a code, a meaning and a remedy for each rule, each code once")
    func rules() {
        let codes = CapturedRule.all.flatMap { rule in rule.forms.map { rule.code($0) } }
        #expect(Set(codes).count == codes.count)
        for rule in CapturedRule.all {
            #expect(rule.meaning.hasSuffix(".") && rule.fix.hasSuffix("."), "\(rule.suffix)")
            for form in rule.forms {
                let found = CapturedRule.find(rule.code(form))
                #expect(found?.rule == rule && found?.form == form)
            }
        }
    }
}
