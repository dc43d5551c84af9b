import ClickstreamCore
import ClickstreamJudges
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Funnel")
struct FunnelTests {
    /// Event with its time and the steps that it matches: `AC` for the first and the third.
    private typealias Event = (time: Int64, steps: String)

    /// Index of the first event of the chain, and the times between its events.
    private struct Chain: Equatable {
        var start: Int?
        var delays: [Int64?] = []
    }

    private static func matches(_ steps: String) -> UInt32 {
        steps.utf8.reduce(0) { $0 | 1 << UInt32($1 - UInt8(ascii: "A")) }
    }

    private static func chain(_ events: [Event], steps: Int, window: Int64?) -> Chain {
        var funnel = Funnel(steps: steps, window: window)
        for (index, event) in events.enumerated() {
            funnel.add(owner: 7, time: event.time, matches: matches(event.steps), value: UInt32(index))
        }
        var chains = funnel.chains()
        let (total, groups) = chains.summarize()
        guard total[0].users > 0 else { return Chain() }
        let reached = total.filter { $0.users > 0 }
        #expect(total.prefix(reached.count).allSatisfy { $0.users == 1 && $0.median == $0.p90 })
        return Chain(start: Int(groups.value(0)), delays: reached.dropFirst().map(\.median))
    }

    @Test(
        "takes the chain that reaches farthest, then the one that starts earliest, with the earliest events",
        arguments: [
            (2, nil, [(0, "A"), (5, "A"), (7, "B")], 0, [7]), (2, 3, [(0, "A"), (5, "A"), (7, "B")], 1, [2]),
            (2, 1, [(0, "A"), (5, "A"), (7, "B")], 0, []), (2, nil, [(0, "B"), (1, "C")], nil, []),
            // One event is not used for two steps.
            (2, nil, [(0, "AB")], 0, []), (2, nil, [(0, "AB"), (0, "AB")], 0, [0]),
            (3, nil, [(0, "ABC"), (1, "ABC"), (2, "ABC"), (3, "ABC")], 0, [1, 1]),
            // Farther is better than earlier, and earlier than closer.
            (3, 10, [(0, "A"), (1, "B"), (20, "A"), (21, "B"), (22, "C")], 2, [1, 1]),
            (3, 10, [(0, "A"), (9, "B"), (20, "A"), (21, "B")], 0, [9]),
            (3, 10, [(0, "A"), (1, "B"), (5, "A"), (6, "B"), (8, "B"), (11, "C")], 2, [1, 5]),
            // The window is that of the whole chain, its end included.
            (3, 10, [(0, "A"), (6, "B"), (10, "C")], 0, [6, 4]), (3, 9, [(0, "A"), (6, "B"), (10, "C")], 0, [6]),
            (2, 0, [(0, "A"), (1, "B"), (3, "A"), (3, "B")], 2, [0]),
            // In the order of time, then arrival.
            (2, nil, [(9, "B"), (3, "A")], 1, [6]), (2, nil, [(3, "B"), (3, "A")], 1, []),
            (2, nil, [(.min, "A"), (.max, "B")], 0, [.max]), (2, .max, [(.min, "A"), (.max, "B")], 0, []),
        ] as [(Int, Int64?, [(Int64, String)], Int?, [Int64])]
    )
    func chain(steps: Int, window: Int64?, events: [(Int64, String)], start: Int?, delays: [Int64]) {
        let chain = Self.chain(events.map { (time: $0, steps: $1) }, steps: steps, window: window)
        #expect(chain == Chain(start: start, delays: delays))
    }

    @Test(
        "takes median and 90th percentile by nearest rank",
        arguments: [
            ([5], 5, 5), ([1, 2], 1, 2), ([3, 1, 2], 2, 3), ([4, 1, 3, 2], 2, 4), (Array(1...10), 5, 9),
            (Array(1...11), 6, 10), (Array(1...100), 50, 90),
        ] as [([Int64], Int64, Int64)]
    )
    func ranks(delays: [Int64], median: Int64, p90: Int64) {
        var funnel = Funnel(steps: 2, window: nil)
        for (owner, delay) in delays.enumerated() {
            funnel.add(owner: UInt32(owner + 1), time: 0, matches: 1, value: 3)
            funnel.add(owner: UInt32(owner + 1), time: delay, matches: 2, value: 4)
        }
        var chains = funnel.chains()
        let (total, groups) = chains.summarize()
        let steps = [
            FunnelChains.Step(users: delays.count),
            FunnelChains.Step(users: delays.count, median: median, p90: p90),
        ]
        #expect(total == steps)
        #expect(groups.users == [delays.count])
        #expect(groups.value(0) == 3)
        #expect(groups.steps(0) == steps)
    }

    @Test("groups by the value of the chain's first event")
    func groups() {
        var funnel = Funnel(steps: 2, window: 10)
        for (owner, value, delay) in [(1, 5, 1), (2, 0, 2), (3, 5, 3), (4, 5, 20)] as [(UInt32, UInt32, Int64)] {
            funnel.add(owner: owner, time: 0, matches: 1, value: value)
            funnel.add(owner: owner, time: delay, matches: 2, value: 9)
        }
        var chains = funnel.chains()
        let (total, groups) = chains.summarize()
        #expect(total == [FunnelChains.Step(users: 4), FunnelChains.Step(users: 3, median: 2, p90: 3)])
        #expect((0..<2).map { groups.value($0) } == [0, 5])
        #expect(groups.users == [1, 3])
        #expect(groups.steps(0) == [FunnelChains.Step(users: 1), FunnelChains.Step(users: 1, median: 2, p90: 2)])
        #expect(groups.steps(1) == [FunnelChains.Step(users: 3), FunnelChains.Step(users: 2, median: 1, p90: 3)])
    }

    @Test("lists fewer groups than the limit if the names of its steps are long")
    func longNames() throws {
        var funnel = Funnel(steps: 1, window: nil)
        for number in 1...200 as ClosedRange<UInt32> { funnel.add(owner: number, time: 0, matches: 1, value: number) }
        let step = try FunnelStep(String(repeating: "a", count: 700_000))
        let query = FunnelQuery(steps: [step], field: .column(.app), limit: 1_000)
        let report = FunnelReport(query, funnel.chains()) { JSONValue(.string("\($0)")) }
        #expect((report.groups.count, report.otherGroups, report.otherUsers) == (95, 105, 105))
    }

    @Test(
        "takes linear time for events of one user that match all steps",
        arguments: [(0, UInt32.max >> 12), (nil, UInt32.max >> 13), (5_000, UInt32.max >> 12)] as [(Int64?, UInt32)]
    )
    func linear(window: Int64?, matches: UInt32) throws {
        func measure(_ count: Int) {
            var funnel = Funnel(steps: Funnel.maxSteps, window: window)
            for time in 0..<count { funnel.add(owner: 1, time: Int64(time), matches: matches, value: 0) }
            var chains = funnel.chains()
            let (total, _) = chains.summarize()
            #expect(total[0].users == 1)
        }
        let growth = try TimeGrowth(from: 4_000, input: { $0 }, of: measure)
        #expect(growth.isLinear, "\(growth)")
    }

    @Test(
        "compares conditions with the text of an event as with the whole event",
        arguments: [
            "attributes.v == 1", "attributes.v != 1", "$.attributes['v'] == \"\u{E9}\"", "attributes == {\"v\":1}",
            "items[0].id == 7", "items[*].id != 7", "attributes.none != 0", "attributes.v.w == true",
            "attributes['\(String(repeating: "\u{E9}", count: 31))'] == 2",
        ],
        [
            #"{"attributes":{"v":1},"items":[{"id":7}]}"#, #"{"attributes":{"v":2,"\u0076":1.0}}"#, "[]",
            #"{"attributes":{"v":"\u00e9"},"items":7}"#, #"{"attributes":{"v":{"w":true}}}"#, #"{"attributes":null}"#,
            "{\"attributes\":{\"\(String(repeating: "\u{E9}", count: 31))\":2}}",
            "{\"attributes\":{\"w\":\"\(String(repeating: "x", count: 70_000))\",\"v\":1}}",
        ]
    )
    func conditions(condition: String, event: String) throws {
        let step = try FunnelStep("buy:\(condition)")
        var matcher = FunnelMatcher()
        matcher.add(step, at: 1)
        matcher.add(try FunnelStep("buy"), at: 3)
        let bytes = Array(event.utf8)
        let holds = try #require(step.condition).holds(for: JSONReader.parse(bytes))
        #expect(bytes.withUnsafeBytes { matcher.matches(in: $0) } == (holds ? 0b1010 : 0b1000))
    }

    @Test(
        "reads the name of a step up to the first colon, and a condition after it",
        arguments: [
            ("buy", "buy", nil), ("buy:attributes.value == 9.5", "buy", "attributes.value == 9.5"),
            ("a b:$.x!=\"c:d\"", "a b", "$.x != \"c:d\""),
        ] as [(String, String, String?)]
    )
    func step(text: String, name: String, condition: String?) throws {
        let step = try FunnelStep(text)
        #expect((step.name, step.condition?.description, step.text) == (name, condition, text))
    }
}
