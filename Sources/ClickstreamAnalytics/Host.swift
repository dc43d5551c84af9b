package import ClickstreamCore
import Foundation

/// What an app runs on when it says nothing else: the system's clocks, disk and network, and the machine's own facts.
package struct Host: Sendable {
    package var configuration: Configuration
    /// What was odd about the configuration, for the developer.
    package var warnings: [String]

    /// Puts the configuration together: code, then the environment, then the file, then the defaults.
    /// - Throws: `ConfigurationError` for a file or variable that cannot be used, ``InitError`` for what is missing.
    package init(_ code: ClickstreamConfiguration) throws {
        let loaded = try LoadedConfiguration.load()
        configuration = code.applied(to: loaded.configuration)
        warnings = loaded.warnings
        guard !configuration.appID.isEmpty else { throw InitError.missingAppID }
        if configuration.endpoint.isEmpty {
            warnings.append("no endpoint is configured: events are kept in \(storage) until there is one")
        } else {
            do {
                _ = try Endpoint(configuration.endpoint)
            } catch {
                throw InitError.badEndpoint("The endpoint cannot be used: \(error)")
            }
        }
    }

    /// The folder that holds the stores of all apps.
    package var storage: String {
        configuration.storageFolder ?? Self.stateFolder(environment: ProcessInfo.processInfo.environment)
    }

    /// Where programs keep such data: `$XDG_STATE_HOME/clickstream`, or `~/.local/state/clickstream`.
    ///
    /// A relative `XDG_STATE_HOME` does not count, as its specification says.
    package static func stateFolder(environment: [String: String]) -> String {
        #if canImport(Darwin)
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        if let folder = support.first { return folder.appendingPathComponent("clickstream").path }
        #endif
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return "\(folder)/clickstream" }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
        return "\(home)/.local/state/clickstream"
    }

    /// The doors to this machine, for one client.
    package static func doors() -> ClickstreamClient.Doors {
        var doors = ClickstreamClient.Doors(
            time: SystemTime(),
            ids: SystemIDs(),
            files: LocalFileSystem(),
            transport: URLSessionTransport()
        )
        #if os(Linux)
        doors.crashes = CrashWatch()
        #endif
        return doors
    }

    /// Launches a client on this machine.
    package func client(observe: (@Sendable (Notice) -> Void)?) throws(StoreError) -> ClickstreamClient {
        let client = try ClickstreamClient(
            configuration: configuration,
            device: HostDevice.current(),
            storage: storage,
            doors: Self.doors(),
            observe: observe
        )
        for warning in warnings { client.note(.warning(warning)) }
        return client
    }
}
