/// Manifest of a run folder: its segments with their delivery progress, the outcome of every event, and the next numbers.
///
/// A value without access to the disk: ``RunFolder`` writes it, and appends to and removes the files of its segments. Costs
/// a few dozen bytes of memory per segment. Every change keeps the invariant of ``Ledger``.
struct RunManifest: Sendable, Equatable {
    /// The path of the folder.
    let path: String
    /// The segments, oldest first. Only the last one may still be appended to.
    private(set) var segments: [Segment] = []
    /// The total size of all segment files in bytes.
    private(set) var storedBytes = 0
    private(set) var pendingEvents = 0
    var ledger = Ledger()
    /// The time of the last foreground event.
    var lastActive: Timestamp?
    /// The sequence number of the next record.
    var nextSequence = 1
    var nextNumber = 1
    var nextBundleID = 1
    /// The number of consecutive batches of which a server rejected every part with 400. Stored, so that the next process
    /// also tries other batch sizes.
    var wholeRefusals = 0

    init(path: String) {
        self.path = path
    }

    func path(of segment: Segment) -> String { "\(path)/\(segment.name)" }

    // MARK: Appending

    /// A segment without records, to be appended once its file exists.
    var newSegment: Segment { Segment(number: nextNumber, sequence: nextSequence) }

    /// Adds a segment and its pending events.
    mutating func append(_ segment: Segment) {
        segments.append(segment)
        storedBytes += segment.bytes
        pendingEvents += segment.pendingEvents
        ledger.recorded += segment.pendingEvents
        nextNumber = max(nextNumber, segment.number + 1)
        nextSequence = max(nextSequence, segment.endSequence)
    }

    /// Adds the record that was appended to the file of the last segment.
    @inline(__always)
    mutating func addRecord(bytes: Int, isActive: Bool, timestamp: Timestamp) {
        let last = segments.count - 1
        segments[last].bytes += bytes
        segments[last].endSequence += 1
        segments[last].extend(by: timestamp)
        nextSequence += 1
        storedBytes += bytes
        pendingEvents += 1
        ledger.recorded += 1
        if isActive { lastActive = timestamp }
    }

    /// Removes the last segment if it has no record: it would precede the following ones as empty.
    mutating func removeEmptyLast() {
        if segments.last?.bytes == 0 { segments.removeLast() }
    }

    // MARK: Ranges

    /// The range to send next, from the oldest segment: the exact range in flight, otherwise all pending events.
    var nextRange: QueueRange? {
        segments.first.flatMap { nextRange(of: $0) }
    }

    /// The time of the oldest event in the segment of ``nextRange``.
    var nextOldest: Timestamp? { segments.first?.oldest }

    /// Returns the value that ``nextRange`` will have once `range` is settled, if nothing else changes until then.
    func nextRange(after range: QueueRange) -> QueueRange? {
        guard let index = index(of: range) else { return nil }
        var segment = segments[index]
        segment.consumed = range.to
        segment.nextSequence = range.endSequence
        segment.flight = nil
        return nextRange(of: segment) ?? segments.dropFirst(index + 1).first.flatMap { nextRange(of: $0) }
    }

    private func nextRange(of segment: Segment) -> QueueRange? {
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

    /// All pending ranges, oldest first, including one that may be in flight.
    var pendingRanges: [QueueRange] {
        segments.compactMap { segment in
            var segment = segment
            segment.flight = nil
            return nextRange(of: segment)
        }
    }

    var pendingBytes: Int { segments.reduce(0) { $0 + $1.pendingBytes } }

    /// Returns true if a range is still pending: neither evicted nor settled in part.
    func holds(_ range: QueueRange) -> Bool { index(of: range) != nil }

    /// Returns the index of the segment whose pending events begin with a range; `nil` if the range is not pending.
    func index(of range: QueueRange) -> Int? {
        segments.firstIndex { $0.number == range.segment && $0.consumed == range.from && $0.bytes >= range.to }
    }

    // MARK: Delivery

    /// Marks a range as in flight, in place of a longer one that begins with it.
    /// - Returns: its bundle id, and true unless the same range was in flight before; `nil` if it is not pending.
    mutating func begin(_ range: QueueRange) -> (bundleID: Int, isNew: Bool)? {
        guard let index = index(of: range) else { return nil }
        if let flight = segments[index].flight, flight.to == range.to { return (flight.bundleID, false) }
        let bundleID = takeBundleID()
        segments[index].flight = Segment.Flight(to: range.to, endSequence: range.endSequence, bundleID: bundleID)
        return (bundleID, true)
    }

    /// Returns the next bundle id, once.
    mutating func takeBundleID() -> Int {
        defer { nextBundleID += 1 }
        return nextBundleID
    }

    /// Removes the mark of a range in flight.
    /// - Returns: false if it is not in flight.
    mutating func withdraw(_ range: QueueRange) -> Bool {
        guard let index = index(of: range), segments[index].flight != nil else { return false }
        segments[index].flight = nil
        return true
    }

    /// Removes the marks of all ranges in flight.
    mutating func withdrawAll() {
        for index in segments.indices { segments[index].flight = nil }
    }

    /// Counts the outcomes of a range.
    /// - Returns: the index of its segment, which may have no pending events left; `nil` if the range is not pending.
    mutating func settle(_ range: QueueRange, setAside: Int) -> Int? {
        guard let index = index(of: range) else { return nil }
        let settled = range.endSequence - segments[index].nextSequence
        ledger[.delivered] += settled - range.damaged - range.missing - setAside
        ledger[.damaged] += range.damaged
        ledger[.missing] += range.missing
        ledger[.setAside] += setAside
        pendingEvents -= settled
        segments[index].consumed = range.to
        segments[index].nextSequence = range.endSequence
        segments[index].flight = nil
        return index
    }

    // MARK: Removal

    /// Returns the index of the oldest segment that is not in flight. With a `limit`, only of one whose events are all older.
    func indexOfOldest(olderThan limit: Timestamp?) -> Int? {
        guard let index = segments.firstIndex(where: { $0.flight == nil }) else { return nil }
        guard let limit else { return index }
        guard let newest = segments[index].newest, newest < limit else { return nil }
        return index
    }

    /// Removes a segment, and counts its pending events as `outcome`.
    mutating func remove(at index: Int, as outcome: EventOutcome) -> Segment {
        let segment = removeSegment(at: index)
        ledger[outcome] += segment.pendingEvents
        return segment
    }

    /// Removes all segments, and counts their pending events as `outcome`.
    /// - Returns: the number of these events.
    mutating func removeAll(as outcome: EventOutcome) -> Int {
        let events = pendingEvents
        ledger[outcome] += events
        (segments, storedBytes, pendingEvents) = ([], 0, 0)
        return events
    }

    /// Removes a segment whose events were moved to another run folder, also from the accounting.
    mutating func forget(_ reading: QueueReading, at index: Int) {
        _ = removeSegment(at: index)
        ledger.recorded -= reading.records.count
        ledger[.damaged] += reading.range.damaged
        ledger[.missing] += reading.range.missing
    }

    private mutating func removeSegment(at index: Int) -> Segment {
        let segment = segments.remove(at: index)
        pendingEvents -= segment.pendingEvents
        storedBytes -= segment.bytes
        return segment
    }

    /// Counts damaged records that were removed from the file of a segment, which keeps `events` pending ones in `bytes`.
    mutating func dropDamaged(at index: Int, keeping events: Int, bytes: Int) {
        let damaged = segments[index].pendingEvents - events
        storedBytes += bytes - segments[index].bytes
        pendingEvents -= damaged
        ledger[.damaged] += damaged
        segments[index].bytes = bytes
        segments[index].endSequence = segments[index].nextSequence + events
        segments[index].flight = nil
    }
}
