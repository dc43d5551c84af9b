import ArgumentParser
import ClickstreamCore
import Foundation

/// Address of a running collector.
struct CollectorAddress: Sendable, Hashable {
    /// Environment variable used without an argument; `collect -- COMMAND` sets it for the command.
    static let variable = "CLICKSTREAM_COLLECTOR"
    private static let usual = "http://127.0.0.1:9090"

    let host: String
    let port: Int
    /// Value of the `host` header.
    let authority: String
    /// Path prefix of `/api/…`; empty, or without a trailing slash.
    let prefix: String

    /// The URL for messages.
    var url: String { "http://\(authority)\(prefix)" }

    /// Parses an argument.
    static func argument(_ text: String) throws -> CollectorAddress {
        if let address = CollectorAddress(text) { return address }
        throw RefusedValue.error("'\(Console.escaped(text))': \(problem(in: text))")
    }

    /// Message for a text that is not the URL of a collector.
    private static func problem(in text: String) -> String {
        if text.lowercased().hasPrefix("https:") {
            return
                "a collector serves plain HTTP, not https; use a URL such as \(usual), through a tunnel (ssh -L "
                + "9090:127.0.0.1:9090 HOST) if it runs on another machine"
        }
        return "not a valid collector URL, such as \(usual)"
    }

    /// - Returns: `nil` if the text is not an `http` URL. A path of `/collect`, as in an app's endpoint, is ignored.
    init?(_ text: String) {
        let endpoint: Endpoint
        do {
            endpoint = try Endpoint(text.withoutOuterWhiteSpace)
        } catch {
            return nil
        }
        guard endpoint.scheme == .http, endpoint.query == nil else { return nil }
        host = endpoint.host
        port = endpoint.port
        authority = endpoint.authority
        var path = endpoint.path
        while path.hasSuffix("/") { path.removeLast() }
        prefix = path == "/collect" ? "" : path
    }

    /// The server of an endpoint.
    init(_ endpoint: Endpoint) {
        host = endpoint.host
        port = endpoint.port
        authority = endpoint.authority
        prefix = ""
    }

    /// The argument, else the environment variable, else the default address.
    static func resolved(
        _ argument: CollectorAddress?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> CollectorAddress {
        if let argument { return argument }
        let text = environment.setting(variable) ?? usual
        guard let address = CollectorAddress(text) else {
            throw CommandFailure(
                .configuration,
                "cannot use \(variable)=\(Console.escaped(text)): \(problem(in: text)); correct it, or unset it"
            )
        }
        return address
    }
}
