import CClickstreamSystem
package import ClickstreamCore

#if Library
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Launch environment of an app: its validated configuration and its dependencies.
package struct Host: Sendable {
    package var configuration: ClickstreamClient.Configuration
    /// Warnings about the configuration, for the developer.
    package var warnings: [Notice.Warning]
    /// The folder that contains the stores of all apps.
    package let storage: String
    /// The environment that replaces this machine; `nil` for this machine.
    private let substitute: ClickstreamClient.World?

    /// Merges and validates the configuration with this precedence: code, environment, file, defaults.
    /// - Parameters:
    ///   - environment: the variables of the process.
    ///   - folders: the folders searched for the file, unless the code specifies one.
    /// - Throws: `ConfigurationError` for an invalid file or variable, ``InitError`` for a missing or invalid setting
    ///   from any source.
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
        warnings = loaded.warnings.map { Notice.Warning(.settingInvalid, $0) }
        substitute = nil
        storage = configuration.storageFolder ?? Self.stateFolder(environment: environment)
        let locations = Self.locations(of: loaded, folders: folders)
        try checkAppID(locations)
        try checkEndpoint(locations, refusal: loaded.refusal(ofEndpoint: configuration.endpoint))
        try checkCookie()
    }

    /// Merges the code's configuration with that of an environment; nothing is read from this machine.
    package init(_ code: ClickstreamConfiguration, in world: ClickstreamClient.World) throws(InitError) {
        configuration = code.applied(to: world.configuration)
        warnings = []
        substitute = world
        storage = configuration.storageFolder ?? world.storage
        try checkAppID("the world's configuration")
        try checkEndpoint(
            "the world's configuration",
            refusal: Endpoint.refusal(of: configuration.endpoint, from: nil)
        )
        try checkCookie()
    }

    // MARK: Checks

    /// Returns the file without the setting, or the folders without a file, for a message.
    private static func locations(of loaded: LoadedConfiguration, folders: [String]) -> String {
        if let path = loaded.path { return path }
        let folders = folders.map { $0.isEmpty ? "." : $0 }.joined(separator: ", ")
        return "\(ConfigurationFile.name), which was not found in \(folders.isEmpty ? "any folder" : folders)"
    }

    private func checkAppID(_ locations: String) throws(InitError) {
        guard configuration.appID.isEmpty else { return }
        throw .missingAppID(
            "'appId' is missing: set it, for example to \"shopping\", as"
                + " \(ConfigurationFile.path(ofKey: "appId")) in \(locations); or in CLICKSTREAM_APP_ID, or with"
                + " withAppId(_:)."
        )
    }

    /// - Parameter refusal: the error in the endpoint; ignored without an endpoint.
    private mutating func checkEndpoint(_ locations: String, refusal: String?) throws(InitError) {
        guard !configuration.endpoint.isEmpty else {
            let message =
                "'endpoint' is missing: set it, for example to \"https://example.com/collect\", as"
                + " \(ConfigurationFile.path(ofKey: "endpoint")) in \(locations); or in CLICKSTREAM_ENDPOINT, or with"
                + " withEndpoint(_:). Events are kept in \(storage) until then"
            warnings.append(Notice.Warning(.endpointMissing, message))
            return
        }
        if let refusal { throw .badEndpoint("'endpoint' cannot be used: \(refusal)") }
    }

    private func checkCookie() throws(InitError) {
        guard let refusal = configuration.cookieRefusal else { return }
        throw .badAuthCookie(refusal)
    }

    // MARK: Environment

    /// The environment for a client.
    package var world: ClickstreamClient.World {
        guard var world = substitute else {
            return ClickstreamClient.World(
                configuration: configuration,
                device: HostDevice.current(),
                storage: storage,
                dependencies: Self.dependencies()
            )
        }
        world.configuration = configuration
        world.storage = storage
        return world
    }

    /// Returns the folder for such data: `$XDG_STATE_HOME/clickstream`, or `~/.local/state/clickstream`.
    ///
    /// A relative `XDG_STATE_HOME` is ignored, as required by its specification.
    package static func stateFolder(environment: [String: String]) -> String {
        #if canImport(Darwin)
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        if let folder = support.first { return folder.appendingPathComponent("clickstream").path }
        #endif
        if let folder = environment.setting("XDG_STATE_HOME"), folder.hasPrefix("/") { return "\(folder)/clickstream" }
        let home = environment.setting("HOME") ?? FileManager.default.homeDirectoryForCurrentUser.path
        return "\(home)/.local/state/clickstream"
    }

    /// The path of the program; `nil` if it is unknown, as in a root directory without `/proc`.
    static var executable: String? {
        #if os(Linux)
        // Foundation's main bundle ends the process if the program's folder was removed or may not be read.
        guard let path = executableLink else { return nil }
        // The kernel's mark of a program whose file was removed, as by an upgrade.
        let mark = " (deleted)"
        return path.hasSuffix(mark) && access(path, F_OK) != 0 ? String(path.dropLast(mark.count)) : path
        #else
        return Bundle.main.executablePath
        #endif
    }

    #if os(Linux)
    /// The path of the program as the kernel has it, with a mark if the file was removed; `nil` without `/proc`.
    static var executableLink: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }
    #endif

    /// The program's path, or the name by which it was started.
    static var program: String {
        executable ?? clickstream_program_name().map { String(cString: $0) } ?? ""
    }

    /// The folder of the app bundle's resources; `nil` if there is none.
    static var resources: String? {
        #if os(Linux)
        nil
        #else
        Bundle.main.resourcePath
        #endif
    }

    /// Returns the dependencies of this machine, for one client.
    package static func dependencies() -> ClickstreamClient.Dependencies {
        #if os(Linux)
        // Read on the thread that starts the client. The transport is created on another one.
        let proxies = ProxySettings()
        let transport = DeferredTransport { LinuxTransport(proxies: proxies) }
        #else
        let transport = DeferredTransport { URLSessionTransport() }
        #endif
        var dependencies = ClickstreamClient.Dependencies(
            time: SystemTime(),
            ids: SystemIDs(),
            files: LocalFileSystem(),
            transport: transport
        )
        dependencies.device = HostDevice()
        #if os(Linux)
        dependencies.crashes = CrashWatch()
        #endif
        return dependencies
    }

    /// True unless another environment replaces this machine.
    package var isThisMachine: Bool { substitute == nil }
}
