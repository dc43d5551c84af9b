package import ClickstreamCore
import Foundation

/// What an app is launched with: its configuration put together and checked, and the world around it.
package struct Host: Sendable {
    package var configuration: Configuration
    /// What was odd about the configuration, for the developer.
    package var warnings: [String]
    /// The folder that holds the stores of all apps.
    package let storage: String
    /// What is there instead of this machine; `nil`: nothing.
    private let substitute: ClickstreamClient.World?

    /// Puts the configuration together: code, then the environment, then the file, then the defaults.
    /// - Parameters:
    ///   - environment: the process's variables.
    ///   - folders: where the file is looked for, unless the code names one.
    /// - Throws: `ConfigurationError` for a file or variable that cannot be used, ``InitError`` for what is missing or
    ///   cannot be used wherever it comes from.
    package init(
        _ code: ClickstreamConfiguration,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        folders: [String] = ConfigurationFile.usualFolders,
        in files: any FileSystem = LocalFileSystem()
    ) throws {
        let loaded = try LoadedConfiguration.load(
            environment: environment,
            path: code.configurationFile,
            folders: folders,
            in: files
        )
        configuration = code.applied(to: loaded.configuration)
        warnings = loaded.warnings
        substitute = nil
        storage = configuration.storageFolder ?? Self.stateFolder(environment: environment)
        let places = Self.places(of: loaded, folders: folders)
        try checkAppID(places)
        try checkEndpoint(places)
        try checkCookie()
    }

    /// The code's configuration over that of a world; nothing is read from this machine.
    package init(_ code: ClickstreamConfiguration, in world: ClickstreamClient.World) throws(InitError) {
        configuration = code.applied(to: world.configuration)
        warnings = []
        substitute = world
        storage = configuration.storageFolder ?? world.storage
        try checkAppID("the world's configuration")
        try checkEndpoint("the world's configuration")
        try checkCookie()
    }

    // MARK: Checks

    /// In which file there was nothing, or in which folders there was no file.
    private static func places(of loaded: LoadedConfiguration, folders: [String]) -> String {
        if let path = loaded.path { return path }
        let folders = folders.map { $0.isEmpty ? "." : $0 }.joined(separator: ", ")
        return "\(ConfigurationFile.name), which was not found in \(folders.isEmpty ? "any folder" : folders)"
    }

    private static func member(_ key: String) -> String {
        (ConfigurationFile.pluginPath + [key]).joined(separator: ".")
    }

    private func checkAppID(_ places: String) throws(InitError) {
        guard configuration.appID.isEmpty else { return }
        throw .missingAppID(
            "'appId' is missing: a text such as \"shopping\" is expected as \(Self.member("appId")) in \(places);"
                + " or in CLICKSTREAM_APP_ID, or from withAppId(_:)."
        )
    }

    private mutating func checkEndpoint(_ places: String) throws(InitError) {
        guard !configuration.endpoint.isEmpty else {
            warnings.append(
                "'endpoint' is missing: a URL such as \"https://example.com/collect\" is expected as"
                    + " \(Self.member("endpoint")) in \(places); or in CLICKSTREAM_ENDPOINT, or from withEndpoint(_:)."
                    + " Events are kept in \(storage) until there is one"
            )
            return
        }
        do {
            _ = try Endpoint(configuration.endpoint)
        } catch {
            throw .badEndpoint("'endpoint' cannot be used: \(error)")
        }
    }

    private func checkCookie() throws(InitError) {
        guard let refusal = configuration.cookieRefusal else { return }
        throw .badAuthCookie(refusal)
    }

    // MARK: The world

    /// What a client is launched in.
    package var world: ClickstreamClient.World {
        guard var world = substitute else {
            return ClickstreamClient.World(
                configuration: configuration,
                device: HostDevice.current(),
                storage: storage,
                doors: Self.doors()
            )
        }
        world.configuration = configuration
        world.storage = storage
        return world
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
            transport: DeferredTransport { URLSessionTransport() }
        )
        #if os(Linux)
        doors.crashes = CrashWatch()
        #endif
        return doors
    }

    /// Launches a client in this world; on this machine, sees to its end at the end of the process.
    /// - Parameter observe: is told everything, instead of whoever the world names.
    package func client(observe: (@Sendable (Notice) -> Void)?) throws(StoreError) -> ClickstreamClient {
        var world = world
        world.observe = observe ?? world.observe
        let client = try ClickstreamClient(in: world)
        if substitute == nil { OrderlyEnd.process.cover(client, signals: configuration.endsOnSignals) }
        for warning in warnings { client.note(.warning(warning)) }
        return client
    }
}
