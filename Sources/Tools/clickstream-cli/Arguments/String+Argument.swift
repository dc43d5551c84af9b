import ClickstreamCore

extension String {
    /// Transform of an option with an id, a URL or a path: removes white space at the ends, such as the line feed of a
    /// secret.
    @Sendable
    static func trimmedArgument(_ argument: String) -> String { argument.withoutOuterWhiteSpace }
}
