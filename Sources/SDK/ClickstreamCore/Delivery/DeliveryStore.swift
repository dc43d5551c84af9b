/// Owner of a store whose events are delivered: a client, or a shard of a server. Thread-safe.
package protocol DeliveryStore: Sendable {
    /// Performs a step of delivery under the lock of the store, which is acquired once. Notices are reported after its release.
    /// - Parameter body: receives the store, the settings of its owner, and the notices to report.
    func deliver<Result: Sendable>(
        _ step: DeliveryStep,
        _ body: (inout EventStore, DeliverySettings, inout [Notice]) -> Result
    ) -> Result
}

/// Kind of a step of delivery: changes of other processes, such as a withdrawal of consent, are applied before some.
package enum DeliveryStep: Sendable {
    /// A flush begins: what is left of a withdrawal is completed.
    case flush
    /// A request begins: costs reading one line of a file unless the shared state has changed.
    case request
    /// A step that depends on no other process.
    case local
}

/// State of the owner of a store that flushes and requests depend on.
package struct DeliverySettings: Sendable {
    package var configuration: ClickstreamClient.Configuration
    package var device: ClickstreamClient.Device
    /// True if recording is on, and consent permits sending.
    package var isEnabled: Bool

    package init(configuration: ClickstreamClient.Configuration, device: ClickstreamClient.Device, isEnabled: Bool) {
        self.configuration = configuration
        self.device = device
        self.isEnabled = isEnabled
    }
}

extension DeliveryStore {
    /// Checks that the files of recorded events still have their names.
    /// - Parameter flush: the time of a flush that begins. A store in memory then tries to return to the disk, which may contain
    ///   events of earlier processes, at most every ten seconds.
    func findStore(before flush: Timestamp? = nil) {
        deliver(.local) { store, _, _ in
            if let flush { store.returnToDisk(at: flush) }
            _ = store.keepNamed()
        }
    }
}
