/// Repairs of a run folder, whose lock must be held, while no process records in it.
extension RunFolder {
    /// Rewrites every segment with damaged records without them; they are counted as damaged.
    ///
    /// A crash in between leaves an intact segment, whose manifest is corrected by the next opening. Requires memory
    /// for one segment.
    /// - Returns: the number of dropped records.
    package mutating func dropDamaged() throws(StoreError) -> Int {
        var dropped = 0
        for range in pendingRanges {
            do throws(FileError) {
                dropped += try dropDamaged(in: range)
            } catch {
                throw StoreError(error)
            }
        }
        return dropped
    }

    private mutating func dropDamaged(in range: QueueRange) throws(FileError) -> Int {
        guard let index = manifest.index(of: range) else { return 0 }
        let reading = try QueueReading(files, range, maxRawBytes: .max)
        let damaged = range.events - reading.records.count
        let hasDamagedLine = EventRecord.lines(in: reading.bytes) > reading.records.count
        guard damaged > 0 || hasDamagedLine else { return 0 }
        guard !reading.records.isEmpty else {
            var lost = range
            lost.damaged = range.events
            _ = acknowledge(lost, setAside: 0)
            return damaged
        }
        var file = try files.read(range.file, range: 0..<range.from)
        for (index, record) in reading.records.enumerated() {
            file += reading.line(of: record, sequence: range.nextSequence + index)
        }
        try files.replace(range.file, with: file, durably: true)
        manifest.dropDamaged(at: index, keeping: reading.records.count, bytes: file.count)
        saveManifest()
        return damaged
    }

    /// Removes every pending event unsent on request of the user, including events that an ended process had in flight.
    /// - Returns: the number of removed events.
    package mutating func purge() -> Int {
        var purged = 0
        manifest.withdrawAll()
        while let events = evictOldest(.purge) { purged += events }
        return purged
    }
}

extension EventRecord {
    /// Returns the number of line feeds in `bytes`.
    fileprivate static func lines(in bytes: [UInt8]) -> Int {
        bytes.count { $0 == UInt8(ascii: "\n") }
    }
}

extension QueueReading {
    /// Returns the complete line of a record with another sequence number, including its line feed.
    func line(of record: EventRecord, sequence: Int) -> [UInt8] {
        var line = EventLine(json: bytes[record.json])
        return line.withRecord(
            sequence: sequence,
            isActive: record.isActive,
            timestamp: record.timestamp,
            partition: partition(of: record)
        ) { [UInt8]($0) }
    }
}
