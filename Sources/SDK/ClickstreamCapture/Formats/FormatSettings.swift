package import ClickstreamCore

/// Settings of a format of captured events, and the description of the format.
///
/// ``CaptureConfiguration/formats`` lists the types.
package protocol FormatSettings: Sendable, Hashable {
    /// Name of the format; the mapping of its keys has the same name.
    static var formatName: FormatName { get }
    /// All keys, in the order of the documentation.
    static var keys: [FormatKey<Self>] { get }
    /// The property of a configuration with the settings; it is `nil` while the format is disabled.
    static var property: any WritableKeyPath<CaptureConfiguration, Self?> & Sendable { get }
    /// The settings in a configuration file or an environment without keys of the format.
    static var defaults: Self { get }
    /// The settings in a replay script without keys of the format.
    static func scriptDefaults(timeZone: String) -> Self

    /// The complete URL; if empty, events are kept.
    var endpoint: String { get set }
    /// The server of the app's events.
    func destination(appID: String) -> Destination
}

extension FormatSettings {
    package static func scriptDefaults(timeZone: String) -> Self { defaults }

    /// The settings in a configuration; `nil` if the format is disabled.
    static func settings(in configuration: CaptureConfiguration) -> Self? { configuration[keyPath: property] }

    /// Enables the format with these settings.
    package func enable(in configuration: inout CaptureConfiguration) {
        configuration[keyPath: Self.property] = self
    }

    static func disable(in configuration: inout CaptureConfiguration) {
        configuration[keyPath: property] = nil
    }
}
