/// Bytes of recorded rows, one behind the other.
///
/// The values of a row are JSON, each followed by a line feed, which JSON without white space does not contain. A value
/// that is excluded is empty.
struct RowArena: Sendable {
    static let end = UInt8(ascii: "\n")

    var bytes: [UInt8] = []

    /// Returns the ranges of a row's values.
    func values(of row: Range<Int>) -> [Range<Int>] {
        Self.values(in: bytes, row)
    }

    static func values(in bytes: [UInt8], _ row: Range<Int>) -> [Range<Int>] {
        var values: [Range<Int>] = []
        var start = row.lowerBound
        for position in row where bytes[position] == end {
            values.append(start..<position)
            start = position + 1
        }
        return values
    }

    /// True if two rows have the same values.
    func areEqual(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        bytes.withUnsafeBufferPointer { Self.areEqual($0, one, other) }
    }

    @inline(__always)
    static func areEqual(_ bytes: UnsafeBufferPointer<UInt8>, _ one: Range<Int>, _ other: Range<Int>) -> Bool {
        guard one.count == other.count else { return false }
        for offset in 0..<one.count where bytes[one.lowerBound + offset] != bytes[other.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Returns the end of the value that begins at `start`.
    @inline(__always)
    static func endOfValue(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count, bytes[position] != end { position += 1 }
        return position
    }

    /// Appends a row as an object; excluded values are left out.
    /// - Parameter names: the columns' names and colons, as JSON.
    func append(_ row: Range<Int>, of names: [[UInt8]], to json: inout [UInt8]) {
        var isFirst = true
        json.append(UInt8(ascii: "{"))
        bytes.withUnsafeBufferPointer { bytes in
            var start = row.lowerBound
            for name in names {
                let end = Self.endOfValue(bytes, from: start)
                if end > start {
                    if !isFirst { json.append(UInt8(ascii: ",")) }
                    isFirst = false
                    json += name
                    json += UnsafeBufferPointer(rebasing: bytes[start..<end])
                }
                start = end + 1
            }
        }
        json.append(UInt8(ascii: "}"))
    }

    /// The number of bytes of a row within a JSON text: quotation marks and backslashes are escaped there.
    func escapedCount(_ row: Range<Int>) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var count = row.count
            for position in row where bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "\\") {
                count += 1
            }
            return count
        }
    }
}

/// Rest of the limits of a scope.
struct ScopeBudget: Sendable {
    var rows: Int
    var bytes: Int

    var isSpent: Bool { rows <= 0 || bytes <= 0 }

    /// Takes a part for one more row.
    /// - Returns: false if there is not enough left.
    mutating func take(rows: Int, bytes: Int) -> Bool {
        guard rows <= self.rows, bytes <= self.bytes else { return false }
        self.rows -= rows
        self.bytes -= bytes
        return true
    }
}
