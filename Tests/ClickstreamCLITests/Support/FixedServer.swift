import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Server with a fixed reply for each path, such as a captive portal. Closes the connection after it.
final class FixedServer: Sendable {
    let port: UInt16
    private let listener: Int32

    /// - Parameter reply: returns the reply to a request with this target, without `HTTP/1.1`: the status, the headers with
    ///   their line ends, an empty line, and the body.
    init(_ reply: @escaping @Sendable (_ target: String) -> String) {
        let (listener, port) = LoopbackSocket.listening()
        self.listener = listener
        self.port = port
        // The thread closes the listener, so that its number is not reused while `accept` waits.
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Self.serve(connection, reply)
                close(connection)
            }
            close(listener)
        }
    }

    var authority: String { "127.0.0.1:\(port)" }

    /// Ends the thread: no connection is accepted any more.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func serve(_ connection: Int32, _ reply: (String) -> String) {
        var input: [UInt8] = []
        var length: Int?
        // Completely read, since a close with unread bytes would reset the connection.
        while length.map({ input.count < $0 }) ?? true {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            input += chunk[..<count]
            length = length ?? requestLength(input)
        }
        let words = String(decoding: input.prefix(4_096), as: UTF8.self).split(separator: " ", maxSplits: 2)
        let bytes = Array("HTTP/1.1 \(reply(words.count > 1 ? String(words[1]) : ""))".utf8)
        #if os(Linux)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        _ = send(connection, bytes, bytes.count, 0)
        #endif
    }

    /// Bytes of head and body, or of the head alone if the client waits before the body; `nil` for an incomplete head.
    private static func requestLength(_ input: [UInt8]) -> Int? {
        guard let end = input.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
        let lines = String(decoding: input[..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
        if lines.contains("expect: 100-continue") { return end }
        let field = "content-length: "
        let length = lines.first { $0.hasPrefix(field) }.flatMap { Int($0.dropFirst(field.count)) } ?? 0
        return end + length
    }
}
