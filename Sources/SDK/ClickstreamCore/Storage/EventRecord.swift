#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Stored event: a human-readable line that begins with a checksum.
///
/// `<CRC-32C, 8 hex digits> <sequence> <F or B><milliseconds> <JSON>` and a line feed, for example:
/// `1c291ca3 17 F1693920000703 {"event_type":"add_to_cart",…}`. The checksum covers everything after the first space up
/// to the line feed, which JSON never contains. `cut -d' ' -f4-` prints the JSON. `F` marks an event that updates the
/// time of last activity, `B` one recorded in the background. A record with a ``PartitionKey`` has `@` and the key behind the
/// milliseconds: `F1693920000703@session-1`.
package struct EventRecord: Sendable, Equatable {
    /// The number of the record within its run folder: from 1, without gaps, for the life of the store.
    package var sequence: Int
    /// True if the event updates the time of last activity.
    package var isActive: Bool
    package var timestamp: Timestamp
    /// The range of the JSON in the bytes that the record was read from. The line feed follows.
    package var json: Range<Int>

}

// MARK: - As a line

extension EventRecord {
    /// The maximum number of bytes before the JSON, without a partition key.
    static let headerCapacity = 8 + 1 + 19 + 1 + 1 + 20 + 1
    /// The maximum number of bytes of a partition key with its mark.
    static let keyCapacity = 1 + PartitionKey.maxBytes
    /// The maximum number of bytes before the JSON.
    static let prefixCapacity = headerCapacity + keyCapacity

    /// Writes the header before an event's JSON and the line feed after it.
    /// - Parameter buffer: space for the header (``prefixCapacity``), the JSON, and space for the line feed.
    /// - Returns: the offset of the line in the buffer.
    @inline(__always)
    static func compose(
        in buffer: UnsafeMutableRawBufferPointer,
        sequence: Int,
        isActive: Bool,
        timestamp: Timestamp,
        partition: PartitionKey? = nil
    ) -> Int {
        let end = buffer.count - 1
        precondition(end >= prefixCapacity, "no room for the header")
        guard let memory = buffer.baseAddress else { return 0 }
        memory.storeBytes(of: newline, toByteOffset: end, as: UInt8.self)
        var start = memory + prefixCapacity
        func put(_ byte: UInt8) {
            start -= 1
            start.storeBytes(of: byte, as: UInt8.self)
        }
        put(space)
        if let partition {
            for byte in partition.text.utf8.reversed() { put(byte) }
            put(PartitionKey.mark)
        }
        start = Digits.put(timestamp.milliseconds.magnitude, before: start)
        if timestamp.milliseconds < 0 { put(UInt8(ascii: "-")) }
        put(UInt8(ascii: isActive ? "F" : "B"))
        put(space)
        start = Digits.put(UInt64(sequence), before: start)
        let checksum = Checksum.crc32c(UnsafeRawBufferPointer(start: start, count: memory + end - start))
        put(space)
        start -= 8
        start.storeBytes(of: Hexadecimal.lowerCase(checksum), as: UInt64.self)
        return start - memory
    }

    /// Decodes the line `range` of `bytes`, without its line feed; returns `nil` if it is damaged in any way.
    package init?(line range: Range<Int>, of bytes: UnsafeRawBufferPointer) {
        guard range.count > 9, bytes[range.lowerBound + 8] == space else { return nil }
        let rest = range.lowerBound + 9..<range.upperBound
        let checksum = Checksum.crc32c(UnsafeRawBufferPointer(rebasing: bytes[rest]))
        guard bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self) == Hexadecimal.lowerCase(checksum)
        else { return nil }

        var position = rest.lowerBound
        func number() -> Int? {
            let isNegative = position < rest.upperBound && bytes[position] == UInt8(ascii: "-")
            if isNegative { position += 1 }
            var value = 0
            let start = position
            while position < rest.upperBound, position - start < 19, bytes[position] != space {
                guard case UInt8(ascii: "0")...UInt8(ascii: "9") = bytes[position] else { return nil }
                let (product, overflows) = value.multipliedReportingOverflow(by: 10)
                let (sum, overflowsToo) = product.addingReportingOverflow(Int(bytes[position] - UInt8(ascii: "0")))
                guard !overflows, !overflowsToo else { return nil }
                value = sum
                position += 1
            }
            guard position > start, position < rest.upperBound, bytes[position] == space else { return nil }
            position += 1
            return isNegative ? -value : value
        }
        guard let sequence = number(), sequence > 0, position < rest.upperBound else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "F"): isActive = true
        case UInt8(ascii: "B"): isActive = false
        default: return nil
        }
        position += 1
        let time = position
        if let milliseconds = number() {
            timestamp = Timestamp(milliseconds: Int64(milliseconds))
        } else if let (milliseconds, end) = Self.partitioned(time..<rest.upperBound, of: bytes) {
            timestamp = Timestamp(milliseconds: milliseconds)
            position = end
        } else {
            return nil
        }
        self.sequence = sequence
        json = position..<rest.upperBound
    }

    /// Decodes milliseconds and a partition key, up to and including the space behind them.
    private static func partitioned(
        _ range: Range<Int>,
        of bytes: UnsafeRawBufferPointer
    ) -> (milliseconds: Int64, end: Int)? {
        let words = bytes[range].prefix(20 + keyCapacity + 1)
        guard let mark = words.firstIndex(of: PartitionKey.mark), let end = words.firstIndex(of: space),
            let milliseconds = Int64(String(decoding: words[..<mark], as: UTF8.self)), milliseconds > .min,
            PartitionKey(String(decoding: words[(mark + 1)..<max(mark + 1, end)], as: UTF8.self)) != nil
        else { return nil }
        return (milliseconds, end + 1)
    }

    /// Returns the partition key in the bytes that the record was read from, or `nil`. Costs time for its bytes.
    func partition(in bytes: UnsafeRawBufferPointer) -> PartitionKey? {
        let end = json.lowerBound - 1
        var start = end
        while start > 0, PartitionKey.isValid(bytes[start - 1]) { start -= 1 }
        guard start > 0, bytes[start - 1] == PartitionKey.mark else { return nil }
        return PartitionKey(String(decoding: bytes[start..<end], as: UTF8.self))
    }

    /// Returns the offset of the next line feed at or after `start`.
    package static func endOfLine(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, Int32(newline), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}

private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
