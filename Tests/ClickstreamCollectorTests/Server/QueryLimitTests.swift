import ClickstreamSimulation
import Testing

@testable import ClickstreamCollector

@Suite("Limit of queries", .timeLimit(.minutes(10)))
struct QueryLimitTests {
    @Test("refuses a query beyond the number, and one that takes too long")
    func numberAndTime() async throws {
        let time = virtualTime()
        let limit = QueryLimit(2, milliseconds: 10_000, time: time, arrivals: ArrivalNotifier())
        let held = Semaphore(0)
        let first = Task { try await limit.run { try await held.acquire() } }
        await time.timers(after: 10_000)
        await time.advance(milliseconds: 1_000)
        let other = Semaphore(0)
        let second = Task { try await limit.run { try await other.acquire() } }
        await time.timers(2, after: 10_000)
        await #expect(throws: QueryLimit.Refusal.busy) { try await limit.run { 3 } }
        held.release()
        try await first.value
        #expect(try await limit.run { 3 } == 3)
        await time.advance(milliseconds: 10_000)
        await #expect(throws: QueryLimit.Refusal.timeout) { try await second.value }
    }

    @Test("returns the error of the work, and refuses all queries at the stop")
    func errors() async throws {
        struct Failure: Error {}
        let time = virtualTime()
        let arrivals = ArrivalNotifier()
        let limit = QueryLimit(1, milliseconds: 10_000, time: time, arrivals: arrivals)
        await #expect(throws: Failure.self) { try await limit.run { throw Failure() } as Int }
        let held = Semaphore(0)
        let query = Task { try await limit.run { try await held.acquire() } }
        await time.timers(after: 10_000)
        arrivals.end()
        await #expect(throws: QueryLimit.Refusal.stopped) { try await query.value }
    }
}
