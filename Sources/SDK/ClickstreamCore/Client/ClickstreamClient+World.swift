extension ClickstreamClient {
    /// Environment of a client: settings, device, clocks, disk and network.
    ///
    /// An app uses that of its machine, which `ClickstreamAnalytics.initSDK(_:)` determines; a test uses
    /// `ClickstreamTestRecorder.world`. An app with its own settings, device properties or network creates one.
    public struct World: Sendable {
        /// Settings without a value in the app's code: at least the app id. Without an endpoint events are kept.
        public var configuration: Configuration
        /// The device properties of every event.
        public var device: Device
        /// The folder that contains the stores of all apps; created if it does not exist.
        public var storage: String
        /// Clock, identifiers, file system and network.
        package var dependencies: Dependencies
        /// Observer of all notices; see ``ClickstreamClient/observe(_:)``.
        public var observe: (@Sendable (Notice) -> Void)?

        /// The network; `nil` sends nothing and keeps all events. After one is set, deliveries wait by the clock of this
        /// machine, also in the world of a test recorder.
        public var transport: (any Transport)? {
            get { dependencies.transport }
            set {
                dependencies.transport = newValue
                dependencies.deliveryTime = SystemTime()
            }
        }

        /// Creates a world with the clocks and the file system of this machine; nothing is opened or called.
        public init(
            configuration: Configuration,
            device: Device,
            storage: String,
            transport: (any Transport)? = nil,
            observe: (@Sendable (Notice) -> Void)? = nil
        ) {
            self.init(
                configuration: configuration,
                device: device,
                storage: storage,
                dependencies: Dependencies(
                    time: SystemTime(),
                    ids: SystemIDs(),
                    files: LocalFileSystem(),
                    transport: transport
                ),
                observe: observe
            )
        }

        /// Creates a world with these dependencies; nothing is opened or called.
        package init(
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

    /// Launches the app in `world`: opens the store, and records the launch events.
    /// - Throws: ``StoreError`` for a store written by a later version of the library, and for a broken disk (`EIO`):
    ///   nothing is recorded then. Any other unusable folder (read-only, foreign, another user's, on a full disk)
    ///   causes a warning: at most 1 000 events of 1 MiB in total are kept in memory until the folder can be used, or
    ///   until they are delivered.
    public convenience init(in world: World) throws(StoreError) {
        try self.init(in: world, as: .app(goesToMemory: true))
    }
}
