/// Report on the content of a run folder when it was opened.
package struct OpeningReport: Sendable, Equatable {
    /// The number of pending events. Damaged records are included until they are read for sending.
    package var events = 0
    /// The size of the pending events on disk.
    package var bytes = 0
    /// The size of incomplete records, which are truncated.
    package var tornBytes = 0
    /// The number of damaged lines in the part that was scanned.
    package var damagedRecords = 0
    /// The number of events whose files were missing, or shorter than before.
    package var missingEvents = 0
    /// The time of the last foreground event, if any.
    package var lastActive: Timestamp?
    /// Problems to report, such as a damaged manifest.
    package var notes: [String] = []

    package init() {}
}

extension RunFolder {
    /// Opens a run folder: reads the manifest, and scans events appended after it was written (at most about one
    /// segment).
    ///
    /// - Parameters:
    ///   - lock: the folder's lock, held for the lifetime of the returned value and its copies.
    ///   - isRepairing: true if incomplete records are truncated and leftovers removed; `false` changes nothing on
    ///     disk.
    package static func open(
        _ files: any FileSystem,
        path: String,
        lock: (any FileLock)?,
        isDurable: Bool = false,
        isRepairing: Bool = true
    ) throws(StoreError) -> (RunFolder, OpeningReport) {
        try StoreError.mapping {
            var folder = RunFolder(files, path: path, lock: lock, isDurable: isDurable)
            var report = OpeningReport()
            let content = try folder.books.load()
            if case .fromLater(let version) = content {
                throw StoreError.laterVersion(path: folder.books.path, version: version)
            }
            try folder.read(content, isRepairing: isRepairing, &report)
            return (folder, report)
        }
    }

    /// Opens a run folder without changing it; returns `nil` if it does not exist.
    static func found(_ files: any FileSystem, path: String) throws(StoreError) -> RunFolder? {
        do throws(StoreError) {
            return try open(files, path: path, lock: nil, isRepairing: false).0
        } catch .failed(let error) where error.errno == FileError.absent {
            return nil
        }
    }

    private mutating func read(
        _ content: StateFile.Content,
        isRepairing: Bool,
        _ report: inout OpeningReport
    ) throws(FileError) {
        let (isChanged, booksAreLost) = apply(content, &report)
        var needsSaving = isChanged
        let hasBooks = content != .none && !booksAreLost
        let recordedInBooks = ledger.recorded
        let sequenceInBooks = nextSequence
        let numberInBooks = nextNumber

        let numbers = try files.names(in: path).compactMap(Segment.number(in:)).orderedByNumber { Int64($0) }
        var listed: [Int: Segment] = [:]
        for segment in segments { listed[segment.number] = segment }
        segments = []
        var firstSequence: Int?

        for number in numbers {
            nextNumber = max(nextNumber, number + 1)
            if var segment = listed.removeValue(forKey: number) {
                let before = segment
                try refresh(&segment, isRepairing, &report)
                needsSaving = needsSaving || segment.bytes < before.bytes
                keep(segment)
            } else if number < numberInBooks, hasBooks {
                // Its removal was recorded in the manifest, but not carried out.
                if isRepairing { try files.remove(path(of: Segment(number: number, sequence: 1))) }
            } else {
                let tornBefore = report.tornBytes
                let first = try readUnlisted(number, isRepairing, &report)
                firstSequence = firstSequence ?? first
                needsSaving = needsSaving || report.tornBytes > tornBefore
            }
        }
        for segment in listed.values {
            ledger[.missing] += segment.pendingEvents
            report.missingEvents += segment.pendingEvents
            needsSaving = true
        }

        // Sequence numbers found in no segment belonged to damaged lines that can no longer be separated.
        let known = ledger.settled + pendingEvents
        let start = hasBooks ? sequenceInBooks : firstSequence ?? nextSequence
        ledger[.damaged] += max(0, recordedInBooks + nextSequence - start - known)
        ledger.recorded = ledger.settled + pendingEvents
        // Each bundle contained at least one event, so no bundle id can be higher than this.
        if booksAreLost { nextBundleID = nextSequence }

        report.events = pendingEvents
        report.bytes = pendingBytes
        report.lastActive = lastActive
        savedLedger = ledger
        if needsSaving, isRepairing { saveBooks() }
    }

    /// Takes over the manifest, or the note on its damage.
    private mutating func apply(
        _ content: StateFile.Content,
        _ report: inout OpeningReport
    ) -> (needsSaving: Bool, isLost: Bool) {
        switch content {
        case .none, .fromLater:
            return (false, false)
        case .loaded(let bytes):
            apply(books: bytes)
            return (false, false)
        case .recovered(let bytes, let note):
            apply(books: bytes)
            // One bundle id may have been assigned since the predecessor was written.
            nextBundleID += 1
            report.notes.append(note)
            return (true, false)
        case .lost(let note):
            report.notes.append(note)
            return (true, true)
        }
    }

    /// Reads a segment that the manifest does not contain, and removes its file if it is empty.
    /// - Returns: the sequence number of its first event.
    private mutating func readUnlisted(
        _ number: Int,
        _ isRepairing: Bool,
        _ report: inout OpeningReport
    ) throws(FileError) -> Int {
        var segment = Segment(number: number, sequence: nextSequence)
        let scan = try scan(segment, from: 0, isRepairing, &report)
        if let first = scan.firstSequence { segment.nextSequence = max(1, first - scan.damagedBeforeFirst) }
        segment.endSequence = segment.nextSequence
        segment.add(scan)
        if let last = scan.lastActive { lastActive = last }
        if segment.bytes > 0 {
            keep(segment)
        } else if isRepairing {
            try files.remove(path(of: segment))
        }
        return segment.nextSequence
    }

    /// All pending ranges, oldest first, including one that may be in flight.
    package var pendingRanges: [QueueRange] {
        segments.filter { $0.pendingBytes > 0 }.map { segment in
            QueueRange(
                run: path,
                segment: segment.number,
                from: segment.consumed,
                to: segment.bytes,
                nextSequence: segment.nextSequence,
                endSequence: segment.endSequence
            )
        }
    }

    package var pendingBytes: Int { segments.reduce(0) { $0 + $1.pendingBytes } }

    private mutating func keep(_ segment: Segment) {
        guard segment.pendingBytes > 0 else { return }
        segments.append(segment)
        storedBytes += segment.bytes
        pendingEvents += segment.pendingEvents
        nextSequence = max(nextSequence, segment.endSequence)
    }

    /// Updates a segment from the manifest with the actual size of its file.
    private mutating func refresh(
        _ segment: inout Segment,
        _ isRepairing: Bool,
        _ report: inout OpeningReport
    ) throws(FileError) {
        let size = try files.size(of: path(of: segment)) ?? 0
        if size > segment.bytes {
            let tail = try scan(segment, from: segment.bytes, isRepairing, &report)
            segment.add(tail)
            if let last = tail.lastActive { lastActive = last }
        } else if size < segment.bytes {
            let end = segment.endSequence
            segment.flight = nil
            segment.bytes = min(size, segment.consumed)
            segment.endSequence = segment.nextSequence
            if size > segment.consumed {
                segment.add(try scan(segment, from: segment.consumed, isRepairing, isCut: true, &report))
            } else {
                segment.consumed = segment.bytes
            }
            let missing = max(0, end - segment.endSequence)
            ledger[.missing] += missing
            report.missingEvents += missing
        }
    }

    /// The maximum length of a line that is read as a whole.
    private static let mostLineBytes = 67_108_864

    /// Scans the lines of a segment from `offset` in pieces, and truncates an incomplete record at the end.
    /// - Parameter isCut: true if the file is shorter than the manifest states: the bytes at its end then belong to a
    ///   record that is missing, not to one that was never completed.
    private mutating func scan(
        _ segment: Segment,
        from offset: Int,
        _ isRepairing: Bool,
        isCut: Bool = false,
        _ report: inout OpeningReport
    ) throws(FileError) -> SegmentScan {
        var scan = SegmentScan(from: offset, lowestSequence: offset == 0 ? 1 : segment.nextSequence)
        if offset == segment.bytes, offset > 0 { scan.lowestSequence = segment.endSequence }
        let path = path(of: segment)
        let size = try FileError.retrying { () throws(FileError) in try files.size(of: path) ?? 0 }
        var length = 262_144
        while scan.end < size {
            let start = scan.end
            let bytes = try read(path, from: start, to: min(size, start + length))
            let isLast = start + bytes.count >= size || bytes.isEmpty
            bytes.withUnsafeBytes { scan.read($0, isLast: isLast) }
            if isLast { break }
            guard scan.end == start else { continue }
            // The piece contains no line feed.
            if length < Self.mostLineBytes {
                length *= 2
            } else if let end = try endOfLine(in: path, from: start + bytes.count, size: size) {
                scan.skip(to: end + 1)
            } else {
                break
            }
        }
        report.damagedRecords += scan.damaged
        if scan.end < size {
            report.tornBytes += size - scan.end
            if !isCut { ledger[.torn] += 1 }
            if isRepairing {
                let file = try files.open(path)
                defer { file.close() }
                try file.truncate(to: scan.end)
            }
        }
        return scan
    }

    private func read(_ path: String, from start: Int, to end: Int) throws(FileError) -> [UInt8] {
        try FileError.retrying { () throws(FileError) in try files.read(path, range: start..<end) }
    }

    /// Returns the offset of the next line feed, reading in pieces; `nil` if there is none.
    private func endOfLine(in path: String, from start: Int, size: Int) throws(FileError) -> Int? {
        var position = start
        while position < size {
            let bytes = try read(path, from: position, to: min(size, position + 262_144))
            guard !bytes.isEmpty else { return nil }
            if let end = bytes.withUnsafeBytes({ EventRecord.endOfLine(from: 0, in: $0) }) { return position + end }
            position += bytes.count
        }
        return nil
    }
}

/// Result of scanning a sequence of lines.
private struct SegmentScan {
    /// The end offset of the last complete line.
    var end: Int
    /// The lowest valid sequence number; a record with a lower one is ignored.
    var lowestSequence: Int
    var firstSequence: Int?
    var damagedBeforeFirst = 0
    var lastSequence: Int?
    var damagedAfterLast = 0
    var damaged = 0
    var oldest: Timestamp?
    var newest: Timestamp?
    var lastActive: Timestamp?

    init(from offset: Int, lowestSequence: Int) {
        end = offset
        self.lowestSequence = lowestSequence
    }

    /// Reads complete lines.
    /// - Parameter isLast: true if the file ends here: the rest may be a record without its line feed.
    mutating func read(_ bytes: UnsafeRawBufferPointer, isLast: Bool) {
        var start = 0
        while let lineEnd = EventRecord.endOfLine(from: start, in: bytes) {
            if !readLine(start..<lineEnd, of: bytes) { addDamaged() }
            start = lineEnd + 1
        }
        if isLast, start < bytes.count, readLine(start..<bytes.count, of: bytes) { start = bytes.count }
        end += start
    }

    /// Skips a line that is too long for a record.
    mutating func skip(to end: Int) {
        addDamaged()
        self.end = end
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
            if isFirst, record.json.lowerBound - line.lowerBound > EventRecord.headerRoom {
                let key = record.partition(in: bytes).map { 1 + $0.text.utf8.count } ?? 0
                if record.json.lowerBound - key - line.lowerBound > EventRecord.headerRoom { addDamaged() }
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
    fileprivate mutating func add(_ scan: SegmentScan) {
        bytes = scan.end
        endSequence = (scan.lastSequence.map { $0 + 1 } ?? endSequence) + scan.damagedAfterLast
        for timestamp in [scan.oldest, scan.newest] {
            if let timestamp { extend(by: timestamp) }
        }
    }
}
