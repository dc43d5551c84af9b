/// Queue of all recorded events that are not settled yet: appended to this process's run folder, delivered from it and
/// from the folders of processes that have ended.
///
/// Not thread-safe: one owner, under a lock; a copy would write to the same files. Appending costs one file operation
/// and no allocation; all limits are checked in constant time. Reading happens outside the lock (``QueueReading``),
/// between ``nextRange``, ``begin(_:)`` and ``acknowledge(_:setAside:)``.
package struct EventQueue: Sendable {
    /// Number of events removed unsent, with the reason.
    package struct Eviction: Sendable, Equatable {
        package var reason: Notice.EvictionReason
        package var events: Int

        package init(reason: Notice.EvictionReason, events: Int) {
            self.reason = reason
            self.events = events
        }
    }

    /// The run folder of this process, the only one that is appended to.
    package internal(set) var own: RunFolder
    /// The run folders of ended processes, in order of adoption; each is released when it is empty.
    package private(set) var adopted: [RunFolder] = []
    package let limits: QueueLimits
    /// The maximum bytes of a segment, computed once.
    private let segmentBytes: Int
    /// True to deliver one run folder after the other; otherwise they are interleaved by the age of their segments.
    let isSequential: Bool
    /// The report on the content of this process's folder when it was opened.
    package let opening: OpeningReport

    /// The evictions since ``takeEvictions()``.
    package private(set) var evictions: [Eviction] = []
    /// Ranges that were in flight when their events were moved here from memory.
    var moved: [MovedRange] = []
    private var adoptedBytes = 0
    private var adoptedEvents = 0

    /// Opens the run folder of this process.
    /// - Parameter run: the folder, with its lock held (``StoreFolder/takeRun(after:)``).
    package init(
        _ files: any FileSystem,
        run: StoreFolder.Run,
        limits: QueueLimits,
        isSequential: Bool = false
    ) throws(StoreError) {
        self.isSequential = isSequential
        (own, opening) = try RunFolder.open(files, path: run.path, lock: run.lock, isDurable: limits.isDurable)
        if limits.shards != nil { own.endLast() }
        // In both cases the folder contains events of this process alone.
        let isOfThisProcess = limits.shards != nil || files is TransientFileSystem
        own.generation = isOfThisProcess ? .max : StoreFolder.generation(ofRun: run.number)
        self.limits = limits
        segmentBytes = limits.segmentBytes
    }

    /// Adopts the folder of an ended process. Nothing in it is moved: its manifest records the progress of delivery, so
    /// that a crash at any time leaves the folder intact, to be adopted by the next process.
    /// - Parameter run: the folder, with its lock held (``StoreFolder/adoptable(beside:)``).
    package mutating func adopt(_ files: any FileSystem, _ run: StoreFolder.Run) throws(StoreError) -> OpeningReport {
        let (opened, report) = try RunFolder.open(files, path: run.path, lock: run.lock, isDurable: limits.isDurable)
        guard !opened.isEmpty else { return report }
        var folder = opened
        folder.generation = StoreFolder.generation(ofRun: run.number)
        adopted.append(folder)
        if isSequential {
            adopted = adopted.orderedByNumber { $0.manifest.nextOldest?.milliseconds ?? .min }
        }
        recountAdopted()
        return report
    }

    private mutating func recountAdopted() {
        // A folder whose manifest could not be written is kept, since it would be delivered again.
        for index in adopted.indices where adopted[index].isEmpty && adopted[index].manifestError != nil {
            adopted[index].saveManifest()
        }
        adopted.removeAll { $0.isEmpty && $0.manifestError == nil }
        adoptedBytes = adopted.reduce(0) { $0 + $1.storedBytes }
        adoptedEvents = adopted.reduce(0) { $0 + $1.pendingEvents }
    }

    // MARK: Content

    package var pendingEvents: Int { own.pendingEvents + adoptedEvents }
    /// The total size of all segment files in bytes.
    package var storedBytes: Int { own.storedBytes + adoptedBytes }
    package var isEmpty: Bool { nextRange == nil }
    /// The time of the last foreground event in this process's folder.
    package var lastActive: Timestamp? { own.lastActive }
    /// Returns the run folder at `path`, if it is this process's or adopted.
    package func run(at path: String) -> RunFolder? {
        own.path == path ? own : adopted.first { $0.path == path }
    }
    /// The event accounting of this process's folder; ``StoreFolder/ledger()`` returns that of the whole store.
    package var ledger: Ledger { own.ledger }
    /// All run folders: the adopted ones in order of adoption, then that of this process.
    var folders: [RunFolder] { adopted + [own] }
    /// The time of the oldest pending event.
    var oldest: Timestamp? { folders.compactMap(\.manifest.nextOldest).min() }
    /// The last failure to write a manifest, or `nil`. Nothing is lost while the process lives; after a crash, events
    /// delivered since then are sent again with the same ids.
    package var manifestError: StoreError? {
        own.manifestError ?? adopted.lazy.compactMap(\.manifestError).first
    }
    /// The open segment's file; its `synchronize` makes appended events survive a loss of power. Call it outside the
    /// lock.
    package var fileToSynchronize: (any AppendableFile)? { own.openFile }

    // MARK: Appending

    /// Appends one event. On return it survives the death of the process.
    ///
    /// Evicts first if a limit requires it: see ``takeEvictions()``.
    /// - Parameters:
    ///   - line: contains one JSON text without a line feed.
    ///   - isActive: true if the event updates ``lastActive``.
    /// - Throws: the disk's error; the queue is then unchanged, and the next event may succeed. `EFBIG` for an event
    ///   larger than the store's limit.
    package mutating func append(
        _ line: inout EventLine,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        var failure: FileError?
        line.withRecord(sequence: own.nextSequence, isActive: isActive, timestamp: timestamp) { record in
            do throws(FileError) {
                try append(record: record, isActive: isActive, timestamp: timestamp)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Appends one event with a partition key.
    mutating func append(
        _ line: inout EventLine,
        partition: PartitionKey?,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        var failure: FileError?
        line.withRecord(
            sequence: own.nextSequence,
            isActive: isActive,
            timestamp: timestamp,
            partition: partition
        ) { record in
            do throws(FileError) {
                try append(record: record, isActive: isActive, timestamp: timestamp)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private mutating func append(
        record: UnsafeRawBufferPointer,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        guard record.count <= limits.maxBytes else { throw FileError(.append, own.path, errno: FileError.tooLarge) }
        freeCapacity(for: record.count, at: timestamp)
        rollIfDue(before: record.count, at: timestamp)
        try own.append(record, isActive: isActive, timestamp: timestamp, limit: segmentBytes)
    }

    private mutating func rollIfDue(before count: Int, at timestamp: Timestamp) {
        guard let segment = own.openSegment, segment.bytes > 0 else { return }
        if segment.bytes + count > segmentBytes { return own.seal() }
        if let maxEvents = limits.segmentEvents, segment.pendingEvents >= maxEvents { return own.seal() }
        if let age = limits.segmentAge, let oldest = segment.oldest, timestamp - oldest > age { own.seal() }
    }

    /// Counts events that never enter the queue.
    package mutating func count(_ outcome: EventOutcome, _ events: Int = 1) {
        own.manifest.ledger.recorded += events
        own.manifest.ledger[outcome] += events
    }

    /// Counts an event that a rule rejects.
    package mutating func countRejected(code: Int) {
        own.manifest.ledger.recorded += 1
        own.manifest.ledger.reject(code: code)
    }

    /// Adds event counts from another store: one in memory, or one whose folder no longer exists.
    package mutating func takeIn(_ ledger: Ledger) {
        guard ledger != Ledger() else { return }
        own.manifest.ledger += ledger
        own.saveManifest()
    }

    // MARK: Limits

    private mutating func freeCapacity(for count: Int, at now: Timestamp) {
        while storedBytes + count > limits.maxBytes, evictOldest(.bytes) {}
        if let maxEvents = limits.maxEvents {
            while pendingEvents + 1 > maxEvents, evictOldest(.count) {}
        }
        evictAged(at: now)
    }

    /// Evicts segments older than the age limit. Constant time if there are none.
    package mutating func evictAged(at now: Timestamp) {
        guard let age = limits.maxAge else { return }
        while evictOldest(.age, olderThan: now + -age) {}
    }

    /// Removes the oldest segment that is not in flight.
    private mutating func evictOldest(_ reason: Notice.EvictionReason, olderThan limit: Timestamp? = nil) -> Bool {
        var events: Int?
        for index in adopted.indices where events == nil {
            events = adopted[index].evictOldest(reason, olderThan: limit)
        }
        if events != nil {
            recountAdopted()
        } else {
            events = own.evictOldest(reason, olderThan: limit)
        }
        guard let events else { return false }
        if let index = evictions.firstIndex(where: { $0.reason == reason }) {
            evictions[index].events += events
        } else {
            evictions.append(Eviction(reason: reason, events: events))
        }
        return true
    }

    /// Removes the oldest segment that is not in flight, because the queues of the process together exceed a limit.
    /// - Returns: false if there is no such segment.
    mutating func evict(_ reason: Notice.EvictionReason) -> Bool {
        evictOldest(reason)
    }

    /// Removes every event that is not in flight, on request of the user. Returns the number of removed events.
    package mutating func purge() -> Int {
        var purged = 0
        while let events = own.evictOldest(.purge) { purged += events }
        for index in adopted.indices {
            while let events = adopted[index].evictOldest(.purge) { purged += events }
        }
        recountAdopted()
        return purged
    }

    /// Result of ``removeAll(at:as:)``.
    struct Removal {
        /// The number of removed events.
        var events = 0
        /// The paths of the emptied run folders.
        var done: [String] = []
        /// The paths of files in these that could not be removed; their events are not sent.
        var left: [String] = []
        /// The first error of each run folder.
        var errors: [FileError] = []
    }

    /// Removes the events of the run folders at these paths, also those in flight, and counts them as `outcome`.
    mutating func removeAll(at paths: (String) -> Bool, as outcome: EventOutcome) -> Removal {
        var removal = Removal()
        func empty(_ run: inout RunFolder) {
            guard paths(run.path) else { return }
            do throws(FileError) {
                let one = try run.removeAll(as: outcome)
                removal.events += one.events
                removal.done.append(run.path)
                removal.left += one.left
                if let error = one.error { removal.errors.append(error) }
            } catch {
                removal.errors.append(error)
            }
        }
        empty(&own)
        for index in adopted.indices { empty(&adopted[index]) }
        recountAdopted()
        if !moved.isEmpty { forgetSettledMoves() }
        return removal
    }

    /// Counts the outcome of middleware for one event.
    package mutating func count(_ outcome: MiddlewareOutcome) {
        if outcome.droppedBy != nil { own.manifest.ledger.recorded += 1 }
        own.manifest.ledger.count(outcome)
    }

    /// Returns and clears the evictions since the last call, to be reported to observers.
    package mutating func takeEvictions() -> [Eviction] {
        defer { evictions = [] }
        return evictions
    }

    // MARK: Delivery

    /// The range to send next, oldest first; `nil` if nothing is pending.
    ///
    /// A range with a `bundleID` was begun before and is read and sent unchanged. Any other is read in parts of one
    /// batch each (``QueueReading``).
    ///
    /// Unless the queue is sequential, run folders are interleaved in the order of ``PendingRange/isOlder(_:than:)``, because
    /// one process may have recorded to several.
    package var nextRange: QueueRange? { next?.range }

    /// ``nextRange`` with its source.
    package var next: PendingRange? {
        if isSequential { return folders.lazy.compactMap(\.next).first }
        return folders.compactMap(\.next).min(by: PendingRange.isOlder)
    }

    /// Returns the ranges behind `range` in all run folders, the oldest first: at most `count`, each once. If the range is in none
    /// of them, it begins with ``next``.
    package func ranges(behind range: QueueRange, count: Int) -> [PendingRange] {
        let lists = folders.map { run -> [PendingRange] in
            var found: [PendingRange] = []
            var next = run.next(behind: range)
            while found.count < count, let current = next {
                found.append(current)
                next = run.next(behind: current.range)
            }
            return found
        }
        return isSequential ? Array(lists.joined().prefix(count)) : PendingRange.merged(lists, count: count)
    }

    /// Records in the manifest that a range is about to be sent, and its bundle id; from now on the range is not
    /// evicted.
    ///
    /// After a crash, the same range is returned first, with the same id. Beginning a shorter range replaces it.
    /// - Returns: the bundle id, or `nil` if the range has been evicted.
    package mutating func begin(_ range: QueueRange) -> Int? {
        withRun(of: range) { $0.begin($1) } ?? nil
    }

    /// Removes the in-flight mark of a range: the server has stored nothing of it, and a different part may be sent.
    package mutating func withdraw(_ range: QueueRange) {
        _ = withRun(of: range) { $0.withdraw($1) }
    }

    /// Returns a bundle id for a part that is not at the start of the pending events, as when a rejected batch is
    /// bisected.
    package mutating func reserveBundleID(for range: QueueRange) -> Int? {
        withRun(of: range) { run, _ in run.reserveBundleID() }
    }

    /// Returns the number of consecutive batches of that run folder whose every part was rejected, including earlier
    /// processes.
    package func wholeRefusals(of range: QueueRange) -> Int {
        run(at: current(range).run)?.manifest.wholeRefusals ?? 0
    }

    /// Sets that number.
    /// - Returns: the previous number.
    package mutating func setWholeRefusals(_ count: Int, of range: QueueRange) -> Int {
        withRun(of: range) { run, _ in run.setWholeRefusals(count) } ?? 0
    }

    /// Settles a range: its events count as delivered, except `setAside` and those marked damaged or missing in the
    /// range.
    package mutating func acknowledge(_ range: QueueRange, setAside: Int = 0) {
        _ = withRun(of: range) { $0.acknowledge($1, setAside: setAside) }
        if !adopted.isEmpty { recountAdopted() }
        if !moved.isEmpty { forgetSettledMoves() }
    }

    /// Settles a range whose file no longer exists: all its events count as missing.
    package mutating func giveUp(_ range: QueueRange) {
        var range = range
        range.damaged = 0
        range.missing = range.events
        acknowledge(range)
    }

    /// Returns true if the range is still pending: neither evicted nor settled in part.
    package func holds(_ range: QueueRange) -> Bool {
        let range = current(range)
        return run(at: range.run)?.manifest.holds(range) ?? false
    }

    /// Returns the source from which the bytes of a range are read.
    package func source(of range: QueueRange) -> SegmentSource {
        movedSource(of: range) ?? (run(at: range.run) ?? own).source(ofSegment: range.segment)
    }

    /// Restores the file name of the open segment if another program removed or replaced the file: see
    /// ``RunFolder/keepNamed(isDue:)``.
    mutating func keepNamed() throws(FileError) {
        try own.keepNamed()
    }

    /// True if one of the run folders contains, or contained, the range.
    func contains(_ range: QueueRange) -> Bool {
        own.path == range.run || adopted.contains { $0.path == range.run }
    }

    /// Calls `body` with the run folder that contains a range, and the range as it is there.
    private mutating func withRun<Result>(
        of range: QueueRange,
        _ body: (inout RunFolder, QueueRange) -> Result
    ) -> Result? {
        let range = current(range)
        if own.path == range.run { return body(&own, range) }
        guard let index = adopted.firstIndex(where: { $0.path == range.run }) else { return nil }
        return body(&adopted[index], range)
    }

    /// Writes the manifest, so that the next opening needs no scan. Appending may continue afterwards.
    package mutating func close() {
        own.seal(isLast: true)
        own.saveUnsavedLedger()
        // Once more, since no later change does.
        if own.manifestError != nil { own.saveManifest() }
        for index in adopted.indices where adopted[index].manifestError != nil { adopted[index].saveManifest() }
    }
}
