/// Reads ranges of a queue piece by piece into memory that is kept, so that reading takes no fresh memory and each piece is
/// still in the processor's cache when it is used.
///
/// Holds 256 KiB, or the room for the longest line that it met. What it gives is what ``QueueReading`` gives. Not for two
/// threads at once.
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

    /// Lends the whole records of a range one after the other, until `take` does not take one.
    ///
    /// A damaged line costs itself alone, and so does a part that another program cut off.
    /// - Parameter take: is lent the record's JSON with a blank in front of it, which may be written over. Returns `true` if
    ///   it took the record.
    /// - Returns: what was taken, up to the range's very end when everything was. Its `damaged` and `missing` count, by the
    ///   gaps in the sequence, what was read and is no record, and what the file does not hold any more.
    /// - Throws: the disk's reason for a failure to read; `ENOENT` when the segment was evicted, or the folder vanished.
    package mutating func read(
        _ source: SegmentSource,
        _ range: QueueRange,
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
            if start == 0 { makeRoom() }
        }
        // To the range's very end: what has not come by now will not.
        let last = taken.endSequence
        taken = range
        taken.missing = isCut ? range.endSequence - last : 0
        taken.damaged = range.events - count - taken.missing
        return taken
    }

    /// The same of a segment that no descriptor is open for.
    package mutating func read(
        _ files: any FileSystem,
        _ range: QueueRange,
        take: (UnsafeMutableRawBufferPointer) -> Bool
    ) throws(FileError) -> QueueRange {
        try read(SegmentSource(files), range, take: take)
    }

    /// For a line that is longer than a piece.
    private mutating func makeRoom() {
        let count = buffer.count * 2
        buffer.deallocate()
        buffer = .allocate(byteCount: count, alignment: 16)
    }
}
