import Testing

@testable import ClickstreamLogging

@Suite("Limit on events of log messages")
struct LogAllowanceTests {
    @Test("admits a minute's events at once, then one for each share of a minute")
    func refill() {
        var allowance = LogAllowance(perMinute: 3)
        #expect((0..<5).map { _ in allowance.take(at: 1_000) } == [0, 0, 0, nil, nil])
        #expect(allowance.take(at: 20_999) == nil)
        #expect(allowance.take(at: 21_000) == 3)
        #expect(allowance.take(at: 21_000) == nil)
        #expect(allowance.take(at: 10_000_000) == 1)
        #expect((0..<4).map { _ in allowance.take(at: 10_000_000) } == [0, 0, nil, nil])
    }

    @Test("is not refilled by a clock that goes back")
    func clock() {
        var allowance = LogAllowance(perMinute: 1)
        #expect(allowance.take(at: 100_000) == 0)
        #expect(allowance.take(at: .min / 2) == nil)
        #expect(allowance.take(at: 100_000) == nil)
        #expect(allowance.take(at: 160_000) == 2)
    }

    @Test("admits nothing with a limit of zero or less", arguments: [0, -5])
    func zero(perMinute: Int) {
        var allowance = LogAllowance(perMinute: perMinute)
        #expect(allowance.take(at: 0) == nil)
        #expect(allowance.take(at: 1_000_000) == nil)
    }

    @Test(
        "never admits more than the bucket and the refill, in random histories",
        arguments: 1...50 as ClosedRange<UInt64>
    )
    func random(seed: UInt64) {
        var random = seed &* 0x9E37_79B9_7F4A_7C15
        func next(_ limit: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % limit
        }
        let perMinute = Int(next(100))
        var allowance = LogAllowance(perMinute: perMinute)
        var (now, admitted, suppressed, reported) = (Int64(0), 0, 0, 0)
        for _ in 0..<2_000 {
            now += Int64(next(500))
            if let before = allowance.take(at: now) {
                admitted += 1
                reported += before
            } else {
                suppressed += 1
            }
            #expect(admitted <= perMinute + Int(now) * perMinute / 60_000)
            #expect(reported <= suppressed)
        }
    }
}
