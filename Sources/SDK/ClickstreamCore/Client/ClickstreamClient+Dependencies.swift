extension ClickstreamClient {
    /// Clock, identifiers, files, network and device of a client.
    package struct Dependencies: Sendable {
        /// The clock of events, sessions and timers.
        package var time: any TimeSource
        /// The source of identifiers and random delays.
        package var ids: any IDSource
        /// The file system of the store.
        package var files: any FileSystem
        /// `nil` sends nothing and keeps all events.
        package var transport: (any Transport)?
        /// The clock of deliveries: timeouts, pauses, `upload_timestamp`. Differs from `time` only in a replay, where
        /// the script has a clock of its own.
        package var deliveryTime: any TimeSource
        /// Capture of this process's crashes, for one client; `nil` captures none.
        package var crashes: (any CrashCapture)?
        /// Source of the device properties that can change; `nil` for a device that does not change.
        package var device: (any DeviceSource)?
        /// True if the next batch is prefetched during a request; false for the comparison in tests.
        package var readsAhead = true

        /// Creates the dependencies; without `deliveryTime`, deliveries use `time`.
        package init(
            time: any TimeSource,
            ids: any IDSource,
            files: any FileSystem,
            transport: (any Transport)? = nil,
            deliveryTime: (any TimeSource)? = nil
        ) {
            self.time = time
            self.ids = ids
            self.files = files
            self.transport = transport
            self.deliveryTime = deliveryTime ?? time
        }
    }
}
