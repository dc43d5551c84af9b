/// A part of one segment: where it stands, and which records it holds. Only a value: it keeps nothing alive.
package struct QueueRange: Sendable, Equatable {
    /// The run folder.
    package var run: String
    /// The segment's number.
    package var segment: Int
    package var from: Int
    package var to: Int
    /// The sequence number that the first record should have.
    package var nextSequence: Int
    /// The sequence number after that of the last record.
    package var endSequence: Int
    /// How many of its records were read and are damaged; known once it has been read.
    package var damaged = 0
    /// How many of its records the file does not hold any more; known once it has been read.
    package var missing = 0
    /// The bundle id under which exactly this range may have been sent before.
    package var bundleID: Int?

    /// How many events it stands for, damaged ones included.
    package var events: Int { endSequence - nextSequence }
    package var bytes: Int { to - from }

    package init(
        run: String,
        segment: Int,
        from: Int,
        to: Int,
        nextSequence: Int,
        endSequence: Int,
        bundleID: Int? = nil
    ) {
        self.run = run
        self.segment = segment
        self.from = from
        self.to = to
        self.nextSequence = nextSequence
        self.endSequence = endSequence
        self.bundleID = bundleID
    }

    package var file: String {
        "\(run)/\(Segment(number: segment, sequence: 1).name)"
    }
}

/// Records read from a segment, without any lock: what stands in a range does not change.
package struct QueueReading: Sendable {
    /// The bytes that the records' ``EventRecord/json`` ranges point into.
    package let bytes: [UInt8]
    /// The whole records, in order.
    package let records: [EventRecord]
    /// What was read: whole lines. Its `damaged` counts, by the gaps in the sequence, what could not be.
    package let range: QueueRange

    /// Reads a range as far as `maxRawBytes` go, but at least its first line; one that was sent before is read whole.
    ///
    /// A damaged line costs itself alone. When no record is left the range is acknowledged without sending anything.
    /// - Throws: the disk's reason; `ENOENT` when the segment was evicted, or the folder vanished.
    package init(_ source: SegmentSource, _ range: QueueRange, maxRawBytes: Int) throws(FileError) {
        var length = range.bundleID == nil ? min(range.bytes, max(1, maxRawBytes)) : range.bytes
        while true {
            let (bytes, isCut) = try Self.bytes(of: range, length, from: source)
            let reading = bytes.withUnsafeBytes { QueueReading.records(in: $0, of: range, isCut: isCut) }
            if reading.range.bytes > 0 {
                self.init(bytes: bytes, records: reading.records, range: reading.range)
                return
            }
            length = min(range.bytes, length * 2)
        }
    }

    /// The same of a segment that no descriptor is open for.
    package init(_ files: any FileSystem, _ range: QueueRange, maxRawBytes: Int) throws(FileError) {
        try self.init(SegmentSource(files), range, maxRawBytes: maxRawBytes)
    }

    private static func bytes(
        of range: QueueRange,
        _ length: Int,
        from source: SegmentSource
    ) throws(FileError) -> (bytes: [UInt8], isCut: Bool) {
        var present = 0
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            do throws(FileError) {
                present = try source.fill(UnsafeMutableRawBufferPointer(buffer), from: range.from, of: range.file)
                count = length
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return (bytes, present < length)
    }

    private init(bytes: [UInt8], records: [EventRecord], range: QueueRange) {
        self.bytes = bytes
        self.records = records
        self.range = range
    }

    private static func records(
        in bytes: UnsafeRawBufferPointer,
        of whole: QueueRange,
        isCut: Bool
    ) -> (records: [EventRecord], range: QueueRange) {
        var range = whole
        var records: [EventRecord] = []
        var expected = whole.nextSequence
        var start = 0
        let isWhole = bytes.count == whole.bytes
        while start < bytes.count,
            let end = EventRecord.endOfLine(from: start, in: bytes) ?? (isWhole ? bytes.count : nil)
        {
            let sequences = expected..<max(expected, whole.endSequence)
            _ = EventRecord.forEach(in: start..<end, of: bytes, sequences: sequences) { record, _ in
                range.damaged += record.sequence - expected
                expected = record.sequence + 1
                records.append(record)
                return true
            }
            start = end + 1
        }
        if isWhole {
            // To the range's very end: what has not come by now will not.
            if isCut {
                range.missing = whole.endSequence - expected
            } else {
                range.damaged += whole.endSequence - expected
            }
        } else {
            range.to = range.from + start
            range.endSequence = expected
            if range.to != whole.to { range.bundleID = nil }
        }
        return (records, range)
    }

    /// The reading of the first `count` records alone.
    package func prefix(_ count: Int) -> QueueReading {
        guard count < records.count else { return self }
        var range = range
        range.bundleID = nil
        guard count > 0 else {
            range.to = range.from
            range.endSequence = range.nextSequence
            range.damaged = 0
            range.missing = 0
            return QueueReading(bytes: [], records: [], range: range)
        }
        let last = records[count - 1]
        range.to = range.from + bytes.withUnsafeBytes { last.end(in: $0) }
        range.endSequence = last.sequence + 1
        range.missing = 0
        range.damaged = range.events - count
        return QueueReading(bytes: bytes, records: Array(records.prefix(count)), range: range)
    }
}
