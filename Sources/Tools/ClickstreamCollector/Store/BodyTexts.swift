#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import GRDB

/// Location of an event's text: a range in the JSON text of a body.
struct EventLocation: Sendable, Hashable {
    /// Sequence number of the request.
    var request: Int64
    var range: Range<Int>
    /// True for a body with `Content-Encoding: gzip`.
    var isContentEncoded: Bool
    /// Format of captured events; `nil` for events of the clickstream format.
    var form: CapturedFormat?

    func body(in database: Database) throws -> StoredBody {
        let prefix = form == nil ? "" : "captured_"
        let statement = try database.cachedStatement(
            sql: """
                SELECT b.data, r.raw_bytes FROM \(prefix)bodies b JOIN \(prefix)requests r ON r.seq = b.request
                WHERE b.request = ?
                """
        )
        guard let row = try Row.fetchOne(statement, arguments: [request]) else {
            throw StoreDamage(column: "bodies.request", found: "no row \(request)")
        }
        return StoredBody(
            bytes: try row.bytes(0, "bodies.data"),
            isContentEncoded: isContentEncoded,
            rawBytes: try row.count(1, "requests.raw_bytes")
        )
    }
}

extension StoreDamage {
    /// Damage of a request whose body inflates to more than was stored.
    static func inflation(of request: Int64) -> StoreDamage {
        StoreDamage(
            column: "requests.raw_bytes",
            found: "less than that to which the body of request \(request) inflates"
        )
    }
}

/// Cache of the JSON texts of bodies in which a page of events ended, so that the next page need not inflate them
/// again.
///
/// A text is removed when a reader reaches the end of its body, or to make room for others. The limit is 64 MiB, or one
/// larger body. Callable from any thread.
final class BodyTexts: Sendable {
    /// Maximum bytes of all texts. A single larger text is kept, too.
    private static let maxBytes = 64 * 1_048_576

    private struct Held {
        var text: BodyText
        var lastUse: Int
    }

    private struct State {
        var held: [Int64: Held] = [:]
        var bytes = 0
        var uses = 0
        var inflations = 0
    }

    private let maxBytes: Int
    private let state = Locked(State())

    init(maxBytes: Int = BodyTexts.maxBytes) {
        self.maxBytes = maxBytes
    }

    /// Number of bodies read from the store and inflated so far.
    var inflations: Int { state.withLock { $0.inflations } }

    /// Bytes of the texts in the cache.
    var bytes: Int { state.withLock { $0.bytes } }

    func removeAll() {
        state.withLock { ($0.held, $0.bytes) = ([:], 0) }
    }

    fileprivate func text(of request: Int64) -> BodyText? {
        state.withLock { state in
            state.uses += 1
            state.held[request]?.lastUse = state.uses
            return state.held[request]?.text
        }
    }

    fileprivate func countInflation() {
        state.withLock { $0.inflations += 1 }
    }

    fileprivate func keep(_ text: BodyText, of request: Int64) {
        state.withLock { state in
            if state.held[request] != nil { return }
            state.uses += 1
            state.held[request] = Held(text: text, lastUse: state.uses)
            state.bytes += text.bytes.count
            while state.bytes > maxBytes, state.held.count > 1,
                let oldest = state.held.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.held[oldest.key] = nil
                state.bytes -= oldest.value.text.bytes.count
            }
        }
    }

    fileprivate func forget(_ request: Int64) {
        state.withLock { state in
            if let held = state.held.removeValue(forKey: request) { state.bytes -= held.text.bytes.count }
        }
    }

    /// Cursor of one reader over successive bodies.
    struct Reader {
        private let texts: BodyTexts
        private let database: Database
        private var request: Int64?
        private var text = BodyText()

        init(_ texts: BodyTexts, _ database: Database) {
            self.texts = texts
            self.database = database
        }

        /// Text of an event. Shares the storage of the body's text.
        /// - Throws: ``StoreDamage`` if the body has no element with that range.
        mutating func text(at location: EventLocation) throws -> ArraySlice<UInt8> {
            if request != location.request {
                passBody()
                text = try texts.text(of: location.request) ?? inflate(location)
                request = location.request
            }
            guard text.holds(location.range) else {
                throw StoreDamage.noEvent(at: location.range.lowerBound, request: location.request)
            }
            return text.bytes[location.range]
        }

        /// Ends within the body of the last event and keeps its text: the next page begins there.
        func stopWithinBody() {
            if let request { texts.keep(text, of: request) }
        }

        /// Ends at the end of the body of the last event.
        func passBody() {
            if let request { texts.forget(request) }
        }

        private func inflate(_ location: EventLocation) throws -> BodyText {
            let body = try location.body(in: database)
            texts.countInflation()
            do throws(StoredBody.TooLong) {
                return try body.text(form: location.form)
            } catch {
                throw StoreDamage.inflation(of: location.request)
            }
        }
    }
}
#endif
