extension ClickstreamClient {
    /// Everything around a client that is not the app's code: its settings, its device, its clocks, disk and network.
    ///
    /// A plain value. An app on a machine needs none, `ClickstreamAnalytics.initSDK(_:)` finds its own; a test gets one
    /// from `ClickstreamTestRecorder.world`.
    public struct World: Sendable {
        /// What holds unless the app's code says otherwise.
        public var configuration: Configuration
        public var device: Device
        /// The folder that holds the stores of all apps; made when it is missing.
        public var storage: String
        public var dependencies: Dependencies
        /// Is told everything that happens; see ``ClickstreamClient/observe(_:)``.
        public var observe: (@Sendable (Notice) -> Void)?

        public init(
            configuration: Configuration,
            device: Device,
            storage: String,
            dependencies: Dependencies,
            observe: (@Sendable (Notice) -> Void)? = nil
        ) {
            self.configuration = configuration
            self.device = device
            self.storage = storage
            self.dependencies = dependencies
            self.observe = observe
        }
    }

    /// Launches in `world`: opens the store, and records what the launch means.
    /// - Throws: ``StoreError`` for a store of a later version, or a disk that is broken; any other folder that cannot be used
    ///   means that events are kept in memory, with a warning.
    public convenience init(in world: World) throws(StoreError) {
        try self.init(
            configuration: world.configuration,
            device: world.device,
            storage: world.storage,
            dependencies: world.dependencies,
            observe: world.observe
        )
    }
}
