import ClickstreamCore
import TestSupport
import Testing

@testable import ClickstreamPlan

@Suite("Sampler of a plan")
struct PlanSamplerTests {
    private static let plan = """
        clickstream-plan: 1
        events:
          a:
            attributes:
              whole: { type: integer, required: true, minimum: -3, maximum: 2 }
              part: { type: number, required: true, minimum: 0.001, maximum: 0.002 }
              code: { type: string, required: true, pattern: '^[A-Z]{2}-\\d{3,}(x|yz)?$', maxLength: 9 }
              other: { type: string, pattern: "^[^a]+$" }
              flag: { type: boolean }
              word: { type: string, enum: [x, "y z"] }
              tiny: { type: string, required: true, maxLength: 2 }
            items: { required: [id, size], attributes: { id: { type: string }, size: { type: number, maximum: -5 } } }
            additional: false
          b:
          _screen_view:
        user: { attributes: { tier: { type: string, required: true, enum: [free, paid] } }, additional: false }
        globals: { attributes: { channel: { type: string, required: true } } }
        unplanned: error
        """

    @Test("makes events that conform to it")
    func conforming() throws {
        let plan = try PlanReaderTests.plan(Self.plan)
        let (sampler, judge) = (try PlanSampler(plan), PlanJudge(plan))
        #expect(sampler.count == 2)
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var numbers = SplitMix(seed: seed)
        func object(_ attributes: Attributes) -> JSONValue {
            JSONValue(.object(attributes.map { JSONMember($0.name, $0.value.json) }))
        }
        for round in 0..<2_000 {
            let sample = sampler.event(round % 2, using: &numbers)
            var attributes = sample.attributes
            attributes.merge(sampler.globals(using: &numbers))
            let event = JSONValue(
                .object([
                    JSONMember("event_type", JSONValue(.string(sample.name))),
                    JSONMember("attributes", object(attributes)),
                    JSONMember("items", JSONValue(.array(sample.items.map { object($0) }))),
                    JSONMember("user", object(sampler.user(using: &numbers))),
                ])
            )
            let findings = judge.verdict(on: event).findings
            #expect(findings == [], "\(event)")
        }
    }

    @Test("refuses a required attribute without a value")
    func unsatisfiable() throws {
        let text =
            "clickstream-plan: 1\nevents: { e: { attributes: { a: { type: string, required: true, pattern: \"a^\" } } } }"
        let plan = try PlanReaderTests.plan(text)
        #expect(throws: PlanSampler.Unsatisfiable(path: "events.e.attributes.a")) { try PlanSampler(plan) }
    }
}

extension AttributeValue {
    fileprivate var json: JSONValue {
        switch self {
        case .string(let text): JSONValue(.string(text))
        case .integer(let number): JSONValue(.number(JSONNumber(integer: number)))
        case .double(let number): JSONValue(.number(JSONNumber(double: number)))
        case .boolean(let truth): JSONValue(.boolean(truth))
        case .decimal(let number): JSONValue(.string(number.text))
        }
    }
}
