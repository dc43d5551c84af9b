/// A range that was in flight when its events were moved from memory to the disk.
///
/// The request in progress refers to it, and its outcome applies to the moved events.
struct MovedRange: Sendable {
    /// The range in memory.
    var old: QueueRange
    /// The range with the same events on the disk.
    var new: QueueRange
    /// The bytes of the range in memory.
    var source: SegmentSource

    /// True if `range` begins where the range in memory does.
    func starts(_ range: QueueRange) -> Bool {
        old.run == range.run && old.segment == range.segment && old.from == range.from
    }
}

/// Recovery of a queue on the disk from a failure, and the move of later events from memory to it.
extension EventQueue {
    /// Ends the open segment after a failure: the next event begins one.
    /// - Returns: false if it stays open, because its file has no name.
    mutating func endSegment() -> Bool {
        own.seal()
        return own.openFile == nil
    }

    /// Prepares the run folder of this process for further events after a failure.
    /// - Throws: the reason for which the folder cannot be used.
    mutating func resume() throws(StoreError) {
        guard endSegment() else {
            throw own.manifestError ?? .failed(FileError(.open, own.path, errno: FileError.broken))
        }
        own.saveManifest()
        if let error = own.manifestError { throw error }
    }

    /// Moves the oldest segment of a queue in memory to the end of this queue.
    ///
    /// All of its events are moved, or none. Those in flight are in flight here too.
    /// - Returns: false if the queue in memory has no events.
    mutating func takeSegment(of memory: inout EventQueue) throws(FileError) -> Bool {
        guard let range = memory.own.pendingRanges.first else { return false }
        let source = memory.own.source(ofSegment: range.segment)
        let flight = memory.own.segments.first { $0.number == range.segment }?.flight
        let reading = try QueueReading(source, range, maxRawBytes: .max)
        let inFlight = reading.records.prefix { $0.sequence < flight?.endSequence ?? 0 }.count
        let moving = try own.append(reading, inFlight: inFlight)
        if let flight, let moving {
            var old = range
            old.to = flight.to
            old.endSequence = flight.endSequence
            moved.append(MovedRange(old: old, new: moving, source: source))
        }
        memory.own.forget(reading)
        return true
    }

    // MARK: Moved ranges

    /// True if the events of a range were moved here while it was in flight.
    func hasMoved(_ range: QueueRange) -> Bool { moved.contains { $0.starts(range) } }

    /// Returns the range in which the events of `range` are now.
    func current(_ range: QueueRange) -> QueueRange {
        moved.first { $0.starts(range) && $0.old.to == range.to }?.new ?? range
    }

    /// Returns the source of the bytes of a range whose events were moved; `nil` for any other.
    func movedSource(of range: QueueRange) -> SegmentSource? {
        moved.first { $0.starts(range) }?.source
    }

    /// Removes the ranges whose events are settled.
    mutating func forgetSettledMoves() {
        let pending = moved.filter { run(at: $0.new.run)?.manifest.holds($0.new) == true }
        moved = pending
    }
}

extension RunFolder {
    /// Appends the records that were read from another run folder, as a segment of their own: with one replacement of a file,
    /// so that all of them are appended, or none.
    /// - Parameter inFlight: the number of the first records that are in flight.
    /// - Returns: the range of these records; `nil` if there are none.
    fileprivate mutating func append(
        _ reading: QueueReading,
        inFlight: Int
    ) throws(FileError) -> QueueRange? {
        guard !reading.records.isEmpty else { return nil }
        // The segments before it have to be complete.
        guard openFile == nil else { throw FileError(.append, path, errno: FileError.broken) }
        var segment = manifest.newSegment
        // Created by another program: the file is left untouched.
        while try files.size(of: manifest.path(of: segment)) != nil { segment.number += 1 }
        var bytes: [UInt8] = []
        for (index, record) in reading.records.enumerated() {
            bytes += reading.line(of: record, sequence: segment.endSequence)
            segment.endSequence += 1
            segment.extend(by: record.timestamp)
            if index + 1 == inFlight {
                segment.flight = Segment.Flight(
                    to: bytes.count,
                    endSequence: segment.endSequence,
                    bundleID: manifest.nextBundleID
                )
            }
        }
        segment.bytes = bytes.count
        try files.replace(manifest.path(of: segment), with: bytes, durably: isDurable)
        return add(segment, lastActive: reading.records.last(where: \.isActive)?.timestamp)
    }

    /// Adds a segment whose file was written.
    /// - Returns: its range in flight.
    private mutating func add(_ segment: Segment, lastActive moment: Timestamp?) -> QueueRange? {
        manifest.append(segment)
        if let moment { manifest.lastActive = moment }
        if segment.flight != nil { manifest.nextBundleID += 1 }
        saveManifest()
        return segment.flight.map { flight in
            QueueRange(
                run: path,
                segment: segment.number,
                from: 0,
                to: flight.to,
                nextSequence: segment.nextSequence,
                endSequence: flight.endSequence
            )
        }
    }
}
