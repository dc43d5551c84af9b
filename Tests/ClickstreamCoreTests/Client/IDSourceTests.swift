import ClickstreamCore
import ClickstreamSimulation
import Testing

/// The contract that the system's identifiers and the seeded ones both keep.
@Suite("Identifier source")
struct IDSourceTests {
    struct Side: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var make: @Sendable () -> any IDSource

        static let both = [
            Side(testDescription: "system") { SystemIDs() },
            Side(testDescription: "seeded") { SeededIDs(seed: 7) },
        ]
    }

    @Test("returns 100 000 different identifiers, each of version 4 and the RFC's variant", arguments: Side.both)
    func unique(side: Side) {
        let ids = side.make()
        var seen: Set<UniqueID> = []
        var stamped = 0
        for _ in 0..<100_000 {
            let id = ids.next()
            seen.insert(id)
            if (id.high >> 12) & 0xF == 4, id.low >> 62 == 0b10 { stamped += 1 }
        }
        #expect(seen.count == 100_000)
        #expect(stamped == 100_000)
    }

    @Test("varies every bit except the fixed ones", arguments: Side.both)
    func everyBit(side: Side) {
        let ids = side.make()
        var (ones, zeros) = ((high: UInt64(0), low: UInt64(0)), (high: UInt64(0), low: UInt64(0)))
        var (randomOnes, randomZeros): (UInt64, UInt64) = (0, 0)
        for _ in 0..<1_000 {
            let id = ids.next()
            ones = (ones.high | id.high, ones.low | id.low)
            zeros = (zeros.high | ~id.high, zeros.low | ~id.low)
            let number = ids.random()
            randomOnes |= number
            randomZeros |= ~number
        }
        #expect(ones == (0xFFFF_FFFF_FFFF_4FFF, 0xBFFF_FFFF_FFFF_FFFF))
        #expect(zeros == (0xFFFF_FFFF_FFFF_BFFF, 0x7FFF_FFFF_FFFF_FFFF))
        #expect((randomOnes, randomZeros) == (.max, .max))
    }

    @Test("never returns an identifier twice to eight concurrent tasks", arguments: Side.both)
    func concurrent(side: Side) async {
        let ids = side.make()
        let all = await withTaskGroup(of: [UniqueID].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<5_000).map { _ in ids.next() } }
            }
            return await group.reduce(into: [UniqueID]()) { $0 += $1 }
        }
        #expect(all.count == 40_000)
        #expect(Set(all).count == 40_000)
    }

    @Test("writes an identifier as an upper-case UUID", arguments: Side.both)
    func text(side: Side) throws {
        let ids = side.make()
        let form = /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
        for _ in 0..<1_000 {
            let text = ids.next().description
            #expect(try form.wholeMatch(in: text) != nil, "\(text)")
        }
    }

    @Test("two system sources return different identifiers")
    func systemSources() {
        #expect(SystemIDs().next() != SystemIDs().next())
    }

    @Test("one seed yields the same identifiers every time, and another seed others")
    func seeds() {
        func take(_ count: Int, seed: UInt64) -> [UniqueID] {
            let ids = SeededIDs(seed: seed)
            return (0..<count).map { _ in ids.next() }
        }
        #expect(take(100, seed: 1) == take(100, seed: 1))
        #expect(Set((0..<100).flatMap { take(100, seed: $0) }).count == 10_000)
    }

    @Test("apps with the same seed have different identifiers, the same ones every time")
    func apps() {
        func take(_ appID: String, seed: UInt64) -> [UniqueID] {
            let ids = SeededIDs(seed: SeededIDs.seed(seed, appID: appID))
            return (0..<100).map { _ in ids.next() }
        }
        #expect(take("shop", seed: 1) == take("shop", seed: 1))
        let all = ["", "shop", "shoq", "pohs"].flatMap { app in (0..<10).flatMap { take(app, seed: $0) } }
        #expect(Set(all).count == 4_000)
    }

    @Test("random numbers drawn in between do not change the identifiers")
    func independentNumbers() {
        let (plain, mixed) = (SeededIDs(seed: 1), SeededIDs(seed: 1))
        for count in 0..<50 {
            for _ in 0..<count { _ = mixed.random() }
            #expect(mixed.next() == plain.next())
        }
    }

    @Test("follows the published SplitMix64 sequence")
    func knownSequence() {
        // The first outputs for seed 1234567: 6457827717110365317, 3203168211198807973 (Vigna's reference code).
        let id = SeededIDs(seed: 1_234_567).next()
        #expect(id == UniqueID(randomBitsHigh: 6_457_827_717_110_365_317, low: 3_203_168_211_198_807_973))
    }
}
