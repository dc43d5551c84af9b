import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamReplay
import Foundation

/// Origin of each configuration key, and warnings. Never contains the cookie.
struct ConfigurationCheck {
    private(set) var findings: [DoctorFinding] = []
    /// The store for the other checks; `nil` without a configuration.
    private(set) var store: StoreOfApp?

    init(_ options: StoreOptions, environment: [String: String] = ProcessInfo.processInfo.environment) {
        do throws(CommandFailure) {
            try options.checkFile()
        } catch {
            refuse(error.message, next: "correct --config, or leave it out")
            return
        }
        let variable = "CLICKSTREAM_CONFIGURATION_FILE"
        let file = options.config ?? environment.setting(variable)
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) {
            loaded = try LoadedConfiguration.load(
                code: options.code,
                environment: environment,
                path: file
            )
        } catch {
            let isFromVariable = options.config == nil && file != nil
            let advice = isFromVariable ? "correct it, or unset \(variable)" : "correct it"
            for problem in error.problems { refuse(problem, next: "\(advice); see amplifyconfiguration.example.json") }
            return
        }
        lookAtFile(loaded)
        lookAtKeys(loaded)
        var configuration = loaded.configuration
        if configuration.appID.isEmpty {
            findings.append(
                DoctorFinding(
                    .warning,
                    .configuration,
                    "appId is missing",
                    why: "initSDK would fail; this command checks the store of \(Replayer.defaultAppID)",
                    next: "set it in \(ConfigurationFile.name), in CLICKSTREAM_APP_ID, or with --app-id"
                )
            )
            configuration.appID = Replayer.defaultAppID
        }
        if configuration.maxStoreBytes < Configuration.minimumStoreBytes {
            findings.append(
                DoctorFinding(
                    .problem,
                    .configuration,
                    "maxStoreBytes is \(configuration.maxStoreBytes), less than \(Configuration.minimumStoreBytes)",
                    why: "an event with more bytes than the whole store is not recorded",
                    next: "set at least \(Configuration.minimumStoreBytes), or remove the key"
                )
            )
        }
        if let refusal = loaded.refusal(ofEndpoint: configuration.endpoint) {
            refuse(refusal, next: "correct it, such as https://example.com/collect")
        }
        if let refusal = configuration.cookieRefusal {
            refuse(refusal, next: "copy it again, without line breaks")
            configuration.authCookie = nil
        }
        store = StoreOfApp(
            configuration: configuration,
            root: configuration.storageFolder ?? Host.stateFolder(environment: environment)
        )
    }

    /// Adds an error with which the SDK does not start.
    private mutating func refuse(_ message: String, next: String) {
        findings.append(DoctorFinding(.problem, .configuration, message, why: "initSDK would fail", next: next))
    }

    private mutating func lookAtFile(_ loaded: LoadedConfiguration) {
        if let path = loaded.path {
            findings.append(DoctorFinding(.ok, .configuration, "configuration file: \(path)", at: path))
        } else {
            let folders = ConfigurationFile.usualFolders.map { $0.isEmpty ? "." : $0 }.joined(separator: ", ")
            findings.append(
                DoctorFinding(.ok, .configuration, "no \(ConfigurationFile.name) in \(folders)", at: folders)
            )
        }
        findings += loaded.warnings.map {
            DoctorFinding(.warning, .configuration, $0, next: "correct or remove it")
        }
    }

    /// Every key that was set, with its value and origin.
    private mutating func lookAtKeys(_ loaded: LoadedConfiguration) {
        for key in ConfigurationKey.all {
            let place: String
            switch loaded.layers.origin(of: key.name) {
            case .defaults: continue
            case .file(let path): place = path
            case .environment(let variable): place = variable
            case .code: place = "the command line"
            }
            let value = key.shown(in: loaded.configuration)
            findings.append(DoctorFinding(.ok, .configuration, "\(key.name) is \(value), from \(place)", at: place))
        }
    }
}

extension ConfigurationKey {
    /// The value for display; for a secret, only its presence.
    fileprivate func shown(in configuration: Configuration) -> String {
        let value = value(in: configuration)
        if value == .null { return "not set" }
        if isSecret { return "set" }
        switch (value, form) {
        case (.integer(let number), .milliseconds), (.integer(let number), .optionalMilliseconds): return "\(number) ms"
        case (.integer(let number), _): return "\(number)"
        case (.text(let text), _): return text
        default: return value.description
        }
    }
}
