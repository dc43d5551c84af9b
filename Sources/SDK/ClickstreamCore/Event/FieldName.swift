/// Names of the fields of an event on the wire, as spelled by the published SDK.
package enum FieldName: Sendable {
    package static let eventType = "event_type"
    /// Another name of ``eventType`` that the server accepts.
    package static let eventName = "event_name"
    package static let eventID = "event_id"
    package static let timestamp = "timestamp"
    package static let uniqueID = "unique_id"
    /// Another name of ``uniqueID`` that the server accepts.
    package static let userPseudoID = "user_pseudo_id"
    package static let user = "user"
    package static let items = "items"
    package static let attributes = "attributes"
    package static let appID = "app_id"
    package static let appPackageName = "app_package_name"
    package static let appTitle = "app_title"
    package static let appVersion = "app_version"
    package static let brand = "brand"
    package static let carrier = "carrier"
    package static let countryCode = "country_code"
    package static let deviceID = "device_id"
    package static let deviceUniqueID = "device_unique_id"
    package static let locale = "locale"
    package static let make = "make"
    package static let model = "model"
    package static let networkType = "network_type"
    package static let osVersion = "os_version"
    package static let platform = "platform"
    package static let sdkName = "sdk_name"
    package static let sdkVersion = "sdk_version"
    package static let systemLanguage = "system_language"
    package static let screenHeight = "screen_height"
    package static let screenWidth = "screen_width"
    package static let zoneOffset = "zone_offset"

    /// Fields that only the wire form of an event has, not the short form that a person writes for a check.
    package static let wireOnly = [eventID, appID, timestamp, uniqueID]

    /// Names with the punctuation around them, as the encoder writes them: an event costs no concatenation.
    enum Encoded {
        static var eventTypeOpen: StaticString { "{\"event_type\":\"" }
        static var eventIDAfterText: StaticString { "\",\"event_id\":\"" }
        static var timestampAfterText: StaticString { "\",\"timestamp\":" }
        static var uniqueID: StaticString { ",\"unique_id\":" }
        static var user: StaticString { ",\"user\":" }
        static var items: StaticString { ",\"items\":" }
        static var attributesOpen: StaticString { ",\"attributes\":{" }
    }
}
