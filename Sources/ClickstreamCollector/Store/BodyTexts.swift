#if Tools
import ClickstreamCore
import Foundation
import GRDB

/// The JSON texts of the bodies within which readers have stopped, so that a page of events does not inflate again what
/// the page before it did.
///
/// A text stays until a reader has come to its body's end, or until others need the room: 64 MiB in all, the largest
/// body alone. Callable from any thread.
final class BodyTexts: Sendable {
    /// Bytes of all texts; a larger one stays when it is the only one.
    private static let most = 64 * 1_048_576

    private struct Held {
        var text: [UInt8]
        var lastUse: Int
    }

    private struct State {
        var held: [Int64: Held] = [:]
        var bytes = 0
        var uses = 0
        var inflations = 0
    }

    private let most: Int
    private let state = Locked(State())

    init(most: Int = BodyTexts.most) {
        self.most = most
    }

    /// Bodies that were read from the store and inflated so far.
    var inflations: Int { state.withLock { $0.inflations } }

    /// Bytes of the texts that are held.
    var bytes: Int { state.withLock { $0.bytes } }

    func removeAll() {
        state.withLock { ($0.held, $0.bytes) = ([:], 0) }
    }

    fileprivate func text(of request: Int64) -> [UInt8]? {
        state.withLock { state in
            state.uses += 1
            state.held[request]?.lastUse = state.uses
            return state.held[request]?.text
        }
    }

    fileprivate func countInflation() {
        state.withLock { $0.inflations += 1 }
    }

    fileprivate func keep(_ text: [UInt8], of request: Int64) {
        state.withLock { state in
            if state.held[request] != nil { return }
            state.uses += 1
            state.held[request] = Held(text: text, lastUse: state.uses)
            state.bytes += text.count
            while state.bytes > most, state.held.count > 1,
                let oldest = state.held.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.held[oldest.key] = nil
                state.bytes -= oldest.value.text.count
            }
        }
    }

    fileprivate func forget(_ request: Int64) {
        state.withLock { state in
            if let held = state.held.removeValue(forKey: request) { state.bytes -= held.text.count }
        }
    }

    /// One reader's way through the bodies, one after the other.
    struct Reader {
        private let texts: BodyTexts
        private let database: Database
        private var request: Int64?
        private var text: [UInt8] = []

        init(_ texts: BodyTexts, _ database: Database) {
            self.texts = texts
            self.database = database
        }

        /// The text of an event, as it stands in a request's body.
        mutating func text(
            at start: Int,
            length: Int,
            of request: Int64,
            isContentEncoded: Bool
        ) throws -> String {
            if self.request != request {
                passBody()
                text = try texts.text(of: request) ?? inflate(request, isContentEncoded: isContentEncoded)
                self.request = request
            }
            // A body that cannot be read any more has no texts.
            guard start >= 0, length >= 0, start + length <= text.count else { return "null" }
            return String(decoding: text[start..<start + length], as: UTF8.self)
        }

        /// Ends within the body of the last event: the next page begins there.
        func stopWithinBody() {
            if let request { texts.keep(text, of: request) }
        }

        /// The body of the last event was read as far as anybody wants it.
        func passBody() {
            if let request { texts.forget(request) }
        }

        private func inflate(_ request: Int64, isContentEncoded: Bool) throws -> [UInt8] {
            let statement = try database.cachedStatement(sql: "SELECT data FROM bodies WHERE request = ?")
            let body = try Data.fetchOne(statement, arguments: [request]) ?? Data()
            texts.countInflation()
            return UploadDecoder().text(of: [UInt8](body), isContentEncoded: isContentEncoded)
        }
    }
}
#endif
