import CZlib

/// zlib's state for the decompression of gzip members, which ``Gzip`` and ``GzipReader`` share.
///
/// Holds about 40 KB for its lifetime. A class, because zlib keeps its addresses. Not thread-safe.
final class InflateStream {
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws(GzipError) {
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

    /// Starts a member.
    /// - Parameter validates: false for a caller that compares checksum and size in the trailer itself.
    func reset(validates: Bool = true) {
        inflateReset(stream)
        inflateValidate(stream, validates ? 1 : 0)
    }

    /// Calls zlib once, until the input, the output or the member is exhausted.
    /// - Parameters:
    ///   - position: the offset of the next input byte; advanced by the consumed bytes.
    ///   - output: the buffer, which is overwritten from `filled` on.
    ///   - filled: the number of valid output bytes; advanced by the bytes that are written.
    /// - Returns: zlib's result.
    func step(
        _ input: UnsafeRawBufferPointer,
        from position: inout Int,
        into output: inout [UInt8],
        at filled: inout Int
    ) -> Int32 {
        let remaining = min(output.count - filled, 1 << 30)
        let given = max(0, min(input.count - position, 1 << 30))
        var result = Z_OK
        let (start, offset) = (filled, position)
        output.withUnsafeMutableBytes { target in
            stream.pointee.next_out = (target.baseAddress! + start).assumingMemoryBound(to: Bytef.self)
            stream.pointee.avail_out = uInt(remaining)
            // zlib's pointer is not const, but zlib only reads.
            stream.pointee.next_in = input.baseAddress.map {
                UnsafeMutableRawPointer(mutating: $0 + offset).assumingMemoryBound(to: Bytef.self)
            }
            stream.pointee.avail_in = uInt(given)
            result = CZlib.inflate(stream, Z_NO_FLUSH)
            stream.pointee.next_out = nil
            stream.pointee.next_in = nil
        }
        position += given - Int(stream.pointee.avail_in)
        filled += remaining - Int(stream.pointee.avail_out)
        return result
    }
}
