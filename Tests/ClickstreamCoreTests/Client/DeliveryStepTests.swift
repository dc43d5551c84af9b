import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("The steps of delivery")
struct DeliveryStepTests {
    /// Store of a client that reports each step of delivery, which is one acquisition of the client's lock.
    private struct ObservedStore: DeliveryStore {
        let client: ClickstreamClient
        let observe: @Sendable (DeliveryStep) -> Void

        func deliver<Result: Sendable>(
            _ step: DeliveryStep,
            _ body: (inout EventStore, DeliverySettings, inout [Notice]) -> Result
        ) -> Result {
            observe(step)
            return client.shared.deliver(step, body)
        }
    }

    /// Change that forbids a request while its batch is made.
    enum Change: Sendable, CaseIterable {
        case disabled
        case withdrawnByAnotherProcess
    }

    @Test("acquire the client's lock at most four times for each batch", arguments: [true, false])
    func acquisitions(readsAhead: Bool) async throws {
        let phone = Phone()
        let client = try phone.launch(sends: false) {
            $0.maxBatchBytes = 3_000
            $0.compressesEvents = false
        }
        client.recordTaps(100)
        let steps = Locked<[DeliveryStep]>([])
        let delivery = Delivery(
            ObservedStore(client: client) { step in steps.withLock { $0.append(step) } },
            transport: phone.server,
            time: phone.time,
            ids: phone.ids,
            readsAhead: readsAhead
        )
        #expect(await delivery.flush(deadline: nil).isComplete)
        let batches = phone.server.requests.count
        #expect(batches > 2)
        // The names of the files, the queues, the upload lock.
        var expected: [DeliveryStep] = [.local, .local, .flush]
        for batch in 0..<batches {
            // The range to send, the one behind it if the server is available, the request, its outcome.
            expected += readsAhead && batch > 0 ? [.local, .local, .request, .local] : [.local, .request, .local]
        }
        // The end of the queue, and the report.
        expected += [.local, .local]
        #expect(steps.withLock { $0 } == expected)
    }

    @Test("acquire the lock of each shard three times for a batch of all")
    func shards() async throws {
        let phone = Phone()
        let clients = [try phone.launch(sends: false), try phone.launch(sends: false)]
        for client in clients { client.record("tap") }
        let recorded = phone.log.events.count
        let steps = Locked<[[DeliveryStep]]>([[], []])
        let stores = clients.enumerated().map { index, client in
            ObservedStore(client: client) { step in steps.withLock { $0[index].append(step) } }
        }
        let destination = Destination(clients[0].configuration)
        let delivery = Delivery(
            stores,
            queues: { [0] },
            identity: { _ in .server(destination) },
            transport: phone.server,
            time: phone.time,
            ids: phone.ids,
            readsAhead: false
        )
        let report = await delivery.flush(deadline: nil)
        #expect(report.isComplete)
        #expect(report.sent == recorded)
        #expect(phone.server.requests.count == 1)
        let batch: [DeliveryStep] = [.local, .request, .local]
        #expect(
            steps.withLock { $0 } == [
                [.local, .flush] + batch + [.local, .local],
                [.local] + batch + [.local, .local],
            ]
        )
    }

    @Test("begin no request that was forbidden while its batch was made", arguments: Change.allCases)
    func forbidden(change: Change) async throws {
        let phone = Phone()
        let other = try phone.launch(sends: false)
        let client = try phone.launch(sends: false)
        client.record("tap")
        let store = ObservedStore(client: client) { step in
            guard step == .request else { return }
            switch change {
            case .disabled: client.disable()
            case .withdrawnByAnotherProcess: other.setConsent(.denied, for: .analytics)
            }
        }
        let delivery = Delivery(
            store,
            transport: phone.server,
            time: phone.time,
            ids: phone.ids,
            readsAhead: true
        )
        let report = await delivery.flush(deadline: nil)
        #expect(phone.server.attempts.isEmpty)
        switch change {
        case .disabled:
            #expect(report.lastError == .disabled)
            #expect(report.retained > 0)
            // The batch is not in flight: events recorded later are sent with it.
            client.enable()
            client.record("tap")
            let sender = Delivery(
                client.shared,
                transport: phone.server,
                time: phone.time,
                ids: phone.ids,
                readsAhead: true
            )
            #expect(await sender.flush(deadline: nil).isComplete)
            #expect(phone.server.requests.count == 1)
        case .withdrawnByAnotherProcess:
            #expect(report == FlushReport())
            #expect(phone.records().isEmpty)
        }
    }
}
