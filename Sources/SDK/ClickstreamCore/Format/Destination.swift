/// Destination of events: the server, the format that it accepts, and the app id that they are sent under.
package struct Destination: Sendable {
    package let format: any WireFormat
    package var appID: String
    /// The complete URL; empty or invalid while no server is configured.
    package var endpoint: String
    package var authCookie: String?

    package init(format: any WireFormat, appID: String, endpoint: String, authCookie: String? = nil) {
        self.format = format
        self.appID = appID
        self.endpoint = endpoint
        self.authCookie = authCookie
    }

    /// True if the endpoint is a valid URL.
    package var isUsable: Bool { (try? Endpoint(endpoint)) != nil }  // reported at the first delivery
}

extension Destination: Equatable {
    /// Formats are compared by name.
    package static func == (one: Destination, other: Destination) -> Bool {
        one.format.name == other.format.name && one.appID == other.appID && one.endpoint == other.endpoint
            && one.authCookie == other.authCookie
    }
}
