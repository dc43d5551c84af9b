import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reply to one request.
struct RawResponse: Sendable, Hashable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body's members, when it is a JSON object.
    func object() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    }
}

/// TCP connection to a collector on loopback; the test writes the HTTP itself.
///
/// Sendable unchecked: a test uses it from one task, which is suspended while another thread waits in ``next()``.
final class RawConnection: @unchecked Sendable {
    struct Failure: Error {
        var text: String
    }

    private let descriptor: Int32
    private var unread: [UInt8] = []

    init(port: Int) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var timeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if result != 0 { throw Failure(text: "connect: \(String(cString: strerror(errno)))") }
    }

    deinit {
        close()
    }

    private var isClosed = false

    func close() {
        if isClosed { return }
        isClosed = true
        #if canImport(Darwin)
        _ = Darwin.close(descriptor)
        #else
        _ = Glibc.close(descriptor)
        #endif
    }

    /// Shuts down the sending direction.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// - Returns: false when the other side no longer listens.
    @discardableResult
    func send(_ bytes: some Sequence<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// - Returns: false at the end.
    private func fill() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 { throw Failure(text: "recv: \(String(cString: strerror(errno)))") }
        unread += buffer.prefix(count)
        return count > 0
    }

    /// True if the other side ends the connection, with nothing more to read.
    func isEnded() throws -> Bool {
        try unread.isEmpty && !fill()
    }

    /// Waits for bytes or the end of the connection.
    func isReadable(within milliseconds: Int32) -> Bool {
        var status = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&status, 1, milliseconds) > 0
    }

    /// Everything until the other side ends the connection.
    func receiveAll() throws -> [UInt8] {
        while try fill() {}
        return unread
    }

    func receive(hasBody: Bool = true) throws -> RawResponse {
        let separator = Array("\r\n\r\n".utf8)
        var end: Int?
        while end == nil {
            end = unread.indices.first { unread[$0...].starts(with: separator) }
            if end == nil, try !fill() { throw Failure(text: "ended within the head, after \(unread.count) bytes") }
        }
        let head = String(decoding: unread[..<(end ?? 0)], as: UTF8.self)
        unread.removeFirst((end ?? 0) + separator.count)
        var lines = head.components(separatedBy: "\r\n")
        let status = lines.removeFirst().split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var headers: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1] : ""
        }
        if hasBody, headers["transfer-encoding"] == "chunked", headers["content-type"] != "text/event-stream" {
            var body: [UInt8] = []
            while let chunk = try receiveChunk() { body += chunk }
            return RawResponse(status: status, headers: headers, body: body)
        }
        let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        while unread.count < length {
            if try !fill() { throw Failure(text: "ended within the body") }
        }
        let body = Array(unread.prefix(length))
        unread.removeFirst(length)
        return RawResponse(status: status, headers: headers, body: body)
    }

    /// The next piece of a body in chunks; `nil` at its end.
    func receiveChunk() throws -> [UInt8]? {
        let separator = Array("\r\n".utf8)
        var index: Int?
        while index == nil {
            index = unread.indices.first { unread[$0...].starts(with: separator) }
            if index == nil, try !fill() { throw Failure(text: "ended within a chunk's length") }
        }
        let end = index ?? 0
        guard let length = Int(String(decoding: unread[..<end], as: UTF8.self), radix: 16) else {
            throw Failure(text: "no chunk's length")
        }
        while unread.count < end + 2 + length + 2 {
            if try !fill() { throw Failure(text: "ended within a chunk") }
        }
        let chunk = Array(unread[(end + 2)..<(end + 2 + length)])
        unread.removeFirst(end + 2 + length + 2)
        return length > 0 ? chunk : nil
    }

    func next(hasBody: Bool = true) async throws -> RawResponse {
        try await Self.blocking { try self.receive(hasBody: hasBody) }
    }

    func ends() async throws -> Bool {
        try await Self.blocking { try self.isEnded() }
    }

    /// One request's bytes with the lengths that it needs.
    static func request(
        _ method: String,
        _ target: String,
        headers: [String: String] = [:],
        body: [UInt8] = []
    ) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }

    /// Runs blocking work on a thread that may block.
    static func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
