/// Name of a format of events, such as those of automatic capture.
///
/// An open set: compare with the static members, which the module of each format declares.
public struct FormatName: Sendable, Hashable {
    /// The name in lower-case letters. The store's folders, the command line and the collector use it.
    public let rawValue: String

    /// Creates a name from a text, such as part of a folder's name; any text is valid.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The format of the published SDK's server.
    package static let clickstream = FormatName(rawValue: "clickstream")
}

extension FormatName: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
