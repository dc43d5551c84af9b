#if Tools && os(Linux)
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

/// Real processes that are asked to end, or end by themselves.
@Suite("End of a process", .serialized)
struct OrderlyEndTests {
    @Test("by a signal is recorded and sent, then the previous handler runs", arguments: [SIGTERM, SIGINT])
    func signals(signal: Int32) async throws {
        var isSent = false
        // A collector that other tests keep from answering for two seconds is not waited for any longer: then once more.
        for attempt in 1...5 where !isSent {
            try await App.use { app in
                let running = try app.start("serve", earlierHandler: true)
                #expect(try running.line() == "ready\n")
                running.send(signal)
                #expect(try await running.end() == App.End(signal: signal, status: 0, output: "earlier handler\n"))
                let names = try await app.events().map(\.name)
                isSent = !names.isEmpty
                guard isSent || attempt == 5 else { return }
                #expect(names.suffix(2) == ["queued", "_app_end"])
                // Nothing was left to send, nothing comes twice.
                #expect(try await app.deliver().map(\.name) == names + ["_app_start"])
            }
        }
    }

    @Test("by a signal is fast if the server does not respond; the next launch sends the rest")
    func silentServer() async throws {
        try await App.use { app in
            let silent = try SilentServer()
            let running = try app.start("serve", endpoint: "http://127.0.0.1:\(silent.port)/collect")
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
            app.collector.inject([CollectorFault(.latency(milliseconds: 1_200), times: 1)])
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

/// A server that takes connections and never answers.
private final class SilentServer {
    private let descriptor: Int32
    let port: Int

    init() throws {
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
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(descriptor)
    }
}
#endif
