/// Reads ranges of a queue in pieces into a reused buffer, which avoids page faults and keeps each piece in the
/// processor's cache while it is used.
///
/// The buffer has 256 KiB, or more after a longer line. The results equal those of ``QueueReading``. Not thread-safe.
package struct QueueReader: ~Copyable {
    static let pieceBytes = 262_144

    private var buffer: UnsafeMutableRawBufferPointer

    package init() {
        self.init(pieceBytes: Self.pieceBytes)
    }

    init(pieceBytes: Int) {
        buffer = .allocate(byteCount: pieceBytes, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// Calls `take` with the intact records of a range in order, until it returns `false`.
    ///
    /// A damaged line affects no other line, and neither does a part that another program cut off.
    /// - Parameters:
    ///   - isPartitioned: true to stop before a record with another partition key than the first.
    ///   - take: receives the record's JSON with a space before it, which may be overwritten. Returns `true` if it accepted
    ///     the record.
    /// - Returns: the accepted part; the complete range if everything was accepted. Its `damaged` and `missing` are
    ///   derived from the gaps in the sequence: damaged records in the file, and records that are no longer in the
    ///   file.
    /// - Throws: the disk's error if reading fails; `ENOENT` if the segment was evicted, or the folder no longer
    ///   exists.
    package mutating func read(
        _ source: SegmentSource,
        _ range: QueueRange,
        isPartitioned: Bool = false,
        take: (UnsafeMutableRawBufferPointer) -> Bool
    ) throws(FileError) -> QueueRange {
        var taken = range
        taken.to = range.from
        taken.endSequence = range.nextSequence
        taken.bundleID = nil
        var count = 0
        var isCut = false
        var position = range.from
        while position < range.to {
            let length = min(buffer.count, range.to - position)
            let isLast = position + length == range.to
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
            if try source.fill(piece, from: position, of: range.file) < length { isCut = true }
            let bytes = UnsafeRawBufferPointer(piece)
            var start = 0
            while start < length, let end = EventRecord.endOfLine(from: start, in: bytes) ?? (isLast ? length : nil) {
                let isWhole = EventRecord.forEach(
                    in: start..<end,
                    of: bytes,
                    sequences: taken.endSequence..<max(taken.endSequence, range.endSequence)
                ) { record, textEnd in
                    if isPartitioned {
                        let key = record.partition(in: bytes)
                        if count == 0 { taken.partition = key }
                        guard key == taken.partition else { return false }
                    }
                    guard take(UnsafeMutableRawBufferPointer(rebasing: piece[record.jsonBehindBlank])) else {
                        return false
                    }
                    count += 1
                    taken.to = position + textEnd
                    taken.endSequence = record.sequence + 1
                    return true
                }
                guard isWhole else {
                    taken.damaged = taken.events - count
                    return taken
                }
                start = end + 1
            }
            if isLast { break }
            position += start
            if start == 0 { growBuffer() }
        }
        // At the end of the range: records not found by now are lost.
        let last = taken.endSequence
        let key = taken.partition
        taken = range
        taken.partition = key
        taken.missing = isCut ? range.endSequence - last : 0
        taken.damaged = range.events - count - taken.missing
        return taken
    }

    /// Reads a range of a segment that has no open descriptor.
    package mutating func read(
        _ files: any FileSystem,
        _ range: QueueRange,
        take: (UnsafeMutableRawBufferPointer) -> Bool
    ) throws(FileError) -> QueueRange {
        try read(SegmentSource(files), range, take: take)
    }

    /// Doubles the buffer, for a line longer than a piece.
    private mutating func growBuffer() {
        let count = buffer.count * 2
        buffer.deallocate()
        buffer = .allocate(byteCount: count, alignment: 16)
    }
}
