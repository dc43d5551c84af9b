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

    /// True if both have the same format, app and endpoint, whatever their cookies. Formats are compared by name.
    package func isSameServer(as other: Destination) -> Bool {
        endpoint == other.endpoint && appID == other.appID && format.name == other.format.name
    }
}

extension Destination: Equatable {
    package static func == (one: Destination, other: Destination) -> Bool {
        one.isSameServer(as: other) && one.authCookie == other.authCookie
    }
}
