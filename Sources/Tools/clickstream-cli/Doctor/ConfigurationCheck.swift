import ClickstreamAnalytics
import ClickstreamCapture
import ClickstreamCore
import ClickstreamReplay
import Foundation

/// Origin of each configuration key, and warnings. Never contains the cookie.
struct ConfigurationCheck {
    private(set) var findings: [DoctorFinding] = []
    /// The store for the other checks; `nil` without a configuration.
    private(set) var store: StoreOfApp?

    init(_ options: StoreOptions, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let variable = CaptureSettings.fileVariable
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
        checkFile(loaded)
        checkKeys(loaded)
        checkCapture(loaded, environment)
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
        if configuration.maxStoreBytes < ClickstreamClient.Configuration.minimumStoreBytes {
            refuse(
                "maxStoreBytes is \(configuration.maxStoreBytes), less than \(ClickstreamClient.Configuration.minimumStoreBytes)",
                why: "an event with more bytes than the whole store is not recorded",
                next: "set at least \(ClickstreamClient.Configuration.minimumStoreBytes), or remove the key"
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

    /// Adds an error, by default one with which the SDK does not start.
    private mutating func refuse(_ message: String, why: String = "initSDK would fail", next: String) {
        findings.append(DoctorFinding(.problem, .configuration, message, why: why, next: next))
    }

    private mutating func warn(_ warnings: [String]) {
        findings += warnings.map { DoctorFinding(.warning, .configuration, $0, next: "correct or remove it") }
    }

    /// Adds a key that was set, with its value and origin.
    private mutating func show(_ name: String, _ value: String, from origin: ConfigurationLayers.Origin) {
        let location: String
        switch origin {
        case .defaults: return
        case .file(let path): location = path
        case .environment(let variable): location = variable
        case .code: location = "the command line"
        }
        findings.append(DoctorFinding(.ok, .configuration, "\(name) is \(value), from \(location)", at: location))
    }

    private mutating func checkFile(_ loaded: LoadedConfiguration) {
        if let path = loaded.path {
            findings.append(DoctorFinding(.ok, .configuration, "configuration file: \(path)", at: path))
        } else {
            let folders = ConfigurationFile.usualFolders.map { $0.isEmpty ? "." : $0 }.joined(separator: ", ")
            findings.append(
                DoctorFinding(.ok, .configuration, "no \(ConfigurationFile.name) in \(folders)", at: folders)
            )
        }
        warn(loaded.warnings)
    }

    /// Every key that was set, with its value and origin.
    private mutating func checkKeys(_ loaded: LoadedConfiguration) {
        for key in ConfigurationKey.all {
            show(key.name, key.shown(in: loaded.configuration), from: loaded.layers.origin(of: key.name))
        }
    }

    /// The settings of capture, which a program that is captured without a change reads from file and environment.
    private mutating func checkCapture(_ loaded: LoadedConfiguration, _ environment: [String: String]) {
        let settings: CaptureSettings
        do throws(ConfigurationError) {
            let section = try loaded.section(at: CaptureSettings.sectionPath, groups: CaptureSettings.Key.groups)
            settings = CaptureSettings(section, environment: environment)
        } catch {
            refuseCapture(error.problems)
            return
        }
        warn(settings.report.warnings)
        for key in CaptureSettings.Key.all {
            show(key.name, key.shown(in: settings), from: settings.origin(of: key))
        }
        refuseCapture(settings.report.problems)
    }

    private mutating func refuseCapture(_ problems: [String]) {
        for problem in problems {
            refuse(
                problem,
                why: "a program with the preloaded library would run without capture",
                next: "correct or remove it"
            )
        }
    }
}

extension ConfigurationKey {
    /// The value for display; for a secret, only its presence.
    fileprivate func shown(in configuration: ClickstreamClient.Configuration) -> String {
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

extension CaptureSettings.Key {
    /// The value for display; for a secret, only its presence.
    fileprivate func shown(in settings: CaptureSettings) -> String {
        if isSecret { return "set" }
        let value = text(in: settings)
        return value.isEmpty ? "empty" : value
    }
}
