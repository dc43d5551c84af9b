#if Collector
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// HTTP server of a collector: the listening socket and the task that runs all connections.
final class HTTPServer: Sendable {
    /// The port it listens on.
    let port: Int
    private let server: Server<HTTP1Channel>
    private let running: Task<Void, any Error>

    private init(_ server: Server<HTTP1Channel>, _ running: Task<Void, any Error>, port: Int) {
        self.server = server
        self.running = running
        self.port = port
    }

    /// Returns when the socket listens.
    /// - Throws: an error of NIO if it cannot.
    static func start(
        _ configuration: CollectorConfiguration,
        _ responder: Responder,
        _ limits: Limits
    ) async throws -> HTTPServer {
        var logger = Logger(label: "clickstream.collector")
        logger.logLevel = .critical
        let (starts, started) = AsyncStream<Result<Int, any Error>>.makeStream()
        let server = Server(
            childChannelSetup: connection(responder, limits),
            configuration: ServerConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: 1_024,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    limits.connections(openFiles: Int(sysconf(Int32(_SC_OPEN_MAX)))),
                    logger: logger
                )
            ),
            onServerRunning: { channel in
                started.yield(.success(channel.localAddress?.port ?? configuration.port))
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        let running = Task {
            do {
                try await server.run()
                started.finish()
            } catch {
                started.yield(.failure(error))
                throw error
            }
        }
        var port: Int?
        for await start in starts {
            port = try start.get()
            break
        }
        return HTTPServer(server, running, port: port ?? configuration.port)
    }

    /// Pipeline of one connection.
    ///
    /// The idle timeout is the only one that does not use ``TimeSource``: Hummingbird's `HTTPConnectionStateHandler` reads
    /// `ContinuousClock` and schedules it on the event loop. Its tests wait for a timeout of one second.
    static func connection(_ responder: Responder, _ limits: Limits) -> HTTP1Channel {
        HTTP1Channel(
            responder: { try await responder.respond(to: $0, writer: $1, channel: $2) },
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionCounter(responder.metrics, time: responder.time)],
                idleTimeout: .seconds(limits.idleSeconds),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headerBytes,
                    maxHeaderListSize: limits.headerBytes,
                    maxHeaderFieldCount: limits.headerCount
                )
            )
        )
    }

    /// Closes the listening socket and idle connections, and returns when the requests in progress have ended.
    func shutDown() async {
        // Fails only if the listening socket is closed already: nothing is left to stop then.
        try? await server.shutdownGracefully()
        _ = await running.result
    }

    /// Cancels the requests in progress.
    func cancel() {
        running.cancel()
    }
}
#endif
