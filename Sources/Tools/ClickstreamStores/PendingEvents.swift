package import ClickstreamCore

/// A pending event and its location in the store.
package struct PendingEvent: Sendable, Hashable {
    /// The number of the run folder.
    package var run: Int
    /// The segment's file.
    package var file: String
    /// The sequence number within the run.
    package var sequence: Int
    /// True if it updates the time of last activity.
    package var isActive: Bool
    package var timestamp: Timestamp
    /// The event's JSON, as in a request.
    package var json: [UInt8]
}

/// Iterator over pending events, oldest first: runs are merged by time, the order within each run is kept.
///
/// Uses 256 KiB of memory per run, or the size of its largest event. May skip events that a running process delivers
/// meanwhile. Not thread-safe.
package struct PendingEvents: Sendable {
    private static let pieceBytes = 262_144

    private let files: any FileSystem
    private var runs: [Run]

    private struct Run: Sendable {
        var number: Int
        /// Files still to be read, the next one last.
        var ranges: [QueueRange]
        var reading: QueueReading?
        var position = 0

        var next: EventRecord? {
            guard let reading, position < reading.records.count else { return nil }
            return reading.records[position]
        }
    }

    init(_ files: any FileSystem, _ runs: [(run: Int, ranges: [QueueRange])]) {
        self.files = files
        self.runs = runs.map { Run(number: $0.run, ranges: $0.ranges.reversed()) }
    }

    /// The next event; `nil` after the last.
    package mutating func next() throws(StoreError) -> PendingEvent? {
        var oldest: (index: Int, record: EventRecord)?
        for index in runs.indices {
            try fill(index)
            guard let record = runs[index].next else { continue }
            if let found = oldest, found.record.timestamp <= record.timestamp { continue }
            oldest = (index, record)
        }
        guard let (index, record) = oldest, let reading = runs[index].reading else { return nil }
        runs[index].position += 1
        return PendingEvent(
            run: runs[index].number,
            file: reading.range.file,
            sequence: record.sequence,
            isActive: record.isActive,
            timestamp: record.timestamp,
            json: Array(reading.bytes[record.json])
        )
    }

    /// Reads the next piece of a run.
    private mutating func fill(_ index: Int) throws(StoreError) {
        while runs[index].next == nil, var range = runs[index].ranges.popLast() {
            let reading: QueueReading
            do {
                reading = try QueueReading(files, range, maxRawBytes: Self.pieceBytes)
            } catch {
                // Delivered or evicted since the snapshot.
                if error.isMissingFile { continue }
                throw StoreError(error)
            }
            runs[index].reading = reading
            runs[index].position = 0
            guard reading.range.to < range.to else { continue }
            range.from = reading.range.to
            range.nextSequence = reading.range.endSequence
            runs[index].ranges.append(range)
        }
    }
}
