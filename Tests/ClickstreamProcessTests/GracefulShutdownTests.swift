#if Collector && os(Linux)
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

/// Real processes that are asked to end, or end by themselves.
@Suite("End of a process", .serialized)
struct GracefulShutdownTests {
    @Test("by a signal is recorded and sent, then the previous handler runs", arguments: [SIGTERM, SIGINT])
    func signals(signal: Int32) async throws {
        try await App.use { app in
            // Threads of its own answer, which no other test keeps from that for the two seconds that the app waits.
            let server = try BareServer(answers: true)
            let running = try app.start("serve", earlierHandler: "reporter", endpoint: server.endpoint)
            #expect(try running.line() == "ready\n")
            running.send(signal)
            #expect(try await running.end() == App.End(signal: signal, status: 0, output: "earlier handler\n"))
            #expect(server.requests > 0)
            // Nothing was left to send.
            #expect(try await app.deliver().map(\.name) == ["_app_start"])
        }
    }

    @Test("by a signal is fast if the server does not respond; the next launch sends the rest")
    func silentServer() async throws {
        try await App.use { app in
            let silent = try BareServer(answers: false)
            let running = try app.start("serve", endpoint: silent.endpoint)
            #expect(try running.line() == "ready\n")
            let start = ContinuousClock.now
            running.send(SIGTERM)
            #expect(try await running.end() == App.End(signal: SIGTERM, status: 0, output: ""))
            // Two seconds for the server; the rest for a machine that is busy.
            #expect(ContinuousClock.now - start < .seconds(8))
            #expect(try await app.deliver().map(\.name).suffix(3) == ["queued", "_app_end", "_app_start"])
        }
    }

    @Test(
        "awaits the reply to a request in flight: its events are not sent again",
        arguments: ["sendAndLeave", "sendAndShutdown"]
    )
    func requestOnItsWay(ending: String) async throws {
        try await App.use { app in
            app.collector.inject([CollectorFault(.latency(.milliseconds(1_200)), times: 1)])
            let end = try await app.run(ending)
            #expect(end.signal == 0 && end.status == (ending == "sendAndLeave" ? 3 : 0))
            let sent = try await app.events().count
            #expect(sent > 0)
            let names = try await app.deliver().map(\.name)
            #expect(names.suffix(2) == ["_app_end", "_app_start"])
            #expect(try await app.collector.summary().duplicates == 0)
        }
    }

    @Test("by exit is recorded once, and sent by the next launch; a child of fork does not end its parent")
    func exit() async throws {
        try await App.use { app in
            let end = try await app.run("leave")
            #expect(end == App.End(signal: 0, status: 3, output: ""))
            let sent = try await app.events()
            #expect(sent.isEmpty)
            let names = try await app.deliver().map(\.name)
            #expect(names.suffix(3) == ["before", "_app_end", "_app_start"])
        }
        try await App.use { app in
            let end = try await app.run("forkAndLeave")
            #expect(end.status == 0)
            let names = try await app.deliver().map(\.name)
            #expect(names.suffix(2) == ["before", "_app_start"])
        }
    }
}

/// A server on threads of its own that answers every request with 200, or takes connections and never answers.
private final class BareServer: Sendable {
    /// A number that several threads change.
    private final class Count: Sendable {
        let value = Locked(0)
    }

    private let descriptor: Int32
    private let count = Count()
    let endpoint: String

    init(answers: Bool) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        try #require(isListening)
        endpoint = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/collect"
        guard answers else { return }
        Thread.detachNewThread { [count] in
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                Thread.detachNewThread { BareServer.answer(connection, count) }
            }
        }
    }

    deinit {
        // Ends a call of `accept`, which closing alone does not.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// The requests that were answered.
    var requests: Int { count.value.withLock { $0 } }

    private static func answer(_ connection: Int32, _ count: Count) {
        defer { close(connection) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let read = recv(connection, &piece, piece.count, 0), read > 0 {
            bytes += piece[..<read]
            while let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
                let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                let body = length.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
                guard bytes.count >= end.upperBound + body else { break }
                bytes.removeFirst(end.upperBound + body)
                count.value.withLock { $0 += 1 }
                let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
                send(connection, reply, reply.count, Int32(MSG_NOSIGNAL))
            }
        }
    }
}
#endif
