import ClickstreamCore

/// Position in the body of a request, which is read in parts that end between two characters.
///
/// A body with a `Content-Encoding` is inflated once, as it is read, whatever the number of parts. Callable from any thread.
final class BodyReader: Sendable {
    private struct State {
        /// Decompressor of an encoded body; `nil` for another one.
        var inflater: GzipReader?
        var offset = 0
        /// Bytes of a character that the next part completes.
        var rest: [UInt8] = []
    }

    private let state: Locked<State>

    /// - Parameter isEncoded: true for a body that has to be inflated.
    init(isEncoded: Bool) throws(GzipError) {
        let inflater = isEncoded ? try GzipReader() : nil
        state = Locked(State(inflater: inflater))
    }

    /// Returns the next part, of about `maxBytes` bytes, and all of them at the end.
    /// - Parameter body: the whole body as stored, the same in each call.
    func next(_ maxBytes: Int, of body: [UInt8]) throws -> [UInt8] {
        try state.withLock { state in
            var part = state.rest
            let hasEnded: Bool
            if let inflater = state.inflater {
                part += try body.withUnsafeBytes { try inflater.read(maxBytes, of: $0) }
                hasEnded = inflater.hasEnded
            } else {
                let end = min(state.offset + max(0, maxBytes), body.count)
                part += body[min(state.offset, end)..<end]
                state.offset = end
                hasEnded = end == body.count
            }
            let count = hasEnded ? part.count : Self.wholeCount(of: part)
            state.rest = Array(part[count...])
            part.removeLast(part.count - count)
            return part
        }
    }

    /// Number of bytes without those of an incomplete last character.
    private static func wholeCount(of bytes: [UInt8]) -> Int {
        for steps in 1...3 where steps <= bytes.count {
            let byte = bytes[bytes.count - steps]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return steps < length ? bytes.count - steps : bytes.count
        }
        return bytes.count
    }
}
