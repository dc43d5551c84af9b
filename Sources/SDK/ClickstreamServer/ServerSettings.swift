import ClickstreamCore

/// Configuration of running server events, and the switch that enables recording.
struct ServerSettings: Sendable {
    private(set) var configuration: ClickstreamClient.Configuration
    var isEnabled = true

    /// A configuration whose cookie cannot be sent loses it, and invalid global attributes, with a notice.
    init(_ configuration: ClickstreamClient.Configuration, notices: inout [Notice]) {
        self.configuration = configuration
        self.configuration.globalAttributes = Self.accepted(configuration.globalAttributes, notices: &notices)
        if configuration.consent != .notRequired {
            notices.append(
                .warning(
                    .init(
                        .settingInvalid,
                        "No server event is recorded: the setting 'consent' is \"\(configuration.consent.rawValue)\", and nobody"
                            + " can give consent for all visitors. Remove it, and record for visitors who have given theirs."
                    )
                )
            )
        }
        guard let refusal = configuration.cookieRefusal else { return }
        self.configuration.authCookie = nil
        notices.append(.warning(.init(.settingInvalid, "\(refusal). Requests go without it.")))
    }

    /// Takes a changed configuration, except what cannot change while the process runs.
    /// - Returns: true if anything changed.
    mutating func take(_ changed: ClickstreamClient.Configuration, notices: inout [Notice]) -> Bool {
        guard changed != configuration else { return false }
        var changed = changed
        if changed.globalAttributes != configuration.globalAttributes {
            changed.globalAttributes = Self.accepted(changed.globalAttributes, notices: &notices)
        }
        if let refusal = changed.cookieRefusal {
            changed.authCookie = configuration.authCookie
            notices.append(.warning(.init(.settingInvalid, "\(refusal). The former one, if any, stays.")))
        }
        var kept = changed.keepLaunchSettings(of: configuration)
        if changed.appID != configuration.appID {
            changed.appID = configuration.appID
            kept.append("appId")
        }
        if !kept.isEmpty {
            let names = kept.map { "'\($0)'" }.joined(separator: ", ")
            let message = "\(names) cannot change while server events run: create new ones."
            notices.append(.warning(.init(.settingNotChanged, message)))
        }
        configuration = changed
        return true
    }

    /// Takes the endpoint and its cookie back.
    mutating func restoreDestination(of before: ClickstreamClient.Configuration) {
        configuration.endpoint = before.endpoint
        configuration.authCookie = before.authCookie
    }

    /// The global attributes that the rules accept; the others are reported.
    private static func accepted(_ globals: Attributes, notices: inout [Notice]) -> Attributes {
        var refused: [Violation] = []
        let accepted = Validator.checkGlobals(globals, existing: [:], into: &refused)
        if !refused.isEmpty { notices.append(.rejected(refused)) }
        return accepted
    }
}
