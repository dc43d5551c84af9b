import CZlib

/// Gzip (RFC 1952) in one call. ``Deflater`` is the streaming equivalent.
package enum Gzip {
    /// The version of the linked zlib, such as `1.3.1`.
    package static var libraryVersion: String { String(cString: zlibVersion()) }

    /// Compresses bytes to one gzip member; deterministic.
    package static func deflate(_ bytes: [UInt8], level: Int = Deflater.defaultLevel) -> [UInt8] {
        let deflater = Deflater(level: level)
        bytes.withUnsafeBytes { deflater.append($0) }
        return deflater.finish()
    }

    /// Treatment of bytes after a member that are not another member.
    package enum Trailing: Sendable, Equatable {
        /// They are an error.
        case refused
        /// They are skipped, as by Java's `GZIPInputStream`: bytes without a complete gzip header, or too few.
        case ignored
    }

    package static func inflate(
        _ bytes: [UInt8],
        limit: Int,
        trailing: Trailing = .refused
    ) throws(GzipError) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(GzipError) in
            try inflate(UnsafeRawBufferPointer(buffer), limit: limit, trailing: trailing)
        }
    }

    /// Returns the decompressed content of all members. Uses at most `limit` bytes of memory if the size in the last
    /// member's trailer equals that of the content, otherwise up to twice as much.
    /// - Parameter limit: the maximum size of the output in bytes.
    package static func inflate(
        _ bytes: UnsafeRawBufferPointer,
        limit: Int,
        trailing: Trailing = .refused
    ) throws(GzipError) -> [UInt8] {
        var inflater = try Inflater(limit: min(max(0, limit), 1 << 40), input: bytes)
        var position = 0
        repeat {
            position = try inflater.member(of: bytes, from: position)
        } while position < bytes.count && (trailing == .refused || beginsMember(bytes, at: position))
        return inflater.result()
    }

    /// Returns the uncompressed size in the trailer of the last member, modulo 2³²; `nil` if the bytes are too few for
    /// a member.
    package static func claimedCount(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 18 else { return nil }
        return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self)))
    }

    /// The maximum expansion ratio of deflated data.
    package static let maxExpansion = 1_032

    /// Returns true if Java's `GZIPInputStream` continues at `start`, after the end of a member: more than 18 bytes are
    /// left, and they begin with a complete and correct header.
    private static func beginsMember(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard bytes.count - start > 18, bytes[start] == 0x1F, bytes[start + 1] == 0x8B, bytes[start + 2] == 8 else {
            return false
        }
        let flags = bytes[start + 3]
        var end = start + 10
        func number(at offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
        if flags & 4 != 0 {
            guard end + 2 <= bytes.count else { return false }
            end += 2 + number(at: end)
        }
        for flag in [8, 16] as [UInt8] where flags & flag != 0 {
            while end < bytes.count, bytes[end] != 0 { end += 1 }
            end += 1
        }
        guard end <= bytes.count else { return false }
        if flags & 2 == 0 { return true }
        guard end + 2 <= bytes.count else { return false }
        let checksum = Checksum.crc32(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), after: 0)
        return Int(checksum & 0xFFFF) == number(at: end)
    }
}

/// Reason why gzip data is rejected.
package enum GzipError: Error, Sendable, Equatable {
    /// Not gzip, damaged, or followed by other data.
    case corrupt
    /// The data ends prematurely.
    case truncated
    /// The output would exceed the limit.
    case limitExceeded
    /// zlib failed to allocate memory.
    case outOfMemory
}

extension GzipError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .corrupt: "the data is not valid gzip"
        case .truncated: "the gzip data ends too early"
        case .limitExceeded: "the gzip data inflates to more than is allowed"
        case .outOfMemory: "not enough memory to inflate the gzip data"
        }
    }
}

/// Streaming gzip compressor that reports the size of its output so far. Reusable after ``finish()``.
///
/// Holds about 200 KB of zlib state for its lifetime: keep one. A class, because zlib keeps its addresses. Not
/// thread-safe. zlib deflates; the gzip header and trailer are written here, because the hardware CRC takes a fifth of
/// the time of zlib's, which is an eighth of the total.
package final class Deflater {
    /// The default level: 480 MB/s at a ratio of 28 on the manual's event; Docs/performance-notes.md lists the others.
    package static let defaultLevel = 3
    /// The default of zlib is 8. With half its hash table, events deflate 5 % faster to 0.2 % more bytes.
    private static let memoryLevel: Int32 = 7
    /// Deflate method, no flags, no time, unspecified level, unknown system.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// The number of input bytes since the start.
    package var inputCount: Int { Int(stream.pointee.total_in) }
    /// The number of output bytes, excluding those that zlib still buffers.
    package private(set) var outputCount = 0
    /// The number of input bytes whose output is certainly complete.
    private var settledCount = 0
    /// The CRC-32 of the input.
    private var checksum: UInt32 = 0
    /// The output buffer, owned exclusively; its first ``outputCount`` bytes are valid.
    private var output: UnsafeMutablePointer<UInt8>
    private var capacity = 16_384
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: the zlib level, 1 (fast) to 9 (small).
    package init(level: Int = Deflater.defaultLevel) {
        output = .allocate(capacity: capacity)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = clickstream_deflateInit2(stream, Int32(min(max(level, 1), 9)), -MAX_WBITS, Self.memoryLevel)
        precondition(result == Z_OK, "zlib cannot start: \(result)")
        begin()
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Discards all input and starts again.
    package func reset() {
        deflateReset(stream)
        begin()
    }

    private func begin() {
        outputCount = 0
        settledCount = 0
        checksum = 0
        for byte in Self.header { put(byte) }
    }

    /// Appends input bytes.
    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        checksum = Checksum.crc32(bytes, after: checksum)
        var position = 0
        while position < bytes.count {
            let count = min(bytes.count - position, 1 << 30)
            // zlib's pointer is not const, but zlib only reads.
            stream.pointee.next_in = UnsafeMutableRawPointer(mutating: start + position)
                .assumingMemoryBound(to: Bytef.self)
            stream.pointee.avail_in = uInt(count)
            run(Z_NO_FLUSH)
            position += count
        }
        stream.pointee.next_in = nil
    }

    /// Returns the maximum size of ``finish()`` after `count` more input bytes.
    ///
    /// Adds an eighth to the input that zlib still buffers, which covers the worst-case encoding of any zlib.
    package func finishedCountBound(adding count: Int) -> Int {
        let held = inputCount - settledCount + count
        return outputCount + held + held >> 3 + held >> 10 + 64
    }

    /// Flushes the input buffered by zlib, which makes the bound tight again. Costs a few dozen bytes of output.
    package func settle() {
        guard inputCount > settledCount else { return }
        run(Z_BLOCK)
        settledCount = inputCount
    }

    /// Completes the gzip member and calls `body` with it; then starts again. The pointer is valid only during the
    /// call.
    package func finish<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        run(Z_FINISH)
        for word in [checksum, UInt32(truncatingIfNeeded: inputCount)] {
            for shift in stride(from: 0 as UInt32, to: 32, by: 8) { put(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        let result = body(UnsafeRawBufferPointer(start: output, count: outputCount))
        reset()
        return result
    }

    /// Completes the gzip member and returns it; then starts again.
    package func finish() -> [UInt8] {
        finish { [UInt8]($0) }
    }

    /// Runs zlib until it has consumed all input and written all output required by `flush`.
    private func run(_ flush: Int32) {
        repeat {
            if capacity - outputCount < 4_096 { grow() }
            let remaining = min(capacity - outputCount, 1 << 30)
            stream.pointee.next_out = output + outputCount
            stream.pointee.avail_out = uInt(remaining)
            let result = CZlib.deflate(stream, flush)
            precondition(result != Z_STREAM_ERROR, "Invalid state: the deflater is inconsistent")
            outputCount += remaining - Int(stream.pointee.avail_out)
        } while stream.pointee.avail_out == 0
    }

    private func put(_ byte: UInt8) {
        if outputCount == capacity { grow() }
        output[outputCount] = byte
        outputCount += 1
    }

    private func grow() {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
        larger.initialize(from: output, count: outputCount)
        output.deallocate()
        output = larger
        capacity *= 2
    }
}

/// Decompression of the members of a gzip file into a buffer that grows up to a limit.
private struct Inflater {
    private let stream: InflateStream
    private let limit: Int
    private var output: [UInt8]
    private var outputCount = 0

    init(limit: Int, input: UnsafeRawBufferPointer) throws(GzipError) {
        self.limit = limit
        // The size in the trailer, if it is plausible; the trailer may be wrong.
        let likely = Gzip.claimedCount(of: input).flatMap { $0 / Gzip.maxExpansion <= input.count ? $0 : nil }
        // One byte beyond the limit detects that the limit is exceeded.
        output = [UInt8](repeating: 0, count: min(limit, likely ?? max(4_096, input.count / 2 * 8)) + 1)
        stream = try InflateStream()
    }

    mutating func result() -> [UInt8] {
        output.removeLast(output.count - outputCount)
        return output
    }

    /// Decompresses the member that begins at `start`. Returns its end offset.
    mutating func member(of bytes: UnsafeRawBufferPointer, from start: Int) throws(GzipError) -> Int {
        for (byte, expected) in zip(bytes[start...], [0x1F, 0x8B] as [UInt8]) where byte != expected { throw .corrupt }
        // zlib's checksum of the output takes as long as the rest of its work. It alone verifies the checksum of a header.
        let hasHeaderChecksum = start + 3 < bytes.count && bytes[start + 3] & 2 != 0
        let validates = !Checksum.hasHardware || hasHeaderChecksum
        stream.reset(validates: validates)
        let outputStart = outputCount
        var position = start
        while true {
            if outputCount == output.count { grow() }
            let result = stream.step(bytes, from: &position, into: &output, at: &outputCount)
            guard outputCount <= limit else { throw .limitExceeded }
            switch result {
            case Z_STREAM_END:
                guard validates || isValid(bytes, trailerEnd: position, outputStart) else { throw .corrupt }
                return position
            case Z_OK: continue
            case Z_BUF_ERROR where position == bytes.count: throw .truncated
            case Z_BUF_ERROR: continue
            case Z_MEM_ERROR: throw .outOfMemory
            default: throw .corrupt
            }
        }
    }

    /// Compares checksum and size in the trailer of a member with its output.
    private func isValid(_ bytes: UnsafeRawBufferPointer, trailerEnd end: Int, _ outputStart: Int) -> Bool {
        func word(at offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        let checksum = output.withUnsafeBytes {
            Checksum.crc32(UnsafeRawBufferPointer(rebasing: $0[outputStart..<outputCount]))
        }
        let size = UInt32(truncatingIfNeeded: outputCount - outputStart)
        return word(at: end - 8) == checksum && word(at: end - 4) == size
    }

    /// Enlarges the full output buffer, up to the limit.
    private mutating func grow() {
        let growth = min(limit + 1 - output.count, output.count)
        var larger = [UInt8](repeating: 0, count: output.count + growth)
        larger.withUnsafeMutableBytes { target in
            output.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: target[..<$0.count]).copyMemory(from: $0)
            }
        }
        output = larger
    }
}
