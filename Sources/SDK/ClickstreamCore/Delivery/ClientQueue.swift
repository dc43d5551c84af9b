/// Queue of one client. Each call takes the client's lock once. Thread-safe.
struct ClientQueue: DeliveryQueue {
    let client: any DeliveryClient
    /// Number of the queue.
    let id: Int

    var mergesRuns: Bool { false }

    private func read<Result: Sendable>(_ body: (QueueParts) -> Result?) -> Result? {
        client.withStore(noting: nil) { store -> Result? in
            guard let parts = store.parts(of: id) else { return nil }
            return body(parts)
        }
    }

    func change<Result: Sendable>(
        _ range: QueueRange,
        noting notice: Notice?,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        client.withStore(noting: notice) { $0.withQueue(containing: range, body) }
    }

    var pendingEvents: Int { read { $0.pendingEvents } ?? 0 }

    func conditions(hasTransport: Bool) -> FlushMachine.Conditions {
        let settings = client.deliverySettings(of: id)
        return FlushMachine.Conditions(
            hasTransport: hasTransport,
            isEnabled: settings.isEnabled,
            destination: settings.destination
        )
    }

    var settings: QueueSettings? {
        let settings = client.deliverySettings(of: id)
        return settings.destination.map { destination in
            QueueSettings(configuration: settings.configuration, device: settings.device, destination: destination)
        }
    }

    var next: PendingRange? { read { $0.next } }

    func next(after range: QueueRange) -> PendingRange? {
        read { $0.next(after: range) }
    }

    func ranges(behind range: QueueRange, count: Int) -> [PendingRange] {
        read { $0.ranges(behind: range, count: count) } ?? []
    }

    func isPending(_ range: QueueRange) -> Bool {
        client.isPending(range)
    }

    func lock() -> (lock: (any FileLock)?, reason: FlushError?) {
        client.lockForUpload(id)
    }

    func lookForStore() {
        client.lookForStore()
    }

    func note(_ notice: Notice) {
        client.withStore(noting: notice) { _ in }
    }
}
