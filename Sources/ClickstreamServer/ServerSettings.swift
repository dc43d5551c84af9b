import ClickstreamCore

/// Configuration of running server events, and the switch that enables recording.
struct ServerSettings: Sendable {
    private(set) var configuration: Configuration
    var isEnabled = true

    /// A configuration whose cookie cannot be sent loses it, with a warning.
    init(_ configuration: Configuration, notices: inout [Notice]) {
        self.configuration = configuration
        guard let refusal = configuration.cookieRefusal else { return }
        self.configuration.authCookie = nil
        notices.append(.warning("\(refusal). Requests go without it."))
    }

    /// Takes a changed configuration, except what cannot change while the process runs.
    /// - Returns: true if anything changed.
    mutating func take(_ changed: Configuration, notices: inout [Notice]) -> Bool {
        guard changed != configuration else { return false }
        var changed = changed
        if let refusal = changed.cookieRefusal {
            changed.authCookie = configuration.authCookie
            notices.append(.warning("\(refusal). The former one, if any, stays."))
        }
        var kept = changed.keepLaunchSettings(of: configuration)
        if changed.appID != configuration.appID {
            changed.appID = configuration.appID
            kept.append("appId")
        }
        if !kept.isEmpty {
            let names = kept.map { "'\($0)'" }.joined(separator: ", ")
            notices.append(.warning("\(names) cannot change while server events run: create new ones."))
        }
        configuration = changed
        return true
    }
}
