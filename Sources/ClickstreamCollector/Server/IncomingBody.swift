#if Tools
import HummingbirdCore
import NIOCore

/// A request's body while it comes in: kept up to a limit, read past it only as far as it takes to be heard.
struct IncomingBody {
    private var iterator: RequestBody.AsyncIterator
    /// What the client said it would send; `nil` for a body in chunks.
    private let declared: Int?
    private var received = 0
    private(set) var bytes: [UInt8] = []
    /// Whether more came than was to be kept.
    private(set) var isTooLong = false
    /// Whether there was no room for it among all the others.
    private(set) var isCrowdedOut = false
    /// Whether the body was read to its end.
    private(set) var hasEnded = false

    /// The body ended before it was complete: the client went away.
    struct Torn: Error {}

    init(_ body: RequestBody, declared: Int?) {
        iterator = body.makeAsyncIterator()
        self.declared = declared
        hasEnded = declared == 0
    }

    /// Reads to the end, or to `reading` bytes when that is more than `keeping`.
    /// - Throws: ``Torn`` or what the connection throws, when the body does not come whole.
    ///
    /// What is kept takes its room, which the caller gives back.
    mutating func read(keeping limit: Int, reading most: Int, _ admission: Admission) async throws {
        while let part = try await iterator.next() {
            received += part.readableBytes
            if received > limit {
                isTooLong = true
                forget(admission)
            } else if isCrowdedOut || !admission.takeRoom(part.readableBytes) {
                isCrowdedOut = true
                forget(admission)
            } else {
                if bytes.isEmpty, let declared, declared <= limit { bytes.reserveCapacity(declared) }
                bytes.append(contentsOf: part.readableBytesView)
            }
            if received > max(limit, most) { return }
        }
        if let declared, received < declared { throw Torn() }
        hasEnded = true
    }

    /// Lets go of the bytes, and of the room that they took.
    mutating func forget(_ admission: Admission) {
        admission.giveRoom(bytes.count)
        bytes = []
    }

    /// Reads what comes first, and keeps nothing.
    mutating func readOnce() async throws {
        _ = try await iterator.next()
    }

    /// Reads on until the end or the connection's, keeping nothing.
    mutating func drain() async throws {
        while try await iterator.next() != nil {}
    }
}
#endif
