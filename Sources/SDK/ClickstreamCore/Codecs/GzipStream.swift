import CZlib

/// Decompressor of gzip data that arrives in pieces, with any number of members. ``GzipReader`` is the equivalent for data in
/// memory.
///
/// Holds about 40 KB of zlib state for its lifetime. Not thread-safe.
package final class GzipStream {
    private let stream: InflateStream
    /// Compressed data that has not been read to its end.
    private var input: [UInt8] = []
    /// Offset of the first byte of ``input`` that has not been consumed.
    private var position = 0
    /// True from the first byte of a member to the one before its end.
    private var isInMember = false
    /// Error in the input, thrown after the output before it.
    private var failure: GzipError?

    package init() throws(GzipError) {
        stream = try InflateStream()
    }

    /// True if the input so far ends with a member.
    package var isComplete: Bool { !isInMember && position == input.count }

    /// Appends compressed data.
    package func append(_ piece: [UInt8]) {
        input = position == input.count ? piece : Array(input[position...]) + piece
        position = 0
    }

    /// Returns the next bytes of the output, at most `count`; none if more input is needed.
    package func read(_ count: Int) throws(GzipError) -> [UInt8] {
        if let failure { throw failure }
        var output = [UInt8](repeating: 0, count: max(0, count))
        var filled = 0
        reading: while filled < output.count {
            switch step(into: &output, at: &filled) {
            case Z_STREAM_END:
                isInMember = false
                stream.reset()
            case Z_OK: isInMember = true
            // No input is left.
            case Z_BUF_ERROR: break reading
            case let result:
                let error: GzipError = result == Z_MEM_ERROR ? .outOfMemory : .corrupt
                if filled == 0 { throw error }
                failure = error
                break reading
            }
        }
        output.removeLast(output.count - filled)
        return output
    }

    private func step(into output: inout [UInt8], at filled: inout Int) -> Int32 {
        var next = position
        let result = input.withUnsafeBytes { stream.step($0, from: &next, into: &output, at: &filled) }
        position = next
        return result
    }
}
