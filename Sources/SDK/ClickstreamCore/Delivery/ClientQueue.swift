/// Queue of one client. Each call takes the client's lock once. Thread-safe.
struct ClientQueue: DeliveryQueue {
    let client: any DeliveryClient
    /// Number of the queue.
    let id: Int

    var mergesRuns: Bool { false }

    private func change<Result: Sendable>(
        noting notice: Notice? = nil,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        client.withStore(noting: notice) { $0.withQueue(id, body) }
    }

    func change<Result: Sendable>(
        _ range: QueueRange,
        noting notice: Notice?,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        change(noting: notice, body)
    }

    var pendingEvents: Int { change { $0.queue.pendingEvents } ?? 0 }

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

    var next: PendingRange? { change { $0.queue.next } ?? nil }

    func next(after range: QueueRange) -> PendingRange? {
        change { $0.queue.next(after: range) } ?? nil
    }

    func ranges(behind range: QueueRange, count: Int) -> [PendingRange] {
        change { $0.queue.ranges(behind: range, count: count) } ?? []
    }

    func isPending(_ range: QueueRange) -> Bool {
        client.isPending(range, of: id)
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
