#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import ClickstreamCollector

@Suite("Admission", .timeLimit(.minutes(10)))
struct AdmissionTests {
    /// Memory and turns that are held at a time.
    private final class Held: Sendable {
        private struct State {
            var requests = 0
            var bytes = 0
            var maxRequests = 0
            var maxBytes = 0
            var admitted = 0
        }

        private let state = Locked(State())

        var maxRequests: Int { state.withLock { $0.maxRequests } }
        /// Of several requests together.
        var maxBytes: Int { state.withLock { $0.maxBytes } }
        var admitted: Int { state.withLock { $0.admitted } }

        func begin(_ bytes: Int) {
            state.withLock { state in
                state.admitted += 1
                state.requests += 1
                state.maxRequests = max(state.maxRequests, state.requests)
                let isAlone = state.bytes == 0
                state.bytes += bytes
                if !isAlone { state.maxBytes = max(state.maxBytes, state.bytes) }
            }
        }

        func endReading() {
            state.withLock { $0.requests -= 1 }
        }

        func endStoring(_ bytes: Int) {
            state.withLock { $0.bytes -= bytes }
        }
    }

    private func admission(reading: Int = 8, timeout: Int64 = 60_000, time: VirtualTime = virtualTime()) -> Admission {
        Admission(
            bodyBytes: 100,
            smallReadBytes: 100,
            mediumReadBytes: 100,
            reading: reading,
            timeout: timeout,
            time: time
        )
    }

    @Test("reserves memory for bodies up to its limit")
    func bodies() {
        let admission = admission()
        #expect(admission.reserve(60) && !admission.reserve(41) && admission.reserve(40))
        admission.release(60)
        #expect(admission.reserve(60))
    }

    @Test(
        "never reserves more memory than available, except for a single request",
        arguments: [Admission.Lane.small, .medium, .large]
    )
    func shares(_ lane: Admission.Lane) async {
        let admission = admission()
        let held = Held()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let bytes = number % 20 == 0 ? 1_000 : 1 + number % 60
                    guard var share = await admission.beginReading(bytes, in: lane) else { return }
                    held.begin(bytes)
                    await Task.yield()
                    held.endReading()
                    admission.endReading(&share, keeping: bytes)
                    await Task.yield()
                    held.endStoring(bytes)
                    admission.endStoring(share)
                }
            }
        }
        #expect(held.maxBytes <= (lane == .large ? 0 : 100))
        #expect(held.admitted == 200)
    }

    @Test("limits the number of bodies read concurrently")
    func turns() async {
        let admission = admission(reading: 2)
        let held = Held()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    guard var share = await admission.beginReading(1, in: .small) else { return }
                    held.begin(1)
                    await Task.yield()
                    held.endReading()
                    admission.endReading(&share, keeping: 1)
                    admission.endStoring(share)
                }
            }
        }
        #expect(held.maxRequests <= 2 && held.admitted == 50)
    }

    @Test("rejects a body if no memory becomes free in time, and then accepts others")
    func timeout() async {
        let time = virtualTime()
        let admission = admission(timeout: 20, time: time)
        guard var share = await admission.beginReading(100, in: .small) else {
            Issue.record("the first is not admitted")
            return
        }
        async let late = admission.beginReading(1, in: .small)
        await time.timers(after: 20)
        await time.advance(milliseconds: 20)
        #expect(await late == nil)
        // The other lanes are free.
        #expect(await admission.beginReading(100, in: .medium) != nil)
        #expect(await admission.beginReading(100, in: .large) != nil)
        admission.endReading(&share, keeping: 100)
        admission.endStoring(share)
        #expect(await admission.beginReading(1, in: .small) != nil)
    }
}
#endif
