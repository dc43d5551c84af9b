import Testing

@testable import ClickstreamCore

@Suite("RefusalSearch")
struct RefusalSearchTests {
    private static let refusal = RefusalSearch.Refusal.answered(400)

    /// Answers a search as a server that refuses exactly the `bad` events would, up to the request with number `last`.
    private static func run(
        _ search: inout RefusalSearch,
        bad: Set<Int>,
        last: Int = .max
    ) -> (requests: Int, result: RefusalSearch.Result) {
        var requests = 0
        while let part = search.next() {
            requests += 1
            if requests > last {
                search.answered(.failed(DeliveryFailure(.offline)))
            } else if bad.isDisjoint(with: part) {
                search.answered(.taken(rawBytes: part.count, sentBytes: 1))
            } else {
                search.answered(.refused(refusal))
            }
        }
        return (requests, search.result)
    }

    private static func subsets(of count: Int) -> [Set<Int>] {
        (1..<1 << count).map { bits in Set((0..<count).filter { bits & 1 << $0 != 0 }) }
    }

    @Test("of a batch finds every set of rejected events, unless both halves contain some", arguments: 2...9)
    func batches(count: Int) {
        for bad in Self.subsets(of: count) {
            var search = RefusalSearch(batchOf: count, refusal: Self.refusal)
            let (requests, result) = Self.run(&search, bad: bad)
            let isSplit = bad.contains { $0 < count / 2 } && bad.contains { $0 >= count / 2 }
            if isSplit {
                #expect(result == RefusalSearch.Result(obstacle: .everythingRefused(Self.refusal)), "\(bad)")
                #expect(requests == 2)
            } else {
                #expect(result.settled == count)
                #expect(Set(result.refused.map(\.index)) == bad)
                #expect(Set(result.taken.flatMap(\.part)) == Set(0..<count).subtracting(bad))
                #expect(requests <= 2 * count)
            }
        }
    }

    @Test("of a single rejected event makes it a dead letter next to an accepted one", arguments: 1...8, 0...2)
    func single(count: Int, witnesses: Int) {
        let sizes = (0..<count + witnesses).map { 100 - $0 }
        for bad in Self.subsets(of: sizes.count) where bad.contains(0) {
            var search = RefusalSearch(eventOf: sizes, witnesses: witnesses, draw: 7, refusal: Self.refusal)
            let (requests, result) = Self.run(&search, bad: bad)
            let refused = Set(result.refused.map(\.index))
            #expect(refused.isSubset(of: bad), "\(bad)")
            // The event after it, or the smallest, which is the last, is evidence enough; one at random may be, too.
            let isTaken = refused.contains(0)
            let isSure = count > 1 && !bad.contains(1) || sizes.count > 1 && !bad.contains(sizes.count - 1)
            #expect(isTaken || !isSure, "\(bad)")
            #expect(!isTaken || bad.count < sizes.count, "\(bad)")
            #expect(result.settled <= count)
            #expect(Set(result.taken.flatMap(\.part)).union(refused) == Set(0..<result.settled), "\(bad)")
            if !isTaken {
                #expect(result == RefusalSearch.Result(obstacle: .everythingRefused(Self.refusal)), "\(bad)")
                #expect(requests <= 3)
            }
        }
    }

    @Test("that ends early settles the events before the first undecided one, and none twice", arguments: 0...12)
    func early(last: Int) {
        for bad in Self.subsets(of: 8) {
            for isBatch in [true, false] where isBatch || bad.contains(0) {
                var search =
                    isBatch
                    ? RefusalSearch(batchOf: 8, refusal: Self.refusal)
                    : RefusalSearch(
                        eventOf: Array(repeating: 9, count: 7) + [1],
                        witnesses: 0,
                        draw: 7,
                        refusal: Self.refusal
                    )
                let (requests, result) = Self.run(&search, bad: bad, last: last)
                let taken = result.taken.flatMap(\.part)
                #expect(Set(taken).count == taken.count)
                let settled = Set(taken).union(result.refused.map(\.index))
                #expect(settled == Set(0..<result.settled), "\(bad), \(last)")
                #expect(Set(result.refused.map(\.index)).isSubset(of: bad))
                #expect(requests <= last || result.obstacle == .failed(DeliveryFailure(.offline)))
            }
        }
    }

    @Test("ends after 64 requests")
    func bounded() {
        var search = RefusalSearch(batchOf: 4_096, refusal: Self.refusal)
        let bad = Set((0..<2_048).filter { $0.isMultiple(of: 3) })
        let (requests, result) = Self.run(&search, bad: bad)
        #expect(requests == RefusalSearch.maxAttempts)
        #expect(result.obstacle == .tooManyParts(Self.refusal))
    }

    @Test("keeps the events of a server that starts to reject everything")
    func brokenMeanwhile() {
        var search = RefusalSearch(batchOf: 8, refusal: Self.refusal)
        var requests = 0
        while search.next() != nil {
            requests += 1
            search.answered(requests == 1 ? .taken(rawBytes: 1, sentBytes: 1) : .refused(Self.refusal))
        }
        #expect(search.result.settled == 4)
        #expect(search.result.refused == [])
        #expect(search.result.obstacle == .everythingRefused(Self.refusal))
    }
}

@Suite("BodyLimit")
struct BodyLimitTests {
    @Test("is half of a rejected body, and doubles after eight accepted ones")
    func follows() {
        var limit = BodyLimit()
        limit.accepted()
        #expect(limit.bytes == .max)
        limit.refused(bytes: 1_000)
        #expect(limit.bytes == 500)
        for _ in 1..<BodyLimit.bodiesPerDoubling { limit.accepted() }
        #expect(limit.bytes == 500)
        limit.accepted()
        #expect(limit.bytes == 1_000)
        limit.refused(bytes: 1)
        #expect(limit.bytes == 1)
        for _ in 0..<40 * BodyLimit.bodiesPerDoubling { limit.accepted() }
        #expect(limit.bytes == .max)
    }

    @Test(
        "proceeds, searches the batch or ends the flush, by the reply",
        arguments: [
            (.delivered, 1, false, .proceed), (.delivered, 9, true, .proceed),
            (.tooLarge, 9, false, .proceed), (.tooLarge, 9, true, .proceed),
            (.tooLarge, 1, false, .search(.tooLarge(bytes: 100))), (.tooLarge, 1, true, .search(.tooLarge(bytes: 100))),
            (.refused(status: 400), 9, false, .search(.answered(400))), (.refused(status: 400), 9, true, .proceed),
            (.refused(status: 400), 1, true, .search(.answered(400))),
            (
                .failed(DeliveryFailure(.status(503), atLeast: 7)), 9, true,
                .fail(DeliveryFailure(.status(503), atLeast: 7))
            ),
        ] as [(DeliveryVerdict, Int, Bool, BodyLimit.Action)]
    )
    func action(verdict: DeliveryVerdict, events: Int, isActive: Bool, action: BodyLimit.Action) {
        var limit = BodyLimit()
        if isActive { limit.refused(bytes: 1_000) }
        let before = limit
        let answer = limit.answered(verdict, events: events, bytes: 100)
        #expect(answer == action)
        // A refusal that is followed by no search halves the body.
        let isHalved = action == .proceed && verdict != .delivered
        #expect(limit.bytes == (isHalved ? 50 : before.bytes))
    }
}
