package import ClickstreamCore

/// Type of the network connection, in the terms of the pulse format.
package enum PulseConnection: String, Sendable, Hashable {
    case wifi = "WIFI"
    case mobile = "MOBILE"
    case none = "NONE"
    case unknown = "UNKNOWN"

    /// The connection of a device; the device reports no type while it is offline, nor for a wired network.
    package init(_ device: ClickstreamClient.Device, isOnline: Bool) {
        guard isOnline else {
            self = .none
            return
        }
        self =
            switch device.networkType {
            case "WIFI": .wifi
            case "Mobile": .mobile
            default: .unknown
            }
    }
}
