package import ClickstreamCore

/// State of the app at an event of the Contentsquare format.
package struct ContentsquareContext: Sendable {
    package var appID: String
    package var device: ClickstreamClient.Device
    package var session: Session
    /// False without a connection; the network type of the device does not show it.
    package var isOnline: Bool
    package var build: ContentsquareBuild

    package init(
        appID: String,
        device: ClickstreamClient.Device,
        session: Session,
        isOnline: Bool = true,
        build: ContentsquareBuild = ContentsquareBuild()
    ) {
        self.appID = appID
        self.device = device
        self.session = session
        self.isOnline = isOnline
        self.build = build
    }
}

/// Connectivity of a device. The raw value is the `c` of the Contentsquare format.
package enum Connectivity: Int, Sendable, Hashable {
    case offline = -1
    case unknown = 0
    case wifi = 1
    case mobile = 4

    /// - Parameter networkType: the device's network type, in any case.
    package init(networkType: String, isOnline: Bool) {
        guard isOnline else {
            self = .offline
            return
        }
        switch networkType.lowercased() {
        case "wifi", "wired": self = .wifi
        case "mobile": self = .mobile
        default: self = .unknown
        }
    }
}
