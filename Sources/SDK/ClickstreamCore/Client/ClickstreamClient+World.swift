extension ClickstreamClient {
    /// Environment of a client: settings, device, clocks, disk and network.
    ///
    /// An app uses that of its machine, which `ClickstreamAnalytics.initSDK(_:)` determines; a test uses
    /// `ClickstreamTestRecorder.world`.
    public struct World: Sendable {
        /// Settings without a value in the app's code.
        public var configuration: Configuration
        /// The device properties of every event.
        public var device: Device
        /// The folder that contains the stores of all apps; created if it does not exist.
        public var storage: String
        /// Clock, identifiers, file system and network.
        public var dependencies: Dependencies
        /// Observer of all notices; see ``ClickstreamClient/observe(_:)``.
        public var observe: (@Sendable (Notice) -> Void)?

        /// Creates a world; nothing is opened or called.
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

    /// Launches in `world`: opens the store, and records the launch events.
    /// - Throws: ``StoreError`` for a store of a later version, and for a broken disk. With any other unusable folder,
    ///   events are kept in memory, with a warning.
    public convenience init(in world: World) throws(StoreError) {
        try self.init(in: world, as: .app(goesToMemory: true))
    }
}
