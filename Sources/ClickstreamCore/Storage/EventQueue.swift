/// The most that a store may hold, and when the queue begins a new segment.
package struct QueueLimits: Sendable, Equatable {
    package var maxBytes: Int
    package var maxEvents: Int?
    /// In milliseconds.
    package var maxAge: Int64?
    /// Whether appended events must survive a loss of power: see ``EventQueue/fileToSynchronize``.
    package var isDurable: Bool

    package init(maxBytes: Int = 52_428_800, maxEvents: Int? = nil, maxAge: Int64? = nil, isDurable: Bool = false) {
        self.maxBytes = maxBytes
        self.maxEvents = maxEvents
        self.maxAge = maxAge
        self.isDurable = isDurable
    }

    /// What is kept in memory while no folder can be used: at most 1 000 events of 1 MiB, less where the store may hold less.
    package var inMemory: QueueLimits {
        QueueLimits(
            maxBytes: min(maxBytes, 1_048_576),
            maxEvents: min(maxEvents ?? .max, 1_000),
            maxAge: maxAge
        )
    }

    package init(_ configuration: Configuration) {
        self.init(
            maxBytes: configuration.maxStoreBytes,
            maxEvents: configuration.maxStoreEvents,
            maxAge: configuration.maxEventAge,
            isDurable: configuration.durability == .power
        )
    }

    /// Whole segments are evicted, so that one holds a sixteenth of what the store may, and 4 MiB at most.
    var segmentBytes: Int { max(1, min(4_194_304, maxBytes / 16)) }
    var segmentEvents: Int? { maxEvents.map { max(1, $0 / 16) } }
    var segmentAge: Int64? { maxAge.map { max(1, $0 / 16) } }
}

/// Every event that was recorded and is not yet settled: appended to our own run folder, delivered from there and from
/// the folders of processes that are gone.
///
/// One owner, under a lock; a copy would write to the same files. Appending costs one file operation and no allocation; every cap is checked in constant time.
/// Reading happens elsewhere (``QueueReading``), between ``nextRange``, ``begin(_:)`` and ``acknowledge(_:setAside:)``.
package struct EventQueue: Sendable {
    /// Events that were removed unsent.
    package struct Eviction: Sendable, Equatable {
        package var reason: Ledger.Eviction
        package var events: Int

        package init(reason: Ledger.Eviction, events: Int) {
            self.reason = reason
            self.events = events
        }
    }

    /// Our own folder, the only one that is appended to.
    package private(set) var own: RunFolder
    /// The folders of processes that are gone, oldest adoption first; each is let go of when nothing is left in it.
    package private(set) var adopted: [RunFolder] = []
    package let limits: QueueLimits
    /// What stood in our own folder when it was opened.
    package let opening: OpeningReport

    /// What was evicted since ``takeEvictions()``.
    package private(set) var evictions: [Eviction] = []
    private var adoptedBytes = 0
    private var adoptedEvents = 0

    /// Opens our own run folder.
    /// - Parameter run: the folder, with its lock held (``StoreFolder/takeRun()``).
    package init(_ files: any FileSystem, run: StoreFolder.Run, limits: QueueLimits) throws(StoreError) {
        (own, opening) = try RunFolder.open(files, path: run.path, lock: run.lock, isDurable: limits.isDurable)
        self.limits = limits
    }

    /// Takes over the folder of a process that is gone. Nothing in it is moved: its books say how far it was delivered,
    /// so that a crash at any time leaves it as it was, to be adopted by the next.
    /// - Parameter run: the folder, with its lock held (``StoreFolder/adoptable()``).
    package mutating func adopt(_ files: any FileSystem, _ run: StoreFolder.Run) throws(StoreError) -> OpeningReport {
        let (folder, report) = try RunFolder.open(files, path: run.path, lock: run.lock, isDurable: limits.isDurable)
        guard folder.nextRange != nil else { return report }
        adopted.append(folder)
        recountAdopted()
        return report
    }

    private mutating func recountAdopted() {
        adopted.removeAll { $0.nextRange == nil }
        adoptedBytes = adopted.reduce(0) { $0 + $1.storedBytes }
        adoptedEvents = adopted.reduce(0) { $0 + $1.pendingEvents }
    }

    // MARK: What stands in it

    package var pendingEvents: Int { own.pendingEvents + adoptedEvents }
    /// The bytes of all segment files.
    package var storedBytes: Int { own.storedBytes + adoptedBytes }
    package var isEmpty: Bool { nextRange == nil }
    /// The moment of the last event that was recorded in the foreground in our own folder.
    package var lastActive: Timestamp? { own.lastActive }
    /// The run folder at `path`, when it is ours or adopted.
    package func run(at path: String) -> RunFolder? {
        own.path == path ? own : adopted.first { $0.path == path }
    }
    /// The books of our own folder; those of the whole store are ``StoreFolder/ledger()``.
    package var ledger: Ledger { own.ledger }
    /// Why the books could not be written lately. Nothing is lost by it as long as the process lives; after a crash, what
    /// was delivered since is sent again with the same ids.
    package var booksError: StoreError? {
        own.booksError ?? adopted.lazy.compactMap(\.booksError).first
    }
    /// The file whose `synchronize` makes what was appended survive a loss of power; to be called outside the lock.
    package var fileToSynchronize: (any AppendableFile)? { own.openFile }

    // MARK: Appending

    /// Appends one event. When this returns it survives the death of the process.
    ///
    /// Makes room first where a cap asks for it: see ``takeEvictions()``.
    /// - Parameters:
    ///   - line: holds one JSON text without a line feed.
    ///   - isActive: whether the event moves ``lastActive``.
    /// - Throws: the disk's reason; the queue is then as it was, and the next event may well succeed. `EFBIG` for an event
    ///   that is larger than the store may be.
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

    private mutating func append(
        record: UnsafeRawBufferPointer,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        guard record.count <= limits.maxBytes else { throw FileError(.append, own.path, errno: FileError.tooLarge) }
        makeRoom(for: record.count, at: timestamp)
        rollIfDue(before: record.count, at: timestamp)
        try own.append(record, isActive: isActive, timestamp: timestamp, limit: limits.segmentBytes)
    }

    private mutating func rollIfDue(before count: Int, at timestamp: Timestamp) {
        guard let segment = own.openSegment, segment.bytes > 0 else { return }
        if segment.bytes + count > limits.segmentBytes { return own.seal() }
        if let most = limits.segmentEvents, segment.pendingEvents >= most { return own.seal() }
        if let age = limits.segmentAge, let oldest = segment.oldest, timestamp - oldest > age { own.seal() }
    }

    /// Counts an event that never comes to the queue.
    package mutating func count(_ outcome: Ledger.Outcome) {
        own.ledger.recorded += 1
        own.ledger[outcome] += 1
    }

    /// Counts an event that a rule refuses.
    package mutating func countRejected(code: Int) {
        own.ledger.recorded += 1
        own.ledger.reject(code: code)
    }

    /// Takes over books that were kept elsewhere: in memory, or in a folder that is gone.
    package mutating func takeIn(_ ledger: Ledger) {
        guard ledger != Ledger() else { return }
        own.ledger += ledger
        own.saveBooks()
    }

    // MARK: Caps

    private mutating func makeRoom(for count: Int, at now: Timestamp) {
        while storedBytes + count > limits.maxBytes, evictOldest(.bytes) {}
        if let most = limits.maxEvents {
            while pendingEvents + 1 > most, evictOldest(.count) {}
        }
        evictAged(at: now)
    }

    /// Removes what is older than the cap on age. Constant time when nothing is.
    package mutating func evictAged(at now: Timestamp) {
        guard let age = limits.maxAge else { return }
        while evictOldest(.age, olderThan: now + -age) {}
    }

    /// Removes the oldest segment that is not in flight.
    private mutating func evictOldest(_ reason: Ledger.Eviction, olderThan limit: Timestamp? = nil) -> Bool {
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

    /// Removes its oldest segment that is not in flight, because all queues of the process hold too much together.
    /// - Returns: whether there was one.
    mutating func evict(_ reason: Ledger.Eviction) -> Bool {
        evictOldest(reason)
    }

    /// Removes every event that is not in flight, as a person asked.
    package mutating func purge() -> Int {
        var purged = 0
        while let events = own.evictOldest(.purge) { purged += events }
        for index in adopted.indices {
            while let events = adopted[index].evictOldest(.purge) { purged += events }
        }
        recountAdopted()
        return purged
    }

    /// What was evicted since the last call, to be told to the observer.
    package mutating func takeEvictions() -> [Eviction] {
        defer { evictions = [] }
        return evictions
    }

    // MARK: Delivery

    /// What to send next, oldest first; `nil` when nothing is pending.
    ///
    /// A range with a `bundleID` was begun before and is read, and sent, just so. Any other is read in parts: as far as a
    /// batch goes (``QueueReading``).
    ///
    /// Run folders take turns by the age of their next segments: one process may have recorded to several.
    package var nextRange: QueueRange? {
        Self.oldest((adopted + [own]).map { ($0.nextRange, $0.nextOldest) })
    }

    /// The range of the oldest segment; of equally old ones the first.
    private static func oldest(_ ranges: [(range: QueueRange?, oldest: Timestamp?)]) -> QueueRange? {
        // A segment without any timestamp holds damaged records alone.
        ranges.filter { $0.range != nil }.min { ($0.oldest?.milliseconds ?? .min) < ($1.oldest?.milliseconds ?? .min) }?
            .range
    }

    /// What ``nextRange`` will be once `range` is settled, if nothing else happens until then.
    package func nextRange(after range: QueueRange) -> QueueRange? {
        let runs = adopted + [own]
        guard let place = runs.firstIndex(where: { $0.path == range.run }) else { return nil }
        return Self.oldest(
            runs.indices.map { index in
                index == place
                    ? (runs[index].nextRange(after: range), runs[index].nextOldest(after: range))
                    : (runs[index].nextRange, runs[index].nextOldest)
            }
        )
    }

    /// Writes down that a range is about to be sent, and under which bundle id; from here on it is not evicted.
    ///
    /// A crash later, the same range comes first again, with the same id. Beginning a shorter one takes its place.
    /// - Returns: the bundle id; `nil` when the range was evicted in the meantime.
    package mutating func begin(_ range: QueueRange) -> Int? {
        withRun(of: range) { $0.begin(range) } ?? nil
    }

    /// Forgets that a range was about to be sent: the server said that it has nothing of it, and another part may be tried.
    package mutating func withdraw(_ range: QueueRange) {
        _ = withRun(of: range) { $0.withdraw(range) }
    }

    /// A bundle id for a part that is not the beginning of what is pending, as when a refused batch is bisected.
    package mutating func reserveBundleID(for range: QueueRange) -> Int? {
        withRun(of: range) { $0.reserveBundleID() }
    }

    /// How often in a row every part of a batch of that run folder was refused: also by what earlier processes saw.
    package func wholeRefusals(of range: QueueRange) -> Int {
        run(at: range.run)?.wholeRefusals ?? 0
    }

    /// Writes that down.
    /// - Returns: how often it was before.
    package mutating func setWholeRefusals(_ count: Int, of range: QueueRange) -> Int {
        withRun(of: range) { $0.setWholeRefusals(count) } ?? 0
    }

    /// Settles a range: everything in it was delivered, except what is said here or could not be read.
    package mutating func acknowledge(_ range: QueueRange, setAside: Int = 0) {
        _ = withRun(of: range) { $0.acknowledge(range, setAside: setAside) }
        if !adopted.isEmpty { recountAdopted() }
    }

    /// Settles a range whose file is gone: all its events count as missing.
    package mutating func giveUp(_ range: QueueRange) {
        var range = range
        range.damaged = 0
        range.missing = range.events
        acknowledge(range)
    }

    /// True if the range is still pending: neither evicted nor settled in part.
    package func holds(_ range: QueueRange) -> Bool {
        run(at: range.run)?.holds(range) ?? false
    }

    /// Where the bytes of a range are read from.
    package func source(of range: QueueRange) -> SegmentSource {
        (run(at: range.run) ?? own).source(ofSegment: range.segment)
    }

    /// Gives the open segment's records a name again if another program took it: see ``RunFolder/keepNamed(at:)``.
    mutating func keepNamed() throws(FileError) {
        try own.keepNamed()
    }

    private mutating func withRun<Result>(of range: QueueRange, _ body: (inout RunFolder) -> Result) -> Result? {
        if own.path == range.run { return body(&own) }
        guard let index = adopted.firstIndex(where: { $0.path == range.run }) else { return nil }
        return body(&adopted[index])
    }

    /// Writes the books, so that the next opening reads nothing twice. Appending may go on afterwards.
    package mutating func close() {
        own.seal(isLast: true)
        own.saveUnsavedBooks()
    }
}
