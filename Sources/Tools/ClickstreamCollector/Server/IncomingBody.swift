#if Collector
import HummingbirdCore
import NIOCore

/// Body of a request while it is received. Kept up to a limit; a longer one is read a little further and dropped.
struct IncomingBody {
    private var iterator: RequestBody.AsyncIterator
    /// `Content-Length`; `nil` for a body in chunks.
    private let declared: Int?
    private var received = 0
    private(set) var bytes: [UInt8] = []
    /// True if the body is longer than the limit.
    private(set) var isTooLong = false
    /// True if the memory budget of all bodies was exhausted.
    private(set) var isOverBudget = false
    /// True once the body is read to its end.
    private(set) var hasEnded = false

    /// Body that ended before it was complete, because the client disconnected.
    struct Incomplete: Error {}

    init(_ body: RequestBody, declared: Int?) {
        iterator = body.makeAsyncIterator()
        self.declared = declared
        hasEnded = declared == 0
    }

    /// Reads to the end, or up to the greater of `keeping` and `reading` bytes.
    ///
    /// Reserves memory for the bytes it keeps; the caller releases it with ``forget(_:)``.
    /// - Throws: ``Incomplete``, or an error of the connection, if the body is incomplete.
    mutating func read(keeping limit: Int, reading maxBytes: Int, _ admission: Admission) async throws {
        while let part = try await iterator.next() {
            received += part.readableBytes
            if received > limit {
                isTooLong = true
                forget(admission)
            } else if isOverBudget || !admission.reserve(part.readableBytes) {
                isOverBudget = true
                forget(admission)
            } else {
                if bytes.isEmpty, let declared, declared <= limit { bytes.reserveCapacity(declared) }
                bytes.append(contentsOf: part.readableBytesView)
            }
            if received > max(limit, maxBytes) { return }
        }
        if let declared, received < declared { throw Incomplete() }
        hasEnded = true
    }

    /// Drops the bytes and releases their memory.
    mutating func forget(_ admission: Admission) {
        admission.release(bytes.count)
        bytes = []
    }

    /// Reads and drops the first part.
    mutating func readOnce() async throws {
        _ = try await iterator.next()
    }

    /// Reads and drops the rest, up to the end of the body or the connection.
    mutating func drain() async throws {
        while try await iterator.next() != nil {}
    }
}
#endif
