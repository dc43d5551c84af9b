public import ClickstreamCore

extension ClickstreamClient {
    /// Launches a client on this machine: with its device properties, clock, disk and network.
    ///
    /// Settings without a value in `configuration` come from the environment (`CLICKSTREAM_...`), then
    /// `amplifyconfiguration.json`, then the defaults, as for `ClickstreamAnalytics.initSDK(_:)`. The client is shut down
    /// gracefully at the end of the process. For a second client of one process, such as that of another app id.
    ///
    /// ```swift
    /// let client = try ClickstreamClient(ClickstreamConfiguration().withAppId("shopping"))
    /// client.record("add_to_cart", attributes: ["price": 12.5])
    /// ```
    /// - Parameters:
    ///   - configuration: at least the app id, unless the environment or the file has it.
    ///   - observe: receives every notice, as by `observe(_:)`.
    /// - Throws: `InitError` if the app id is missing or a setting is invalid; `ConfigurationError` if the file or a
    ///   variable is invalid; `StoreError` if the store cannot be opened.
    public convenience init(
        _ configuration: ClickstreamConfiguration,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws {
        try self.init(Host(configuration), observe: observe)
    }

    /// Launches a client in the environment of a host; on this machine, it is shut down gracefully at the end of the
    /// process.
    package convenience init(_ host: Host, observe: (@Sendable (Notice) -> Void)?) throws(StoreError) {
        var world = host.world
        world.observe = observe ?? world.observe
        try self.init(in: world)
        if host.isThisMachine { GracefulShutdown.process.cover(self, signals: host.configuration.endsOnSignals) }
        for warning in host.warnings { note(.warning(warning)) }
    }
}
