#if os(Linux)
/// The head of an HTTP/1.1 request.
package enum HTTPRequestHead: Sendable {
    /// Returns the bytes of a request up to the empty line before its body. The server closes the connection after its reply.
    package static func bytes(
        _ method: String,
        _ target: String,
        of server: String,
        _ fields: some Sequence<(name: String, value: String)>
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        func line(_ text: String) {
            // Control characters are replaced, which prevents header injection.
            bytes += text.utf8.lazy.map { $0 < 32 || $0 == 127 ? 32 : $0 }
            bytes += [13, 10]
        }
        line("\(method) \(target) HTTP/1.1")
        line("host: \(server)")
        for (name, value) in fields { line("\(name): \(value)") }
        line("connection: close")
        bytes += [13, 10]
        return bytes
    }
}
#endif
