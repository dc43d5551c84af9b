import ArgumentParser
import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamJudges
import ClickstreamReplay
import ClickstreamStores
import Foundation
import Glibc

/// Options of `record`, `flush` and `queue`: the app's store and its configuration.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder that contains the stores of all apps.", valueName: "dir"),
        completion: .directory,
        transform: String.trimmedArgument
    )
    var storage: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file; by default amplifyconfiguration.json in its usual folders.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"]),
        transform: String.trimmedArgument
    )
    var config: String?

    @Option(
        name: .customLong("app-id"),
        help: "The app id whose store is used (default: clickstream_cli).",
        transform: String.trimmedArgument
    )
    var appID: String?

    @Option(
        help: ArgumentHelp("The server that events are sent to (http or https).", valueName: "url"),
        transform: String.trimmedArgument
    )
    var endpoint: String?

    func validate() throws {
        try ValidationError.refuseEmpty("--app-id", appID, name: "an app")
        try ValidationError.refuseEmpty("--storage", storage, name: "a folder")
        try ValidationError.refuseInvalid(endpoint: endpoint)
    }

    /// The options by configuration key, as messages name them.
    static let optionNames = ["storageDirectory": "--storage", "appId": "--app-id", "endpoint": "--endpoint"]

    /// Values of the options by configuration key.
    var code: [(name: String, value: ConfigurationKey.Value)] {
        [("storageDirectory", storage), ("appId", appID), ("endpoint", endpoint)].compactMap { name, text in
            text.map { (name, .text($0)) }
        }
    }

    /// Checks that the file of `--config` can be read.
    private func checkFile() throws(CommandFailure) {
        guard let config else { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: config, isDirectory: &isFolder) else {
            throw CommandFailure(.inputMissing, "cannot read \(config): no such file; check the name of --config")
        }
        if isFolder.boolValue {
            throw CommandFailure(.inputMissing, "cannot read \(config): it is a folder; name the file in it")
        }
        try CommandFailure.refuseForbidden(reading: config)
    }

    /// Configuration of options, environment, file and defaults; the first that sets a key wins.
    ///
    /// Warnings are written to standard error.
    /// - Throws: ``CommandFailure`` also for an endpoint that is not a URL, as `initSDK` does.
    func location() throws(CommandFailure) -> StoreOfApp {
        let environment = ProcessInfo.processInfo.environment
        try checkFile()
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) {
            loaded = try LoadedConfiguration.load(
                code: code,
                environment: environment,
                path: config,
                options: Self.optionNames
            )
        } catch {
            for problem in error.problems { Console.fail("\(problem)") }
            throw CommandFailure(.configuration, "")
        }
        for warning in loaded.warnings { Console.warn("\(warning)") }
        var configuration = loaded.configuration
        if let refusal = loaded.refusal(ofEndpoint: configuration.endpoint) {
            throw CommandFailure(.configuration, refusal)
        }
        if configuration.appID.isEmpty { configuration.appID = Replayer.defaultAppID }
        let store = StoreOfApp(
            configuration: configuration,
            root: configuration.storageFolder ?? Host.stateFolder(environment: environment)
        )
        if store.rootIsStore {
            throw CommandFailure(
                .cannotCreate,
                "cannot use \(store.root): it is the store of one app; name its parent folder"
            )
        }
        Console.detail("storage: \(store.root), app id: \(configuration.appID)")
        Console.detail("endpoint: \(configuration.endpoint.isEmpty ? "none" : configuration.endpoint)")
        return store
    }
}

/// One app's store on this machine, and the configuration that goes with it.
struct StoreOfApp: Sendable {
    var configuration: ClickstreamClient.Configuration
    /// The folder that holds the stores of all apps.
    var root: String
    /// Format of the queue that commands on a queue use.
    var form = CapturedFormat.clickstream

    /// True if ``root`` is itself the store of one app: one level too deep.
    var rootIsStore: Bool { FileManager.default.fileExists(atPath: "\(root)/\(StoreFolder.mark)") }

    /// The app's own folder.
    var folder: String { "\(root)/\(StoreFolder.escaped(configuration.appID))" }

    /// The ids of the apps whose stores are there.
    var neighbours: [String] {
        // A folder that cannot be listed has no known stores.
        let names = (try? LocalFileSystem().names(in: root)) ?? []
        let stores = names.filter { FileManager.default.fileExists(atPath: "\(root)/\($0)/\(StoreFolder.mark)") }
        return stores.map { name in
            // A long name is cut, and remains as it is.
            guard let appID = StoreFolder.unescaped(name[...]), StoreFolder.escaped(appID) == name else { return name }
            return appID
        }
    }

    /// True if the store exists.
    /// - Throws: ``CommandFailure`` if the path cannot be inspected or has foreign content.
    func exists() throws(CommandFailure) -> Bool {
        if access("\(folder)/\(StoreFolder.mark)", F_OK) == 0 { return true }
        let reason = errno
        guard reason == ENOENT else { throw CommandFailure(StoreError(FileError(.open, folder, errno: reason))) }
        let names: [String]
        do {
            names = try LocalFileSystem().names(in: folder)
        } catch {
            if error.errno == ENOENT { return false }
            throw CommandFailure(StoreError(error))
        }
        // A crash during creation leaves an unfinished marker file.
        guard let foreign = names.first(where: { !StoreFolder.isUnfinishedMark($0) }) else { return false }
        throw CommandFailure(.foreignFolder(path: folder, contains: foreign))
    }

    /// Message on a missing store.
    var missing: String {
        let others = neighbours
        let advice =
            others.isEmpty
            ? "check --storage" : "found stores of \(others.joined(separator: ", ")): check --app-id and --storage"
        return "no store of app \(configuration.appID) in \(root); \(advice)"
    }

    /// Number of pending events of the queue, including those of running processes; `nil` if unreadable.
    var pendingEvents: Int? { pendingEvents(of: form) }

    /// Number of pending events of a format in all run folders, including those of running processes; `nil` if
    /// unreadable, 0 without a queue of the format.
    func pendingEvents(of form: CapturedFormat) -> Int? {
        do throws(StoreError) {
            let folder = try StoreFolder(LocalFileSystem(), existing: folder)
            guard let queue = try folder.queue(of: form) else { return 0 }
            return try queue.snapshots().reduce(0) { $0 + $1.folder.pendingEvents }
        } catch {
            return nil
        }
    }

    /// Formats other than the queue's that have pending events, with their numbers. Empty if the store cannot be read.
    var otherPendingEvents: [(form: CapturedFormat, events: Int)] {
        CapturedFormat.allCases.filter { $0 != form }.compactMap { other in
            guard let events = pendingEvents(of: other), events > 0 else { return nil }
            return (other, events)
        }
    }

    /// Opens the store without recording a launch.
    /// - Parameters:
    ///   - role: the role of the command; not the app.
    ///   - transport: the transport; `nil` disables sending.
    ///   - observe: receives all notices.
    func client(
        as role: ClientRole,
        transport: (any ClickstreamClient.Transport)? = nil,
        observe: @escaping @Sendable (Notice) -> Void
    ) throws(CommandFailure) -> ClickstreamClient {
        Diagnostics.leaveToObserver()
        var dependencies = Host.dependencies()
        dependencies.transport = transport
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: HostDevice.current(),
            storage: root,
            dependencies: dependencies,
            observe: observe
        )
        do {
            return try ClickstreamClient(in: world, as: role)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension StoreFolder {
    /// Folder of the queue of a format; `nil` if there is none.
    func queue(of form: CapturedFormat) throws(StoreError) -> StoreFolder? {
        if form == .clickstream { return self }
        do {
            return try formats().contains(form.name) ? folder(existing: form.name) : nil
        } catch {
            throw StoreError(error)
        }
    }
}
