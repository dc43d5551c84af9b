#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension EventRecord {
    /// The JSON with the space in front of it.
    var jsonBehindBlank: Range<Int> { json.lowerBound - 1..<json.upperBound }

    /// Calls `body` with each record of a line: one, or those that can be salvaged.
    /// - Parameters:
    ///   - line: the line without its line feed.
    ///   - sequences: the numbers that the records may have.
    ///   - body: is given a record and where what belongs to it ends, its line feed included. Returns `false` to stop.
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

    /// Where what belongs to the record ends: behind its line feed, or behind its JSON if it has none.
    @inline(__always)
    func end(in bytes: UnsafeRawBufferPointer) -> Int {
        let end = json.upperBound
        return end < bytes.count && bytes[end] == UInt8(ascii: "\n") ? end + 1 : end
    }

    /// The most places in one line at which a record is looked for.
    private static let mostStarts = 16

    /// The whole records within a line that is no record itself, in order.
    ///
    /// A line holds several records, or zeros and a record, after another program cut the file while it was appended to, or
    /// after a line feed was damaged. Costs some checksums of the line.
    /// - Parameter sequences: the numbers that the records may have.
    package static func salvaged(
        from line: Range<Int>,
        of bytes: UnsafeRawBufferPointer,
        sequences: Range<Int>
    ) -> [EventRecord] {
        var found: [EventRecord] = []
        var lowest = sequences.lowerBound
        let starts = possibleStarts(in: line, of: bytes)
        var end = line.lowerBound
        for (place, start) in starts.enumerated() where start >= end {
            let limits = starts[(place + 1)...] + [line.upperBound]
            let record = limits.lazy.compactMap { limit in Self.record(from: start, to: limit, of: bytes) }.first
            guard let record, record.sequence >= lowest, record.sequence < sequences.upperBound else { continue }
            found.append(record)
            lowest = record.sequence + 1
            end = record.json.upperBound
        }
        return found
    }

    /// The record from `start` on that ends before `limit`: there, or before zeros or one damaged byte in front of it.
    private static func record(from start: Int, to limit: Int, of bytes: UnsafeRawBufferPointer) -> EventRecord? {
        var end = limit
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        for end in end == limit ? [end, end - 1] : [end] where end > start {
            guard let record = EventRecord(line: start..<end, of: bytes), record.isObject(in: bytes) else { continue }
            return record
        }
        return nil
    }

    /// True if the JSON is an object with a member. Within another event's JSON such text has its quotation marks escaped,
    /// so that no attribute's value is taken for a record.
    private func isObject(in bytes: UnsafeRawBufferPointer) -> Bool {
        json.count > 2 && bytes[json.lowerBound] == UInt8(ascii: "{")
            && bytes[json.lowerBound + 1] == UInt8(ascii: "\"")
    }

    /// The places of eight hexadecimal digits, a space and a digit.
    private static func possibleStarts(in line: Range<Int>, of bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let memory = bytes.baseAddress else { return [] }
        var starts: [Int] = []
        var position = line.lowerBound + 8
        while position < line.upperBound - 1, starts.count < mostStarts,
            let space = memchr(memory + position, Int32(UInt8(ascii: " ")), line.upperBound - 1 - position)
        {
            let place = UnsafeRawPointer(space) - memory
            let isHeader =
                (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[place + 1])
                && bytes[place - 8..<place].allSatisfy(isHexadecimal)
            if isHeader { starts.append(place - 8) }
            position = place + 1
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
