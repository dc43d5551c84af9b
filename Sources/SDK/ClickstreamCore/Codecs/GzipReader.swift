import CZlib

/// Streaming decompressor of gzip data with any number of members, as ``Gzip/inflate(_:limit:trailing:)`` inflates it at once.
///
/// Holds about 40 KB of zlib state for its lifetime. Not thread-safe.
package final class GzipReader {
    /// Offset of the first input byte that has not been consumed.
    private var position = 0
    /// True once the last member has been read to its end.
    package private(set) var hasEnded = false
    private let stream: InflateStream

    package init() throws(GzipError) {
        stream = try InflateStream()
    }

    /// Returns the next bytes of the output, at most `count`; fewer only at the end.
    /// - Parameter input: the whole data, the same in each call.
    package func read(_ count: Int, of input: UnsafeRawBufferPointer) throws(GzipError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: max(0, count))
        var filled = 0
        while filled < output.count, !hasEnded {
            switch stream.step(input, from: &position, into: &output, at: &filled) {
            case Z_STREAM_END:
                hasEnded = position >= input.count
                stream.reset()
            case Z_OK: continue
            case Z_BUF_ERROR: throw .truncated
            case Z_MEM_ERROR: throw .outOfMemory
            default: throw .corrupt
            }
        }
        output.removeLast(output.count - filled)
        return output
    }
}
