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
    /// A damaged line costs itself alone.
    /// - Parameter take: is lent the record's JSON with a blank in front of it, which may be written over. Says whether it
    ///   took the record.
    /// - Returns: what was taken, up to the range's very end when everything was. Its `damaged` counts, by the gaps in the
    ///   sequence, what could not be read.
    /// - Throws: the disk's reason; `ENOENT` when the segment was evicted, or the folder vanished.
    package mutating func read(
        _ files: any FileSystem,
        _ range: QueueRange,
        take: (UnsafeMutableRawBufferPointer) -> Bool
    ) throws(FileError) -> QueueRange {
        var taken = range
        taken.to = range.from
        taken.endSequence = range.nextSequence
        taken.bundleID = nil
        var count = 0
        var position = range.from
        while position < range.to {
            let length = min(buffer.count, range.to - position)
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
            guard try files.read(range.file, from: position, into: piece) == length else {
                throw FileError(.read, range.file, errno: StoreError.cutShort)
            }
            let bytes = UnsafeRawBufferPointer(piece)
            var start = 0
            while let end = EventRecord.endOfLine(from: start, in: bytes) {
                if let record = EventRecord(line: start..<end, of: bytes),
                    record.sequence >= taken.endSequence, record.sequence < range.endSequence
                {
                    let json = record.json.lowerBound - 1..<record.json.upperBound
                    guard take(UnsafeMutableRawBufferPointer(rebasing: piece[json])) else {
                        taken.damaged = taken.events - count
                        return taken
                    }
                    count += 1
                    taken.to = position + end + 1
                    taken.endSequence = record.sequence + 1
                }
                start = end + 1
            }
            if position + length == range.to { break }
            position += start
            if start == 0 { makeRoom() }
        }
        // To the range's very end: what has not come by now will not.
        taken = range
        taken.damaged = range.events - count
        return taken
    }

    /// For a line that is longer than a piece.
    private mutating func makeRoom() {
        let count = buffer.count * 2
        buffer.deallocate()
        buffer = .allocate(byteCount: count, alignment: 16)
    }
}
