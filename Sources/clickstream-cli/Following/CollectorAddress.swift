#if Tools
import ArgumentParser
import ClickstreamCore
import Foundation

/// Where a running collector is: the argument of `tail` and `assert`.
struct CollectorAddress: ExpressibleByArgument, Sendable, Hashable {
    /// The variable that says it when no argument does; `collect -- COMMAND` sets it for the command.
    static let variable = "CLICKSTREAM_COLLECTOR"
    private static let usual = "http://127.0.0.1:9090"

    let host: String
    let port: Int
    /// What the header `host` says.
    let authority: String
    /// What stands before `/api/…`; empty, or a path without a slash at its end.
    let prefix: String

    /// As a person writes it.
    var url: String { "http://\(authority)\(prefix)" }

    init?(argument: String) {
        self.init(argument)
    }

    /// - Returns: `nil` for what is not the URL of a plain HTTP server. That apps send to `/collect` there does not matter.
    init?(_ text: String) {
        let endpoint: Endpoint
        do {
            endpoint = try Endpoint(text)
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

    /// The argument, else the environment's, else the collector's usual place.
    static func resolved(
        _ argument: CollectorAddress?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> CollectorAddress {
        if let argument { return argument }
        let text = environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? usual
        guard let address = CollectorAddress(text) else {
            throw CommandFailure(
                .configuration,
                "cannot use \(variable)=\(Console.escaped(text)): it is not the address of a collector, such as \(usual); "
                    + "correct it, or unset it"
            )
        }
        return address
    }
}
#endif
