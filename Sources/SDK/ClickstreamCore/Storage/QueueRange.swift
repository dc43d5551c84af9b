/// Byte range of one segment with the sequence numbers of its records. A plain value: it holds no file open.
package struct QueueRange: Sendable, Equatable {
    /// The run folder.
    package var run: String
    /// The segment's number.
    package var segment: Int
    package var from: Int
    package var to: Int
    /// The expected sequence number of the first record.
    package var nextSequence: Int
    /// The sequence number after that of the last record.
    package var endSequence: Int
    /// The number of damaged records; known once the range has been read.
    package var damaged = 0
    /// The number of records that are no longer in the file; known once the range has been read.
    package var missing = 0
    /// The partition key of the records that ``QueueReader`` accepted; `nil` unless the format has partitions.
    package var partition: PartitionKey?
    /// The bundle id under which this exact range may have been sent before.
    package var bundleID: Int?

    /// The number of events in the range, damaged ones included.
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

/// Records read from a segment without a lock: the bytes of a range are immutable.
package struct QueueReading: Sendable {
    /// The bytes that the records' ``EventRecord/json`` ranges refer to.
    package let bytes: [UInt8]
    /// The intact records, in order.
    package let records: [EventRecord]
    /// The range that was read, in complete lines. Its `damaged` is derived from the gaps in the sequence.
    package let range: QueueRange

    /// Reads a range up to `maxRawBytes`, but at least its first line; a range that was sent before is read completely.
    ///
    /// A damaged line affects no other line. If no record is left, the range is acknowledged without sending anything.
    /// - Throws: the disk's error; `ENOENT` if the segment was evicted, or the folder no longer exists.
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

    /// Reads a range of a segment that has no open descriptor.
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
            // At the end of the range: records not found by now are lost.
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

    /// Returns the partition key of a record; `nil` if it has none.
    func partition(of record: EventRecord) -> PartitionKey? {
        bytes.withUnsafeBytes(record.partition)
    }

    /// The number of records at the start that have the same partition key.
    var firstPartitionCount: Int {
        guard let key = records.first.map(partition) else { return 0 }
        return records.firstIndex { partition(of: $0) != key } ?? records.count
    }

    /// Returns the reading restricted to the first `count` records.
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
