/// Queue of one destination, as its uploader uses it. Thread-safe.
package protocol DeliveryQueue: Sendable {
    /// State of the client that requests depend on; `nil` once the queue is delivered, or the client has ended.
    var settings: QueueSettings? { get }
    /// State of the client that a flush depends on.
    func conditions(hasTransport: Bool) -> FlushMachine.Conditions
    var pendingEvents: Int { get }
    /// The next range to send.
    var next: PendingRange? { get }
    /// The range to send once `range` is settled.
    func next(after range: QueueRange) -> PendingRange?
    /// The ranges behind `range`, at most `count`, each once.
    func ranges(behind range: QueueRange, count: Int) -> [PendingRange]
    /// True if a batch may contain ranges of several run folders.
    var mergesRuns: Bool { get }
    /// Changes the queue that contains a range, under the lock of its client; returns `nil` once it is delivered, or the
    /// client has ended.
    func change<Result: Sendable>(
        _ range: QueueRange,
        noting notice: Notice?,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result?
    /// Applies changes of other processes that the next request depends on, such as a withdrawal of consent. To be called
    /// immediately before the request.
    /// - Returns: true if the events of a range are still to be sent.
    func isPending(_ range: QueueRange) -> Bool
    /// Takes the right to deliver, among all processes that share the store. It ends when the lock is released.
    func lock() -> (lock: (any FileLock)?, reason: FlushError?)
    /// Checks that the files of recorded events still have their names.
    func lookForStore()
    /// Reports a notice.
    func note(_ notice: Notice)
}

/// State of a client that a request depends on.
package struct QueueSettings: Sendable {
    package var configuration: Configuration
    package var device: Device
    package var destination: Destination

    package init(configuration: Configuration, device: Device, destination: Destination) {
        self.configuration = configuration
        self.device = device
        self.destination = destination
    }
}

extension DeliveryQueue {
    func change<Result: Sendable>(
        _ range: QueueRange,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        change(range, noting: nil, body)
    }

    package func isPending(_ range: QueueRange) -> Bool {
        change(range) { $0.queue.holds(range) } ?? false
    }

    /// Writes to the books that a range is about to be sent; returns its bundle id, or `nil` if it was evicted.
    func begin(_ range: QueueRange) -> Int? {
        change(range) { $0.queue.begin(range) } ?? nil
    }

    /// Returns a bundle id for a part of a range; `nil` if its events were removed, for lack of consent.
    func reserveBundleID(for range: QueueRange) -> Int? {
        change(range) { $0.queue.holds(range) ? $0.queue.reserveBundleID(for: range) : nil } ?? nil
    }

    /// Removes a range whose events the server accepted.
    func acknowledge(_ range: QueueRange, _ notice: Notice? = nil) {
        _ = change(range, noting: notice) { $0.queue.acknowledge(range) }
    }

    /// Removes the mark of a range that is not in flight any more.
    func withdraw(_ range: QueueRange) {
        _ = change(range) { $0.queue.withdraw(range) }
    }

    /// Removes a range: some of its events become dead letters, the server accepted all others.
    func settle(_ range: QueueRange, setAside letters: [DeadLetter]) -> StoreError? {
        change(range) { queue in
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
        change(range) { $0.queue.wholeRefusals(of: range) } ?? 0
    }
}
