/// Segments and manifest of one run folder. Opening it for changes requires the folder's lock.
///
/// The manifest (`books`) is the file `delivery`: what is settled, what is in flight, and the outcome of every event.
/// It is written before a segment is removed, so a crash in between leaves a file that it does not list, which the next
/// opening removes; events appended after it was written are scanned at the next opening. Costs a few dozen bytes of
/// memory per segment. Not thread-safe: the owner serializes access.
package struct RunFolder: Sendable {
    /// The path of the folder.
    package let path: String
    /// The segments, oldest first. Only the last one may still be appended to.
    package internal(set) var segments: [Segment] = []
    package internal(set) var ledger = Ledger()
    /// The time of the last foreground event.
    package internal(set) var lastActive: Timestamp?
    /// The last failure to write the manifest, or `nil`; the next change retries.
    package internal(set) var booksError: StoreError?
    /// The total size of all segment files in bytes.
    package internal(set) var storedBytes = 0
    package internal(set) var pendingEvents = 0
    /// The sequence number of the next record.
    package internal(set) var nextSequence = 1

    /// The number of consecutive batches of which a server rejected every part with 400. Stored in the manifest, so
    /// that the next process also tries other batch sizes.
    package internal(set) var wholeRefusals = 0

    /// The generation of the process that recorded to the folder: see ``PendingRange/isOlder(_:than:)``.
    var generation = 0
    var nextNumber = 1
    var nextBundleID = 1
    let files: any FileSystem
    package let books: StateFile
    /// The accounting as last written to the manifest.
    var savedLedger = Ledger()
    private let lock: (any FileLock)?
    let isDurable: Bool
    private var file: (any AppendableFile)?
    /// The time at which the open segment's file was last checked.
    private var lastLook = Timestamp(milliseconds: 0)
    /// The sequence number before which a failed rewrite of records without a file name is not repeated.
    private var rewritesFrom = 0
    /// True until it is decided if the last segment of an earlier process is appended to.
    private var continuesLast = true

    /// Creates the value of an empty folder; nothing is read.
    package init(_ files: any FileSystem, path: String, lock: (any FileLock)?, isDurable: Bool) {
        self.files = files
        self.path = path
        self.lock = lock
        self.isDurable = isDurable
        books = StateFile(files, path: path + "/delivery", kind: "clickstream-delivery", isDurable: isDurable)
    }

    func path(of segment: Segment) -> String { "\(path)/\(segment.name)" }

    // MARK: Appending

    /// The open segment, to which the next record is appended, or `nil`.
    var openSegment: Segment? { file == nil ? nil : segments.last }

    /// The open file, whose last bytes may not be on the physical disk yet.
    var openFile: (any AppendableFile)? { file }

    /// Appends one composed line: one file operation, and one more for the first line of a segment.
    /// - Parameter limit: the size from which a segment of an earlier process is not continued.
    mutating func append(
        _ line: UnsafeRawBufferPointer,
        isActive: Bool,
        timestamp: Timestamp,
        limit: Int
    ) throws(FileError) {
        if file == nil || (timestamp - lastLook).magnitude >= Self.lookInterval {
            lastLook = timestamp
            guard lock?.isHeld ?? true else { throw FileError(.lock, path, errno: FileError.closed) }
            try keepNamed(isDue: false)
            if file == nil { try openLast(below: limit - line.count) }
            if file == nil { try openNext() }
        }
        do throws(FileError) {
            try file?.append(line)
        } catch {
            // A limit on file size (`ulimit -f`): the next segment has room.
            guard error.errno == FileError.tooLarge, segments.last.map({ $0.bytes > 0 }) == true else { throw error }
            seal()
            if file == nil { try openNext() }
            try file?.append(line)
        }
        let last = segments.count - 1
        segments[last].bytes += line.count
        segments[last].endSequence += 1
        segments[last].extend(by: timestamp)
        nextSequence += 1
        storedBytes += line.count
        pendingEvents += 1
        ledger.recorded += 1
        if isActive { lastActive = timestamp }
    }

    /// Leaves the last segment of an earlier process as it is: the next event begins a segment.
    mutating func endLast() {
        continuesLast = false
    }

    /// Reopens the last segment of an earlier process, once, if it is small enough and its sequence is contiguous.
    private mutating func openLast(below limit: Int) throws(FileError) {
        guard continuesLast else { return }
        guard let last = segments.last, last.bytes <= limit, last.endSequence == nextSequence, endsALine(last) else {
            continuesLast = false
            return
        }
        let opened = try files.openAsOnlyWriter(path(of: last))
        continuesLast = false
        if opened.size == last.bytes { file = opened }
    }

    /// Returns true if the file ends with a line feed: otherwise damage to the last line would also affect the next
    /// record.
    private func endsALine(_ segment: Segment) -> Bool {
        guard segment.bytes > 0 else { return true }
        // If the byte is unreadable, the segment is not continued.
        return (try? files.read(path(of: segment), range: segment.bytes - 1..<segment.bytes)) == [UInt8(ascii: "\n")]
    }

    private mutating func openNext() throws(FileError) {
        var segment = Segment(number: nextNumber, sequence: nextSequence)
        var opened = try files.openAsOnlyWriter(path(of: segment))
        while opened.size != 0 {
            // Created by another program: the file is left untouched.
            segment.number += 1
            opened = try files.openAsOnlyWriter(path(of: segment))
        }
        nextNumber = segment.number + 1
        segments.append(segment)
        file = opened
    }

    /// Closes the open segment and writes the manifest, so that the next opening need not scan it.
    /// - Parameter isLast: true if the segment is closed even if its file has no name and cannot get one now. Otherwise
    ///   it stays open, and grows beyond its limit.
    mutating func seal(isLast: Bool = false) {
        do throws(FileError) {
            guard try keepNamed(isDue: isLast) || isLast else { return }
        } catch {
            booksError = StoreError(error)
            guard isLast else { return }
        }
        guard let file else { return }
        var failure: FileError?
        if isDurable {
            do {
                try file.synchronize()
            } catch {
                failure = error
            }
        }
        closeFile()
        // A segment without any record would precede the following ones as empty.
        if segments.last?.bytes == 0 { segments.removeLast() }
        saveBooks()
        if let failure { booksError = StoreError(failure) }
    }

    // MARK: File name of the open segment

    /// The interval in milliseconds between checks of the open segment's file, so that frequent events cost no system
    /// call each.
    private static let lookInterval: UInt64 = 20
    /// The number of events after which a failed rewrite is retried.
    private static let patience = 256

    /// Checks that the open segment's path still refers to its file, which fails if another program removed, renamed or
    /// replaced it. In that case the records are written to the path again from the open descriptor.
    ///
    /// The next process then finds them. Records that another program truncated are lost; the following ones keep their
    /// offsets.
    /// - Parameter isDue: true to retry immediately after a failure, false to retry only after some more events.
    /// - Returns: `false` if the file has no name and cannot get one now, for a reason that may be transient.
    /// - Throws: the disk's error if the folder cannot contain the file any more, or `EBADF` if the host closed the file's
    ///   descriptor. The records are still readable.
    @discardableResult
    mutating func keepNamed(isDue: Bool = true) throws(FileError) -> Bool {
        guard let file, let segment = segments.last, segment.bytes > 0 else { return true }
        do throws(FileError) {
            if try file.look().isNamed { return true }
        } catch {
            if error.errno == FileError.closed { throw error }
            // The state of the name is unknown: the next check may succeed.
            return true
        }
        guard isDue || nextSequence >= rewritesFrom else { return false }
        do throws(FileError) {
            try rewrite(segment)
            return true
        } catch {
            if error.meansLostPlace, !error.isLackOfDescriptors { throw error }
            booksError = StoreError(error)
            rewritesFrom = nextSequence + Self.patience
            return false
        }
    }

    private mutating func rewrite(_ segment: Segment) throws(FileError) {
        let path = path(of: segment)
        var bytes = [UInt8](repeating: 0, count: segment.bytes)
        var failure: FileError?
        bytes.withUnsafeMutableBytes { buffer in
            do throws(FileError) {
                _ = try SegmentSource(files, open: file).fill(buffer, from: 0, of: path)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        try files.replace(path, with: bytes, durably: isDurable)
        let opened = try files.openAsOnlyWriter(path)
        guard opened.size == segment.bytes else { throw FileError(.open, path, errno: FileError.broken) }
        file?.close()
        file = opened
        saveBooks()
    }

    /// Returns the source from which the bytes of a segment are read.
    func source(ofSegment number: Int) -> SegmentSource {
        SegmentSource(files, open: segments.last?.number == number ? file : nil)
    }

    private mutating func closeFile() {
        file?.close()
        file = nil
        continuesLast = false
    }

    // MARK: Delivery

    /// The range to send next, from the oldest segment: the exact range in flight, otherwise all pending events.
    var nextRange: QueueRange? {
        segments.first.flatMap { pendingRange(of: $0) }
    }

    /// The time of the oldest event in the segment of ``nextRange``.
    var nextOldest: Timestamp? { segments.first?.oldest }

    /// Returns the value that ``nextRange`` will have once `range` is settled, if nothing else changes until then.
    func nextRange(after range: QueueRange) -> QueueRange? {
        guard let place = place(of: range) else { return nil }
        var segment = segments[place]
        segment.consumed = range.to
        segment.nextSequence = range.endSequence
        segment.flight = nil
        return pendingRange(of: segment) ?? segments.dropFirst(place + 1).first.flatMap { pendingRange(of: $0) }
    }

    private func pendingRange(of segment: Segment) -> QueueRange? {
        guard segment.pendingBytes > 0 else { return nil }
        return QueueRange(
            run: path,
            segment: segment.number,
            from: segment.consumed,
            to: segment.flight?.to ?? segment.bytes,
            nextSequence: segment.nextSequence,
            endSequence: segment.flight?.endSequence ?? segment.endSequence,
            bundleID: segment.flight?.bundleID
        )
    }

    private func place(of range: QueueRange) -> Int? {
        segments.firstIndex { $0.number == range.segment && $0.consumed == range.from && $0.bytes >= range.to }
    }

    mutating func begin(_ range: QueueRange) -> Int? {
        guard let place = place(of: range) else { return nil }
        if let flight = segments[place].flight, flight.to == range.to { return flight.bundleID }
        let bundleID = nextBundleID
        nextBundleID += 1
        segments[place].flight = Segment.Flight(to: range.to, endSequence: range.endSequence, bundleID: bundleID)
        saveBooks()
        return bundleID
    }

    mutating func withdraw(_ range: QueueRange) {
        guard let place = place(of: range), segments[place].flight != nil else { return }
        segments[place].flight = nil
        saveBooks()
    }

    mutating func reserveBundleID() -> Int {
        let bundleID = nextBundleID
        nextBundleID += 1
        saveBooks()
        return bundleID
    }

    /// - Returns: the previous number.
    mutating func setWholeRefusals(_ count: Int) -> Int {
        let before = wholeRefusals
        wholeRefusals = count
        // A decrease follows a success, which writes the manifest.
        if count > before { saveBooks() }
        return before
    }

    /// Returns true if the range is still pending: neither evicted nor settled in part.
    func holds(_ range: QueueRange) -> Bool { place(of: range) != nil }

    /// - Returns: false if the range was no longer pending.
    mutating func acknowledge(_ range: QueueRange, setAside: Int) -> Bool {
        guard let place = place(of: range) else { return false }
        let settled = range.endSequence - segments[place].nextSequence
        ledger[.delivered] += settled - range.damaged - range.missing - setAside
        ledger[.damaged] += range.damaged
        ledger[.missing] += range.missing
        ledger[.setAside] += setAside
        pendingEvents -= settled
        segments[place].consumed = range.to
        segments[place].nextSequence = range.endSequence
        segments[place].flight = nil
        if segments[place].pendingBytes > 0 {
            saveBooks()
        } else {
            removeSegment(at: place, as: .damaged)
        }
        return true
    }

    /// Removes the oldest segment that is not in flight, unsent. With a `limit`, only one whose events are all older.
    /// - Returns: the number of removed events; `nil` if there is no such segment.
    mutating func evictOldest(_ reason: Ledger.Eviction, olderThan limit: Timestamp? = nil) -> Int? {
        guard let place = segments.firstIndex(where: { $0.flight == nil }) else { return nil }
        if let limit {
            guard let newest = segments[place].newest, newest < limit else { return nil }
        }
        let events = segments[place].pendingEvents
        removeSegment(at: place, as: Ledger.Outcome(reason))
        return events
    }

    /// Removes a segment and counts its pending events as `outcome`.
    private mutating func removeSegment(at place: Int, as outcome: Ledger.Outcome) {
        if place == segments.count - 1 { closeFile() }
        let segment = segments.remove(at: place)
        ledger[outcome] += segment.pendingEvents
        pendingEvents -= segment.pendingEvents
        storedBytes -= segment.bytes
        saveBooks()
        // Without an updated manifest the file is kept: the next opening would otherwise count its events as missing.
        if let booksError, !booksError.isFullDisk { return }
        do {
            try files.remove(path(of: segment))
            // After the removal, a disk that was full has room for the manifest.
            if booksError != nil { saveBooks() }
        } catch {
            booksError = StoreError(error)
        }
    }

    /// Removes a segment whose events were moved to another run folder, also from the accounting. The file stays, because a
    /// request with the events may be in progress.
    mutating func forget(_ reading: QueueReading) {
        guard let place = place(of: reading.range) else { return }
        if place == segments.count - 1 { closeFile() }
        let segment = segments.remove(at: place)
        pendingEvents -= segment.pendingEvents
        storedBytes -= segment.bytes
        ledger.recorded -= reading.records.count
        ledger[.damaged] += reading.range.damaged
        ledger[.missing] += reading.range.missing
    }

    /// Result of ``removeAll(as:)``.
    struct Removal {
        /// The number of pending events that were removed.
        var events: Int
        /// The paths of segment files that could not be removed. The manifest does not list them: they are not sent, and the
        /// next opening removes them.
        var left: [String] = []
        /// The first error of a removal.
        var error: FileError?
    }

    /// Removes all events, also those in flight, and counts the pending ones as `outcome`.
    ///
    /// Unlike an eviction, a manifest that cannot be written does not keep the files: the events must not be sent.
    /// - Throws: the first error, if neither the manifest could be written nor all files removed.
    mutating func removeAll(as outcome: Ledger.Outcome) throws(FileError) -> Removal {
        closeFile()
        var removal = Removal(events: pendingEvents)
        segments = []
        pendingEvents = 0
        storedBytes = 0
        ledger[outcome] += removal.events
        saveBooks()
        for name in try files.names(in: path) where Segment.number(in: name) != nil {
            do throws(FileError) {
                try files.remove("\(path)/\(name)")
            } catch {
                removal.left.append("\(path)/\(name)")
                removal.error = removal.error ?? error
            }
        }
        // After the removal, a disk that was full has room for the manifest.
        if booksError != nil { saveBooks() }
        if booksError != nil, let error = removal.error { throw error }
        return removal
    }

    /// The outcomes that the manifest does not contain, of events without a record.
    var unsavedOutcomes: Ledger { ledger.outcomesWithoutRecord(since: savedLedger) }

    /// Writes the manifest if the accounting has changed since it was last written.
    mutating func saveUnsavedBooks() {
        if ledger != savedLedger { saveBooks() }
    }

    /// Writes the manifest. An error is only stored, because memory has the same content and the server deduplicates
    /// events by id.
    mutating func saveBooks() {
        do {
            try books.save(encodedBooks)
            savedLedger = ledger
            booksError = nil
        } catch {
            booksError = error
        }
    }
}
