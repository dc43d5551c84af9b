import ClickstreamCore
import Testing

@Suite("Backoff")
struct BackoffTests {
    @Test("the maximum pause doubles from one second to five minutes")
    func growth() {
        var backoff = Backoff()
        let longest = (0..<12).map { _ in
            // The largest remainder that the ceiling allows: random bits that are all one below a multiple of it.
            var probe = backoff
            let ceiling = min(300_000, Int64(1_000) << Int64(backoff.failures))
            _ = backoff.failed(random: 0)
            return probe.failed(random: UInt64(ceiling - 1))
        }
        #expect(
            longest
                == [999, 1_999, 3_999, 7_999, 15_999, 31_999, 63_999, 127_999, 255_999, 299_999, 299_999, 299_999]
        )
    }

    @Test("a pause requested by the server is the minimum, up to a day")
    func asked() {
        var backoff = Backoff()
        #expect(backoff.failed(atLeast: 120_000, random: 5) == 120_000)
        #expect(backoff.failed(atLeast: .max, random: 5) == 86_400_000)
    }

    @Test("a success resets the count")
    func success() {
        var backoff = Backoff()
        _ = backoff.failed(random: 1)
        _ = backoff.failed(random: 1)
        backoff.succeeded()
        #expect(backoff.failures == 0)
        #expect(backoff.failed(random: 999) == 999)
    }

    @Test("never overflows, for any count")
    func many() {
        var backoff = Backoff()
        for _ in 0..<100 { #expect(backoff.failed(random: .max) < 300_000) }
    }
}
