/// Scan of the lines of a segment's file from an offset on, in pieces.
struct SegmentScan {
    /// The end offset of the last complete line.
    private(set) var end: Int
    /// The size of an incomplete record at the end of the file.
    var tornBytes: Int { size - end }
    private(set) var firstSequence: Int?
    private(set) var damagedBeforeFirst = 0
    private(set) var lastSequence: Int?
    private(set) var damagedAfterLast = 0
    private(set) var damaged = 0
    private(set) var oldest: Timestamp?
    private(set) var newest: Timestamp?
    private(set) var lastActive: Timestamp?
    /// The lowest valid sequence number; a record with a lower one is ignored.
    private var lowestSequence: Int
    /// The size of the file.
    private let size: Int

    /// The initial length of a piece; it grows while a piece contains no line feed.
    private static let pieceBytes = 262_144
    /// The maximum length of a line that is read as a whole.
    private static let maxLineBytes = 67_108_864

    init(_ files: any FileSystem, path: String, from offset: Int, lowestSequence: Int) throws(FileError) {
        size = try FileError.retrying { () throws(FileError) in try files.size(of: path) ?? 0 }
        end = offset
        self.lowestSequence = lowestSequence
        var length = Self.pieceBytes
        while end < size {
            let start = end
            let bytes = try Self.read(files, path, from: start, to: min(size, start + length))
            let isLast = start + bytes.count >= size || bytes.isEmpty
            bytes.withUnsafeBytes { readLines($0, isLast: isLast) }
            if isLast { break }
            guard end == start else { continue }
            // The piece contains no line feed.
            if length < Self.maxLineBytes {
                length *= 2
            } else if let lineEnd = try Self.endOfLine(files, path, from: start + bytes.count, size: size) {
                addDamaged()
                end = lineEnd + 1
            } else {
                break
            }
        }
    }

    private static func read(
        _ files: any FileSystem,
        _ path: String,
        from start: Int,
        to end: Int
    ) throws(FileError) -> [UInt8] {
        try FileError.retrying { () throws(FileError) in try files.read(path, range: start..<end) }
    }

    /// Returns the offset of the next line feed, reading in pieces; `nil` if there is none.
    private static func endOfLine(
        _ files: any FileSystem,
        _ path: String,
        from start: Int,
        size: Int
    ) throws(FileError) -> Int? {
        var position = start
        while position < size {
            let bytes = try read(files, path, from: position, to: min(size, position + pieceBytes))
            guard !bytes.isEmpty else { return nil }
            if let end = bytes.withUnsafeBytes({ EventRecord.endOfLine(from: 0, in: $0) }) { return position + end }
            position += bytes.count
        }
        return nil
    }

    /// Reads complete lines.
    /// - Parameter isLast: true if the file ends here: the rest may be a record without its line feed.
    private mutating func readLines(_ bytes: UnsafeRawBufferPointer, isLast: Bool) {
        var start = 0
        while let lineEnd = EventRecord.endOfLine(from: start, in: bytes) {
            if !readLine(start..<lineEnd, of: bytes) { addDamaged() }
            start = lineEnd + 1
        }
        if isLast, start < bytes.count, readLine(start..<bytes.count, of: bytes) { start = bytes.count }
        end += start
    }

    private mutating func addDamaged() {
        damaged += 1
        damagedAfterLast += 1
    }

    /// - Returns: `false` if the line contains no record.
    private mutating func readLine(_ line: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        let sequences = lowestSequence..<max(lowestSequence, Segment.lastSequence + 1)
        var isFirst = true
        _ = EventRecord.forEach(in: line, of: bytes, sequences: sequences) { record, _ in
            // Other bytes precede the record, such as the rest of a record that another program truncated.
            if isFirst, record.json.lowerBound - line.lowerBound > EventRecord.headerCapacity {
                let key = record.partition(in: bytes).map { 1 + $0.text.utf8.count } ?? 0
                if record.json.lowerBound - key - line.lowerBound > EventRecord.headerCapacity { addDamaged() }
            }
            isFirst = false
            add(record)
            return true
        }
        return !isFirst
    }

    private mutating func add(_ record: EventRecord) {
        if firstSequence == nil {
            firstSequence = record.sequence
            damagedBeforeFirst = damagedAfterLast
        }
        lastSequence = record.sequence
        lowestSequence = record.sequence + 1
        damagedAfterLast = 0
        oldest = oldest.map { min($0, record.timestamp) } ?? record.timestamp
        newest = newest.map { max($0, record.timestamp) } ?? record.timestamp
        if record.isActive { lastActive = record.timestamp }
    }
}

extension Segment {
    /// Adds the records scanned after ``endSequence``.
    mutating func add(_ scan: SegmentScan) {
        bytes = scan.end
        endSequence = (scan.lastSequence.map { $0 + 1 } ?? endSequence) + scan.damagedAfterLast
        for timestamp in [scan.oldest, scan.newest] {
            if let timestamp { extend(by: timestamp) }
        }
    }
}
