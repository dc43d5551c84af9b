/// Client whose events are delivered. Each call takes the client's lock once; notices are reported after it.
package protocol DeliveryClient: Sendable {
    /// Returns the state of the client that flushes and requests of a queue depend on.
    func deliverySettings(of queue: Int) -> DeliverySettings
    /// Reads or changes the store, and reports a notice.
    func withStore<Result: Sendable>(noting notice: Notice?, _ body: (inout EventStore) -> Result) -> Result
    /// Checks that the files of recorded events still have their names.
    func lookForStore()
    /// Applies changes of other processes that the next request depends on.
    /// - Returns: true if the events of a range are still to be sent.
    func isPending(_ range: QueueRange) -> Bool
    /// Takes the right to deliver from a queue, among all processes that share the store. It ends when the lock is released.
    /// - Returns: the lock, or the reason if another process has it.
    func lockForUpload(_ queue: Int) -> (lock: (any FileLock)?, reason: FlushError?)
}

extension DeliveryClient {
    package func isPending(_ range: QueueRange) -> Bool {
        withStore(noting: nil) { $0.isPending(range) }
    }
}

/// State of a client that flushes and requests depend on.
package struct DeliverySettings: Sendable {
    package var configuration: Configuration
    package var device: Device
    /// Destination of the queue; `nil` once the queue is delivered, or the client has ended.
    package var destination: Destination?
    /// True if recording is on.
    package var isEnabled: Bool

    package init(configuration: Configuration, device: Device, destination: Destination?, isEnabled: Bool) {
        self.configuration = configuration
        self.device = device
        self.destination = destination
        self.isEnabled = isEnabled
    }
}
