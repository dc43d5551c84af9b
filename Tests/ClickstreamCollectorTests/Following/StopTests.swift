#if Collector
import ClickstreamCore
import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCollector

/// Sink that does not close before it is released, also if it is cancelled.
private struct BlockedSink: Follower {
    let name = "blocked"
    private let isReleased = AwaitedState(false)

    func take(_ requests: [CollectedRequest]) {}

    func close() async {
        let isReleased = isReleased
        await Task { await isReleased.until { $0 } }.value
    }

    func release() {
        isReleased.withLock { $0 = true }
    }
}

@Suite("The stop of a collector")
struct StopTests {
    @Test("ends at its deadline although a sink does not close, and is unfinished then", arguments: [false, true])
    func deadline(isBlocked: Bool) async throws {
        try await RealTimeSlot.use {
            let configuration = CollectorConfiguration()
            let time = virtualTime()
            let sink = BlockedSink()
            if !isBlocked { sink.release() }
            let store = try Store(path: nil)
            let limits = Limits()
            let responder = Collector.responder(
                configuration,
                store,
                UploadDecoder(),
                try CrossOrigin([]),
                Metrics(start: time.now().wall),
                limits,
                time: time,
                ids: SystemIDs()
            )
            let collector = try await Collector(
                configuration,
                store: store,
                responder: responder,
                followers: [sink],
                limits: limits
            )
            async let stop: Void = collector.stop()
            if isBlocked {
                // A quarter of a second before the deadline, which closing the store has.
                await time.timers(after: 9_750)
                await time.advance(milliseconds: 9_750)
            }
            await stop
            #expect(collector.isStopUnfinished == isBlocked)
            sink.release()
        }
    }
}
#endif
