import ClickstreamCore

/// Source of stored events.
enum EventSource: Sendable {
    /// A running collector.
    case collector(CollectorAddress)
    /// The SQLite file of a store.
    case store(StoreFile)

    /// The source for messages.
    var title: String {
        switch self {
        case .collector(let address): "the collector at \(address.url)"
        case .store(let file): "the store \(file.path)"
        }
    }
}

#if Collector
import ClickstreamCollector
import ClickstreamPlan
import Glibc

/// File of a store, open for queries.
final class StoreFile: Sendable {
    let path: String
    private let plan: TrackingPlan?
    private let followsReplacement: Bool
    private let queries: Locked<StoreQueries>

    /// - Parameters:
    ///   - plan: the tracking plan of `/api/plan`; `nil` for none.
    ///   - followsReplacement: true to open the file again once another one has its path, as after the removal of a store for a
    ///     new run; false to read the former one to the end.
    /// - Throws: ``CommandFailure`` with status 66 for a missing file, 77 for a forbidden one; ``CollectorError`` for another file.
    init(_ path: String, plan: TrackingPlan? = nil, followsReplacement: Bool = false) throws {
        queries = Locked(try Self.open(path, plan))
        self.path = path
        self.plan = plan
        self.followsReplacement = followsReplacement
    }

    private static func open(_ path: String, _ plan: TrackingPlan?) throws -> StoreQueries {
        guard access(path, F_OK) == 0 else {
            throw CommandFailure(
                .inputMissing,
                "no store at \(path): \(String(cString: strerror(errno))); check --store"
            )
        }
        try CommandFailure.refuseForbidden(reading: path)
        return try StoreQueries(path: path, plan: plan)
    }

    /// The reply of a collector with this store to a GET request.
    /// - Throws: the errors of the initializer for a replaced file; ``CollectorError``; `CancellationError`.
    func reply(to target: String, maxBytes: Int) async throws -> (status: Int, body: [UInt8]) {
        let queries = try queries.withLock { queries in
            if followsReplacement, queries.isReplaced { queries = try Self.open(path, plan) }
            return queries
        }
        return try await queries.reply(to: target, maxBytes: maxBytes)
    }
}
#else
import ClickstreamPlan

/// Stand-in for the file of a store in a build without the trait `Collector`: it cannot be opened, and has no value.
struct StoreFile: Sendable {
    private let never: Never

    var path: String { switch never {} }

    init(_ path: String, plan: TrackingPlan? = nil, followsReplacement: Bool = false) throws {
        throw BuildTrait.collector.missing(
            "cannot read a store",
            alternative: "read a running collector with --url URL"
        )
    }

    func reply(to target: String, maxBytes: Int) async throws -> (status: Int, body: [UInt8]) { switch never {} }
}
#endif
