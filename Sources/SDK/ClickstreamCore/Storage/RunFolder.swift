/// Segment files and manifest of one run folder. Opening it for changes requires the folder's lock.
///
/// The manifest is the file `delivery`. It is written before a segment is removed, so a crash in between leaves a file that
/// it does not list, which the next opening removes; events appended after it was written are scanned at the next opening
/// (``RunRecovery``). Not thread-safe: the owner serializes access.
package struct RunFolder: Sendable {
    /// The content of the manifest, including changes that are not written yet.
    var manifest: RunManifest
    package let manifestFile: StateFile
    /// The last failure to write the manifest, or `nil`; the next change retries.
    package private(set) var manifestError: StoreError?
    /// The accounting as last written to the manifest.
    private var savedLedger: Ledger
    /// The generation of the process that recorded to the folder: see ``PendingRange/isOlder(_:than:)``.
    var generation = 0
    let files: any FileSystem
    private let lock: (any FileLock)?
    let isDurable: Bool
    /// The open file of the last segment.
    private var file: (any AppendableFile)?
    /// The time at which the open segment's file was last checked.
    private var lastCheck = Timestamp(milliseconds: 0)
    /// The sequence number before which a failed rewrite of records without a file name is not repeated.
    private var rewritesFrom = 0
    /// True until it is decided if the last segment of an earlier process is appended to.
    private var continuesLast = true

    /// - Parameter manifest: the manifest that agrees with the segment files: see ``RunRecovery``.
    init(
        _ files: any FileSystem,
        _ manifest: RunManifest,
        in manifestFile: StateFile,
        lock: (any FileLock)?,
        isDurable: Bool
    ) {
        self.files = files
        self.manifest = manifest
        self.manifestFile = manifestFile
        self.lock = lock
        self.isDurable = isDurable
        savedLedger = manifest.ledger
    }

    // MARK: Content

    /// The path of the folder.
    package var path: String { manifest.path }
    package var segments: [Segment] { manifest.segments }
    package var ledger: Ledger { manifest.ledger }
    package var storedBytes: Int { manifest.storedBytes }
    package var pendingEvents: Int { manifest.pendingEvents }
    /// True if nothing is pending.
    var isEmpty: Bool { manifest.nextRange == nil }
    package var pendingBytes: Int { manifest.pendingBytes }
    package var pendingRanges: [QueueRange] { manifest.pendingRanges }
    /// The sequence number of the next record.
    package var nextSequence: Int { manifest.nextSequence }
    /// The time of the last foreground event.
    package var lastActive: Timestamp? { manifest.lastActive }

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
        if file == nil || (timestamp - lastCheck).magnitude >= Self.checkInterval {
            lastCheck = timestamp
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
        manifest.addRecord(bytes: line.count, isActive: isActive, timestamp: timestamp)
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
        let opened = try files.openAsOnlyWriter(manifest.path(of: last))
        continuesLast = false
        if opened.size == last.bytes { file = opened }
    }

    /// Returns true if the file ends with a line feed: otherwise damage to the last line would also affect the next
    /// record.
    private func endsALine(_ segment: Segment) -> Bool {
        guard segment.bytes > 0 else { return true }
        // If the byte is unreadable, the segment is not continued.
        let last = try? files.read(manifest.path(of: segment), range: segment.bytes - 1..<segment.bytes)
        return last == [UInt8(ascii: "\n")]
    }

    private mutating func openNext() throws(FileError) {
        var segment = manifest.newSegment
        var opened = try files.openAsOnlyWriter(manifest.path(of: segment))
        while opened.size != 0 {
            // Created by another program: the file is left untouched.
            segment.number += 1
            opened = try files.openAsOnlyWriter(manifest.path(of: segment))
        }
        manifest.append(segment)
        file = opened
    }

    /// Closes the open segment and writes the manifest, so that the next opening need not scan it.
    /// - Parameter isLast: true if the segment is closed even if its file has no name and cannot get one now. Otherwise
    ///   it stays open, and grows beyond its limit.
    mutating func seal(isLast: Bool = false) {
        do throws(FileError) {
            guard try keepNamed(isDue: isLast) || isLast else { return }
        } catch {
            manifestError = StoreError(error)
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
        manifest.removeEmptyLast()
        saveManifest()
        if let failure { manifestError = StoreError(failure) }
    }

    // MARK: File name of the open segment

    /// The interval in milliseconds between checks of the open segment's file, so that frequent events cost no system
    /// call each.
    private static let checkInterval: UInt64 = 20
    /// The number of events after which a failed rewrite is retried.
    private static let eventsBeforeRetry = 256

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
            if try file.status().isNamed { return true }
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
            if error.meansLostLocation, !error.isLackOfDescriptors { throw error }
            manifestError = StoreError(error)
            rewritesFrom = nextSequence + Self.eventsBeforeRetry
            return false
        }
    }

    private mutating func rewrite(_ segment: Segment) throws(FileError) {
        let path = manifest.path(of: segment)
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
        saveManifest()
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

    /// Marks a range as in flight, also in the manifest on the disk.
    /// - Returns: its bundle id; `nil` if it is not pending.
    mutating func begin(_ range: QueueRange) -> Int? {
        guard let (bundleID, isNew) = manifest.begin(range) else { return nil }
        if isNew { saveManifest() }
        return bundleID
    }

    mutating func withdraw(_ range: QueueRange) {
        if manifest.withdraw(range) { saveManifest() }
    }

    mutating func reserveBundleID() -> Int {
        let bundleID = manifest.takeBundleID()
        saveManifest()
        return bundleID
    }

    /// - Returns: the previous number.
    mutating func setWholeRefusals(_ count: Int) -> Int {
        let before = manifest.wholeRefusals
        manifest.wholeRefusals = count
        // A decrease follows a success, which writes the manifest.
        if count > before { saveManifest() }
        return before
    }

    /// - Returns: false if the range was no longer pending.
    mutating func acknowledge(_ range: QueueRange, setAside: Int) -> Bool {
        guard let index = manifest.settle(range, setAside: setAside) else { return false }
        if segments[index].pendingBytes > 0 {
            saveManifest()
        } else {
            removeSegment(at: index, as: .damaged)
        }
        return true
    }

    /// Removes the oldest segment that is not in flight, unsent. With a `limit`, only one whose events are all older.
    /// - Returns: the number of removed events; `nil` if there is no such segment.
    mutating func evictOldest(_ reason: Notice.EvictionReason, olderThan limit: Timestamp? = nil) -> Int? {
        guard let index = manifest.indexOfOldest(olderThan: limit) else { return nil }
        let events = segments[index].pendingEvents
        removeSegment(at: index, as: EventOutcome(reason))
        return events
    }

    /// Removes a segment and counts its pending events as `outcome`.
    private mutating func removeSegment(at index: Int, as outcome: EventOutcome) {
        if index == segments.count - 1 { closeFile() }
        let segment = manifest.remove(at: index, as: outcome)
        saveManifest()
        // Without an updated manifest the file is kept: the next opening would otherwise count its events as missing.
        if let manifestError, !manifestError.isFullDisk { return }
        do {
            try files.remove(manifest.path(of: segment))
            // After the removal, a disk that was full has room for the manifest.
            if manifestError != nil { saveManifest() }
        } catch {
            manifestError = StoreError(error)
        }
    }

    /// Removes a segment whose events were moved to another run folder, also from the accounting. The file stays, because a
    /// request with the events may be in progress.
    mutating func forget(_ reading: QueueReading) {
        guard let index = manifest.index(of: reading.range) else { return }
        if index == segments.count - 1 { closeFile() }
        manifest.forget(reading, at: index)
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
    mutating func removeAll(as outcome: EventOutcome) throws(FileError) -> Removal {
        closeFile()
        var removal = Removal(events: manifest.removeAll(as: outcome))
        saveManifest()
        for name in try files.names(in: path) where Segment.number(in: name) != nil {
            do throws(FileError) {
                try files.remove("\(path)/\(name)")
            } catch {
                removal.left.append("\(path)/\(name)")
                removal.error = removal.error ?? error
            }
        }
        // After the removal, a disk that was full has room for the manifest.
        if manifestError != nil { saveManifest() }
        if manifestError != nil, let error = removal.error { throw error }
        return removal
    }

    // MARK: Manifest

    /// The outcomes that the manifest does not contain, of events without a record.
    var unsavedOutcomes: Ledger { ledger.outcomesWithoutRecord(since: savedLedger) }

    /// Writes the manifest if the accounting has changed since it was last written.
    mutating func saveUnsavedLedger() {
        if ledger != savedLedger { saveManifest() }
    }

    /// Writes the manifest. An error is only stored, because memory has the same content and the server deduplicates
    /// events by id.
    mutating func saveManifest() {
        do {
            try manifestFile.save(manifest.text)
            savedLedger = ledger
            manifestError = nil
        } catch {
            manifestError = error
        }
    }
}
