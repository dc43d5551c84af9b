#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension EventRecord {
    /// The range of the JSON and the space before it.
    var jsonBehindBlank: Range<Int> { json.lowerBound - 1..<json.upperBound }

    /// Calls `body` with each record of a line: one, or those that can be salvaged from a damaged line.
    /// - Parameters:
    ///   - line: the line without its line feed.
    ///   - sequences: the valid sequence numbers.
    ///   - body: receives a record and its end offset, line feed included. Returns `false` to stop.
    /// - Returns: `false` if `body` stopped.
    @inline(__always)
    package static func forEach(
        in line: Range<Int>,
        of bytes: UnsafeRawBufferPointer,
        sequences: Range<Int>,
        _ body: (EventRecord, _ end: Int) -> Bool
    ) -> Bool {
        if let record = EventRecord(line: line, of: bytes) {
            return sequences.contains(record.sequence) ? body(record, record.end(in: bytes)) : true
        }
        return salvaged(from: line, of: bytes, sequences: sequences).allSatisfy { body($0, $0.end(in: bytes)) }
    }

    /// Returns the end offset of the record: after its line feed, or after its JSON if it has none.
    @inline(__always)
    func end(in bytes: UnsafeRawBufferPointer) -> Int {
        let end = json.upperBound
        return end < bytes.count && bytes[end] == UInt8(ascii: "\n") ? end + 1 : end
    }

    /// The maximum number of positions in one line at which a record is searched.
    private static let maxStarts = 16

    /// Returns the intact records within a damaged line, in order.
    ///
    /// A line contains several records, or zeros and a record, after another program truncated the file during appends,
    /// or after a line feed was damaged. Costs some checksums of the line.
    /// - Parameter sequences: the valid sequence numbers.
    package static func salvaged(
        from line: Range<Int>,
        of bytes: UnsafeRawBufferPointer,
        sequences: Range<Int>
    ) -> [EventRecord] {
        var found: [EventRecord] = []
        var lowest = sequences.lowerBound
        let starts = possibleStarts(in: line, of: bytes)
        var end = line.lowerBound
        for (index, start) in starts.enumerated() where start >= end {
            let limits = starts[(index + 1)...] + [line.upperBound]
            let record = limits.lazy.compactMap { limit in Self.record(from: start, to: limit, of: bytes) }.first
            guard let record, record.sequence >= lowest, record.sequence < sequences.upperBound else { continue }
            found.append(record)
            lowest = record.sequence + 1
            end = record.json.upperBound
        }
        return found
    }

    /// Returns the record that starts at `start` and ends at `limit`, or before zeros or one damaged byte at its end.
    private static func record(from start: Int, to limit: Int, of bytes: UnsafeRawBufferPointer) -> EventRecord? {
        var end = limit
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        for end in end == limit ? [end, end - 1] : [end] where end > start {
            guard let record = EventRecord(line: start..<end, of: bytes), record.isObject(in: bytes) else { continue }
            return record
        }
        return nil
    }

    /// Returns true if the JSON is an object with a member. Such text within another event's JSON has its quotation
    /// marks escaped, so no attribute value is mistaken for a record.
    private func isObject(in bytes: UnsafeRawBufferPointer) -> Bool {
        json.count > 2 && bytes[json.lowerBound] == UInt8(ascii: "{")
            && bytes[json.lowerBound + 1] == UInt8(ascii: "\"")
    }

    /// Returns the offsets of eight hexadecimal digits followed by a space and a digit.
    private static func possibleStarts(in line: Range<Int>, of bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let memory = bytes.baseAddress else { return [] }
        var starts: [Int] = []
        var position = line.lowerBound + 8
        while position < line.upperBound - 1, starts.count < maxStarts,
            let space = memchr(memory + position, Int32(UInt8(ascii: " ")), line.upperBound - 1 - position)
        {
            let offset = UnsafeRawPointer(space) - memory
            let isHeader =
                (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[offset + 1])
                && bytes[offset - 8..<offset].allSatisfy(isHexadecimal)
            if isHeader { starts.append(offset - 8) }
            position = offset + 1
        }
        return starts
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
