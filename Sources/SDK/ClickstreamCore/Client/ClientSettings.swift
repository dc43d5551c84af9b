/// Configuration of a running client.
struct ClientSettings: Sendable {
    private(set) var configuration: ClickstreamClient.Configuration { didSet { revision &+= 1 } }
    /// The app whose store is open. The configuration has another id after a change while recording is disabled, until
    /// recording is enabled.
    let appID: String
    /// Number of changes so far, also for earlier apps of the client.
    private(set) var revision: Int

    /// A configuration whose cookie or unique id cannot be sent loses it, with a warning.
    init(_ configuration: ClickstreamClient.Configuration, revision: Int = 0, warnings: inout [Notice]) {
        self.configuration = configuration
        self.revision = revision
        appID = configuration.appID
        if let refusal = configuration.uniqueID.flatMap(ClickstreamClient.Configuration.lengthRefusal(ofUniqueID:)) {
            self.configuration.uniqueID = nil
            warnings.append(.warning(.init(.settingInvalid, "'uniqueId' \(refusal). The one in the store is used.")))
        }
        guard let refusal = configuration.cookieRefusal else { return }
        self.configuration.authCookie = nil
        warnings.append(.warning(.init(.settingInvalid, "\(refusal). Requests go without it.")))
    }

    /// True if the configuration names another app than the store's.
    var namesAnotherApp: Bool { configuration.appID != appID }

    // MARK: Configuration

    /// Takes a changed configuration, except what cannot change while a client runs.
    /// - Returns: true if anything changed.
    mutating func take(_ changed: ClickstreamClient.Configuration, warnings: inout [Notice]) -> Bool {
        guard changed != configuration else { return false }
        var changed = changed
        if let refusal = changed.cookieRefusal {
            changed.authCookie = configuration.authCookie
            warnings.append(.warning(.init(.settingInvalid, "\(refusal). The former one, if any, stays.")))
        }
        let kept = changed.keepLaunchSettings(of: configuration)
        if !kept.isEmpty {
            let names = kept.map { "'\($0)'" }.joined(separator: ", ")
            let message = "\(names) cannot change while a client runs: set it before the launch."
            warnings.append(.warning(.init(.settingNotChanged, message)))
        }
        configuration = changed
        return true
    }

    /// Takes the endpoint and its cookie back.
    mutating func restoreDestination(of before: ClickstreamClient.Configuration) {
        configuration.endpoint = before.endpoint
        configuration.authCookie = before.authCookie
    }

    /// Takes everything back for the end of the store's app.
    mutating func restore(_ before: ClickstreamClient.Configuration) {
        configuration = before
        configuration.appID = appID
    }

    /// Takes the app id back.
    mutating func restoreApp() {
        configuration.appID = appID
    }
}
