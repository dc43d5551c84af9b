import CZlib

/// Streaming decompressor of gzip data with any number of members, as ``Gzip/inflate(_:limit:trailing:)`` inflates it at once.
///
/// Holds about 40 KB of zlib state for its lifetime. A class, because zlib keeps its addresses. Not thread-safe.
package final class GzipReader {
    /// Offset of the first input byte that has not been consumed.
    private var position = 0
    /// True once the last member has been read to its end.
    package private(set) var hasEnded = false
    private let stream: UnsafeMutablePointer<z_stream>

    package init() throws(GzipError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard clickstream_inflateInit2(stream, MAX_WBITS + 16) == Z_OK else {
            stream.deallocate()
            throw .outOfMemory
        }
        self.stream = stream
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the next bytes of the output, at most `count`; fewer only at the end.
    /// - Parameter input: the whole data, the same in each call.
    package func read(_ count: Int, of input: UnsafeRawBufferPointer) throws(GzipError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: max(0, count))
        var filled = 0
        while filled < output.count, !hasEnded {
            let room = min(output.count - filled, 1 << 30)
            let given = max(0, min(input.count - position, 1 << 30))
            var result = Z_OK
            output.withUnsafeMutableBytes { target in
                stream.pointee.next_out = (target.baseAddress! + filled).assumingMemoryBound(to: Bytef.self)
                stream.pointee.avail_out = uInt(room)
                // zlib's pointer is not const, but zlib only reads.
                stream.pointee.next_in = input.baseAddress.map {
                    UnsafeMutableRawPointer(mutating: $0 + position).assumingMemoryBound(to: Bytef.self)
                }
                stream.pointee.avail_in = uInt(given)
                result = CZlib.inflate(stream, Z_NO_FLUSH)
                stream.pointee.next_out = nil
                stream.pointee.next_in = nil
            }
            position += given - Int(stream.pointee.avail_in)
            filled += room - Int(stream.pointee.avail_out)
            switch result {
            case Z_STREAM_END:
                hasEnded = position >= input.count
                inflateReset(stream)
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
