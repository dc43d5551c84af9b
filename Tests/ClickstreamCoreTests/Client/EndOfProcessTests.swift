import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Events around the end")
struct EndOfProcessTests {
    @Test("those after the client's end are counted as disabled, however the client ended")
    func late() throws {
        for isKilled in [false, true] {
            let phone = Phone()
            var client: ClickstreamClient? = try phone.launch()
            if isKilled { client?.kill() } else { client?.terminate() }
            for _ in 0..<3 { client?.record("late") }
            client = nil
            let next = try phone.launch()
            let (ledger, pending) = next.ledger
            #expect(ledger[.disabled] == (isKilled ? 0 : 3))
            #expect(ledger.recorded == ledger.settled + pending)
            #expect(!phone.records().map(\.event.name).contains("late"))
        }
    }

    @Test("those after the end of the process began are stored after the end, and survive a kill")
    func settled() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.record("tap")
        client.settle()
        client.record("late")
        client.settle()
        client.record("last")
        client.kill()
        #expect(phone.records().map(\.event.name).suffix(4) == ["tap", "_app_end", "late", "last"])
        let (ledger, pending) = try phone.launch().ledger
        #expect(ledger.recorded == ledger.settled + pending)
        #expect(ledger.settled == 0)
    }

    @Test("events after the client's end are in the manifest before their calls return, once the process ends")
    func lateAtExit() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.terminate()
        client.record("late")
        client.settle()
        client.record("later")
        client.countLate(2)
        let (ledger, pending) = try StoreFolder(phone.disk, existing: "/data/shop").ledger()
        #expect(ledger[.disabled] == 4)
        #expect(ledger.recorded == ledger.settled + pending)
        withExtendedLifetime(client) {}
    }

    @Test("those during the last delivery of a shutdown are stored")
    func shutdown() async throws {
        let running = Locked<ClickstreamClient?>(nil)
        let phone = Phone { _ in
            running.withLock { $0.take() }?.record("meanwhile")
            return nil
        }
        let client = try phone.launch()
        running.withLock { $0 = client }
        _ = try await phone.moving { await client.shutdown(deadline: .seconds(2)) }
        let next = try phone.launch()
        #expect(await next.flush().isComplete)
        #expect(phone.server.events.map(\.name).count { $0 == "meanwhile" } == 1)
        #expect(next.ledger.ledger[.disabled] == 0)
    }

    @Test(
        "a shutdown awaits the request in progress at its deadline, and begins none after it: each event is sent once",
        arguments: [false, true]
    )
    func slowServer(joins: Bool) async throws {
        let phone = Phone(replies: [.delay(.seconds(5), .status(200))])
        let client = try phone.launch { $0.maxBatchBytes = 3_000 }
        client.recordTaps(100)
        if joins {
            // A flush without a deadline, which continues until the queue is empty.
            client.flushEvents()
            await phone.settle()
        }
        let report = try await phone.moving { await client.shutdown(deadline: .seconds(2)) }
        let recorded = phone.log.take().events
        #expect(phone.time.now().steady == 5_000)
        #expect(report.attempts == 1)
        #expect(report.sent > 0)
        #expect(report.sent == phone.server.events.count)
        #expect(report.retained == recorded.count - report.sent)
        #expect(report.lastError == .deadlinePassed(after: nil))
        await phone.time.advance(milliseconds: 600_000)
        #expect(phone.server.attempts.count == 1)

        let next = try phone.launch()
        #expect(await next.flush().isComplete)
        #expect(Array(phone.server.events.prefix(recorded.count)) == recorded)
        #expect(Set(phone.server.events.map(\.id)).count == phone.server.events.count)
    }

    @Test("the last flush of a process delivers to a server slower than its deadline, and reports a failure after it")
    func lastFlush() async throws {
        let phone = Phone(replies: [
            .delay(.milliseconds(1_500), .status(503)), .delay(.milliseconds(1_500), .status(200)),
        ])
        let client = try phone.launch()
        let failed = try await phone.moving { await client.flushLast(deadline: .seconds(1)) }
        #expect((failed.sent, failed.retained, failed.attempts) == (0, 3, 1))
        #expect(failed.lastError == .deadlinePassed(after: .status(503)))
        #expect(phone.time.now().steady == 1_500)
        client.kill()
        let next = try phone.sender()
        let report = try await phone.moving { await next.flushLast(deadline: .seconds(1)) }
        #expect((report.sent, report.retained, report.attempts) == (3, 0, 1))
        #expect(report.lastError == nil)
        #expect(phone.time.now().steady == 3_000)
    }

    @Test("a flush timer that is rejected is set with a later event")
    func refusedTimer() {
        let time = ScarceTime()
        let timer = FlushTimer(time: time, isNeeded: true)
        timer.arm(after: 10) {}
        #expect(timer.isIdle)
        time.isScarce.withLock { $0 = false }
        timer.arm(after: 10) {}
        #expect(!timer.isIdle)
    }
}

/// A system without threads for timers.
private final class ScarceTime: TimeSource {
    private struct Refused: ScheduledWork {
        var isAccepted: Bool
        func cancel() {}
    }

    let isScarce = Locked(true)

    func now() -> Moment { Moment(wall: Timestamp(milliseconds: 0), steady: 0) }

    func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        Refused(isAccepted: !isScarce.withLock { $0 })
    }

    func sleep(milliseconds delay: Int64) async throws {}
}
