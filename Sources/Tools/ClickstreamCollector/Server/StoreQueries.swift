#if Collector
package import ClickstreamPlan
import ClickstreamCore
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Query API of the file of a store, without a running collector.
///
/// The file is only read, also while a collector uses it; a reply is about the requests stored before its start. The file is closed with
/// the last reference. All functions are thread-safe.
package final class StoreQueries: Sendable {
    private let store: Store
    private let queries: QueryAPI

    /// Prefix of all paths.
    private static let prefix = "/api/"

    /// - Parameters:
    ///   - path: the SQLite file of an existing store.
    ///   - plan: the tracking plan of `/api/plan`; `nil` for none.
    /// - Throws: a ``CollectorError`` if the file is no store of this version, or cannot be read.
    package init(path: String, plan: TrackingPlan? = nil) throws(CollectorError) {
        store = try Store(reading: path)
        // No other client waits for the end of a query.
        var limits = Limits()
        limits.reportSeconds = 86_400
        limits.planSeconds = 86_400
        let configuration = CollectorConfiguration(plan: plan)
        queries = Collector.queries(
            configuration,
            store,
            limits,
            FaultInjector([], seed: 0),
            ArrivalNotifier(),
            RequestOriginGuard(hosts: AllowedHosts(configuration)),
            time: SystemTime()
        )
    }

    deinit {
        // Nothing was written: a failure to close loses nothing.
        try? store.close()
    }

    /// True if other files have the paths of the store's, or none: replies are about the former ones.
    package var isReplaced: Bool {
        do throws(CollectorError) {
            try store.files.check()
            return false
        } catch {
            return true
        }
    }

    /// Replies to a GET request. Cancelling the task interrupts the query.
    /// - Parameters:
    ///   - target: path and query, such as `/api/events?name=purchase`. Streams and other methods than GET are not available.
    ///   - maxBytes: size from which the body ends early.
    /// - Returns: the status and the body that a collector would send.
    /// - Throws: ``CollectorError``; `CancellationError`.
    package func reply(to target: String, maxBytes: Int) async throws -> (status: Int, body: [UInt8]) {
        let target = RequestTarget(target)
        guard target.path.hasPrefix(Self.prefix) else { return (404, []) }
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: target.path)
        do {
            let reply = try await queries.reply(
                Request(head: head, body: RequestBody(buffer: ByteBuffer())),
                String(target.path.dropFirst(Self.prefix.count)),
                target,
                body: []
            )
            defer { reply.onEnd?() }
            var body = reply.body
            while body.count <= maxBytes, let part = try await reply.rest?() { body += part }
            return (reply.status.code, body)
        } catch _ where Task.isCancelled {
            throw CancellationError()
        } catch {
            throw store.failure(of: error)
        }
    }
}
#endif
