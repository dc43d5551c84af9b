/// The segments and the books of one run folder. Whoever opens it for changes holds the folder's lock.
///
/// The books are the file `delivery`: what is settled, what is in flight, what became of every event. They are written
/// before a segment is removed, so that a crash in between leaves a file that they do not list, which the next opening
/// removes; what was appended after they were written is read again from there. Costs a few dozen bytes of memory a
/// segment. Not for two threads at once: its owner sees to that.
package struct RunFolder: Sendable {
    /// Where the folder is.
    package let path: String
    /// Oldest first. The last one may still be appended to.
    package internal(set) var segments: [Segment] = []
    package internal(set) var ledger = Ledger()
    /// The moment of the last event that was recorded in the foreground.
    package internal(set) var lastActive: Timestamp?
    /// Why the books could not be written lately; they are tried again with the next change.
    package internal(set) var booksError: StoreError?
    /// The bytes of all segment files.
    package internal(set) var storedBytes = 0
    package internal(set) var pendingEvents = 0
    /// The sequence number of the next record.
    package internal(set) var nextSequence = 1

    /// How often in a row a server refused every part of a batch with 400. In the books, so that the next process, too, tries
    /// batches of other sizes instead of the same one.
    package internal(set) var wholeRefusals = 0

    var nextNumber = 1
    var nextBundleID = 1
    let files: any FileSystem
    package let books: StateFile
    /// What the books on the disk say became of events.
    var savedLedger = Ledger()
    private let lock: (any FileLock)?
    private let isDurable: Bool
    private var file: (any AppendableFile)?
    /// When the open segment's file was last looked at.
    private var lastLook = Timestamp(milliseconds: 0)
    /// The sequence number before which records without a name are not written again, since that failed.
    private var rewritesFrom = 0
    /// Whether the last segment, found at the opening, may still be appended to.
    private var continuesLast = true

    /// An empty folder's, before anything is read.
    package init(_ files: any FileSystem, path: String, lock: (any FileLock)?, isDurable: Bool) {
        self.files = files
        self.path = path
        self.lock = lock
        self.isDurable = isDurable
        books = StateFile(files, path: path + "/delivery", kind: "clickstream-delivery", isDurable: isDurable)
    }

    func path(of segment: Segment) -> String {
        "\(path)/\(segment.name)"
    }

    // MARK: Appending

    /// The segment that the next record goes to, when it is one that is open already.
    var openSegment: Segment? { file == nil ? nil : segments.last }

    /// The file whose end may not have reached the disk itself yet.
    var openFile: (any AppendableFile)? { file }

    /// Appends one composed line: one file operation, and one more for the first line of a segment.
    /// - Parameter limit: the bytes past which a segment of an earlier process is not gone on with.
    mutating func append(
        _ line: UnsafeRawBufferPointer,
        isActive: Bool,
        timestamp: Timestamp,
        limit: Int
    ) throws(FileError) {
        if file == nil || (timestamp - lastLook).magnitude >= Self.lookInterval {
            lastLook = timestamp
            try keepNamed(isDue: false)
            if file == nil { try openLast(below: limit - line.count) }
            if file == nil { try openNext() }
        }
        do throws(FileError) {
            try file?.append(line)
        } catch {
            // A limit on the length of a file (`ulimit -f`): the next segment has room.
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

    /// Goes on with the last segment of an earlier process, once, if it is short and its sequence goes on too.
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

    /// Whether what is appended begins a line of its own: damage to the last line must not cost the next record too.
    private func endsALine(_ segment: Segment) -> Bool {
        guard segment.bytes > 0 else { return true }
        // Where that cannot be read nothing is appended.
        return (try? files.read(path(of: segment), range: segment.bytes - 1..<segment.bytes)) == [UInt8(ascii: "\n")]
    }

    private mutating func openNext() throws(FileError) {
        var segment = Segment(number: nextNumber, sequence: nextSequence)
        var opened = try files.openAsOnlyWriter(path(of: segment))
        while opened.size != 0 {
            // Another program put it there: nothing is known of it, so nothing is done to it.
            segment.number += 1
            opened = try files.openAsOnlyWriter(path(of: segment))
        }
        nextNumber = segment.number + 1
        segments.append(segment)
        file = opened
    }

    /// Ends the segment that is being appended to, and writes the books, so that it need not be read at the next opening.
    /// - Parameter isLast: whether the segment is ended even if its records have no name and cannot get one now. Otherwise it
    ///   stays open, and grows past its limit.
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
        // One that the disk never wrote to holds nothing, and would stand in front of those behind it.
        if segments.last?.bytes == 0 { segments.removeLast() }
        saveBooks()
        if let failure { booksError = StoreError(failure) }
    }

    // MARK: The name of the open segment

    /// Milliseconds between two looks at the open segment's file, so that recording many events costs no call for each.
    private static let lookInterval: UInt64 = 20
    /// Events after which a failed attempt to write records again is repeated.
    private static let patience = 256

    /// Looks whether the open segment's path still names its file, as it does unless another program removed, renamed or
    /// replaced that. If not, the records are written to the path again from the open descriptor.
    ///
    /// The next process then finds them. Records that another program cut off are gone; those behind them keep their places.
    /// - Parameter isDue: whether this is tried at once after it failed, and not after some more events.
    /// - Returns: `false` if the records have no name now, and cannot get one for a reason that may pass.
    /// - Throws: the disk's reason if the folder cannot hold the file any more. The records can still be read.
    @discardableResult
    mutating func keepNamed(isDue: Bool = true) throws(FileError) -> Bool {
        guard let file, let segment = segments.last, segment.bytes > 0 else { return true }
        do throws(FileError) {
            if try file.look().isNamed { return true }
        } catch {
            // Nothing is known of the name: the next look may succeed.
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

    /// Where the bytes of a segment are read from.
    func source(ofSegment number: Int) -> SegmentSource {
        SegmentSource(files, open: segments.last?.number == number ? file : nil)
    }

    private mutating func closeFile() {
        file?.close()
        file = nil
        continuesLast = false
    }

    // MARK: Delivery

    /// What can be sent next, from the oldest segment: what is in flight, exactly, or else all that stands there.
    var nextRange: QueueRange? {
        segments.first.flatMap { pendingRange(of: $0) }
    }

    /// The moment of the oldest event in the segment of ``nextRange``.
    var nextOldest: Timestamp? { segments.first?.oldest }

    /// The moment of the oldest event in the segment of ``nextRange(after:)``.
    func nextOldest(after range: QueueRange) -> Timestamp? {
        guard let next = nextRange(after: range) else { return nil }
        return segments.first { $0.number == next.segment }?.oldest
    }

    /// What ``nextRange`` will be once `range` is settled, if nothing else happens until then.
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

    /// - Returns: how many there were before.
    mutating func setWholeRefusals(_ count: Int) -> Int {
        let before = wholeRefusals
        wholeRefusals = count
        // Another size is tried after the next success anyway: that one writes the books.
        if count > before { saveBooks() }
        return before
    }

    /// True if the range is still pending: neither evicted nor settled in part.
    func holds(_ range: QueueRange) -> Bool { place(of: range) != nil }

    /// - Returns: whether the range was still there.
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

    /// Removes the oldest segment that is not in flight, unsent. With a `limit`, only one that is wholly older.
    /// - Returns: how many events that cost; `nil` when there is nothing to remove.
    mutating func evictOldest(_ reason: Ledger.Eviction, olderThan limit: Timestamp? = nil) -> Int? {
        guard let place = segments.firstIndex(where: { $0.flight == nil }) else { return nil }
        if let limit {
            guard let newest = segments[place].newest, newest < limit else { return nil }
        }
        let events = segments[place].pendingEvents
        removeSegment(at: place, as: Ledger.Outcome(reason))
        return events
    }

    /// Removes a segment; what is still pending in it comes to `outcome`.
    private mutating func removeSegment(at place: Int, as outcome: Ledger.Outcome) {
        if place == segments.count - 1 { closeFile() }
        let segment = segments.remove(at: place)
        ledger[outcome] += segment.pendingEvents
        pendingEvents -= segment.pendingEvents
        storedBytes -= segment.bytes
        saveBooks()
        // While the books cannot say so, the file stays: the next opening would miss its events without an account.
        if let booksError, !booksError.isFullDisk { return }
        do {
            try files.remove(path(of: segment))
            // A disk that was full has room for the books now.
            if booksError != nil { saveBooks() }
        } catch {
            booksError = StoreError(error)
        }
    }

    /// Writes the books where they count something that the disk does not know: what was refused, or lost, since.
    mutating func saveUnsavedBooks() {
        if ledger != savedLedger { saveBooks() }
    }

    /// Writes the books. Fails softly, because what they would say is known in memory and events are told apart by id.
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
