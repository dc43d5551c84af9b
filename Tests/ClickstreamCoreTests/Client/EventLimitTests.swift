import Testing

@testable import ClickstreamCore

@Suite("EventLimit")
struct EventLimitTests {
    @Test("has no limit at first, nor after a batch that is accepted")
    func none() {
        var limit = EventLimit()
        #expect(limit.events(wholeRefusals: 0) == .max)
        limit.accepted(wholeRefusals: 0)
        #expect(limit.events(wholeRefusals: 0) == .max)
    }

    @Test("is a quarter of a batch with too many refusals, at least 2", arguments: [(4_000, 1_000), (9, 2), (2, 2)])
    func refused(events: Int, maxCount: Int) {
        var limit = EventLimit()
        limit.refused(events: events)
        #expect(limit.events(wholeRefusals: 0) == maxCount)
    }

    @Test("doubles with each batch that is accepted, until it ends")
    func doubles() {
        var limit = EventLimit()
        limit.refused(events: 64)
        var limits: [Int] = []
        while limit.events(wholeRefusals: 0) != .max, limits.count < 20 {
            limits.append(limit.events(wholeRefusals: 0))
            limit.accepted(wholeRefusals: 0)
        }
        #expect(limits == (4...16).map { 1 << $0 })
    }

    @Test(
        "takes turns after batches every part of which was refused",
        arguments: [(1, 2), (2, 1), (3, 3), (4, 5), (5, 9), (6, 17), (7, 33), (8, .max), (9, 2)] as [(Int, Int)]
    )
    func wholeRefusals(refusals: Int, maxCount: Int) {
        var limit = EventLimit()
        #expect(limit.events(wholeRefusals: refusals) == maxCount)
        limit.accepted(wholeRefusals: refusals)
        #expect(limit.events(wholeRefusals: 0) == (maxCount == .max ? .max : maxCount * 2))
    }
}
