/// The queue of one destination, as its uploader uses it. Each call takes the client's lock once. Thread-safe.
struct DeliveryQueue: Sendable {
    /// A range to read, and the source of its bytes.
    struct Next: Sendable {
        var range: QueueRange
        var source: SegmentSource
    }

    /// State of the client that a request depends on.
    struct Settings: Sendable {
        var configuration: Configuration
        var device: Device
        var destination: Destination
    }

    let client: any DeliveryClient
    /// Number of the queue.
    let id: Int

    /// Changes the queue under the client's lock; returns `nil` once the queue is delivered, or the client has ended.
    func change<Result: Sendable>(
        noting notice: Notice? = nil,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        client.withStore(noting: notice) { $0.withQueue(id, body) }
    }

    var pendingEvents: Int { change { $0.queue.pendingEvents } ?? 0 }

    /// State of the client that a flush depends on.
    func conditions(hasTransport: Bool) -> FlushMachine.Conditions {
        let settings = client.deliverySettings(of: id)
        return FlushMachine.Conditions(
            hasTransport: hasTransport,
            isEnabled: settings.isEnabled,
            destination: settings.destination
        )
    }

    var settings: Settings? {
        let settings = client.deliverySettings(of: id)
        return settings.destination.map { destination in
            Settings(configuration: settings.configuration, device: settings.device, destination: destination)
        }
    }

    /// The next range to send.
    var next: Next? {
        change { queue in queue.queue.nextRange.map { Next(range: $0, source: queue.queue.source(of: $0)) } } ?? nil
    }

    /// The range to send once `range` is settled.
    func next(after range: QueueRange) -> Next? {
        change { queue in
            queue.queue.nextRange(after: range).map { Next(range: $0, source: queue.queue.source(of: $0)) }
        } ?? nil
    }

    /// The ranges behind `range`, at most `count`, each once.
    func ranges(behind range: QueueRange, count: Int) -> [Next] {
        change { queue in
            queue.queue.ranges(behind: range, count: count).map { Next(range: $0, source: queue.queue.source(of: $0)) }
        } ?? []
    }

    /// Takes the right to deliver, among all processes that share the store. It ends when the lock is released.
    func lock() -> (lock: (any FileLock)?, reason: FlushError?) {
        client.lockForUpload(id)
    }

    /// Writes to the books that a range is about to be sent; returns its bundle id, or `nil` if it was evicted.
    func begin(_ range: QueueRange) -> Int? {
        change { $0.queue.begin(range) } ?? nil
    }

    /// Removes a range whose events the server accepted.
    func acknowledge(_ range: QueueRange, _ notice: Notice) {
        _ = change(noting: notice) { $0.queue.acknowledge(range) }
    }

    /// Removes a range: some of its events become dead letters, the server accepted all others.
    func settle(_ range: QueueRange, setAside letters: [DeadLetter]) -> StoreError? {
        change { queue in
            do throws(StoreError) {
                try queue.settle(range, setAside: letters)
                return nil
            } catch {
                return error
            }
        } ?? nil
    }

    /// Batches in a row every part of which was refused, in the run folder of `range`.
    func wholeRefusals(of range: QueueRange) -> Int {
        change { $0.queue.wholeRefusals(of: range) } ?? 0
    }

    func note(_ notice: Notice) {
        client.withStore(noting: notice) { _ in }
    }
}
