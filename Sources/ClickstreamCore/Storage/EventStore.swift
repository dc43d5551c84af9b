/// Everything that one client keeps on disk: its queue, its state, what a crash left, and what is still to be delivered to
/// where it sent before.
///
/// One owner, under a lock. See Docs/architecture.md for the folder.
package struct EventStore: ~Copyable {
    let files: any FileSystem
    private let root: String
    private let limits: QueueLimits
    let folder: StoreFolder
    /// What is recorded goes here.
    var current: DestinationQueue
    /// What was recorded for other destinations, or elsewhere, until it is delivered.
    var former: [DestinationQueue] = []
    var sessionLock: (any FileLock)?
    /// Where the store should be, while it is in memory.
    var home: Place?
    /// Whether it goes to memory while the disk cannot be used.
    var goesToMemory = false
    /// When the store was last looked for on the disk.
    var lastReturn: Timestamp?
    /// The right to deliver, while any delivery of ours uses it.
    private weak var uploadLock: (any FileLock)?
    /// Whether no other process has a session.
    package let isAlone: Bool
    /// The numbers of our first run folder and of those we adopted.
    private let runs: [Int]
    /// Whether calls still reach the disk: not once the client has ended.
    package private(set) var isOpen = true
    /// Events that came after the end and stand in no books.
    private var lateCalls = 0
    private var countsLateCalls = true
    var shared: SharedState
    /// The number of our run folder.
    package private(set) var run: Int
    /// The sessions of processes that live.
    package let livingSessions: [StoredSession]
    /// The sessions of processes that are gone, as their run folders say they ended.
    package let pastSessions: [StoredSession]
    var findings: [Notice]

    /// Opens the store, takes a run folder, and adopts those of processes that are gone.
    /// - Parameter launches: whether to take a session's lock, and to keep the state's lock until ``endChange()``; for a
    ///   launch, which decides from what it finds.
    ///   - last: the number of the run folder that the caller recorded to before; see ``StoreFolder/takeRun(after:)``.
    package init(
        files: any FileSystem,
        root: String,
        destination: Destination,
        limits: QueueLimits,
        launches: Bool = false,
        queueID: Int = 1,
        runAfter last: Int? = nil
    ) throws(StoreError) {
        let folder = try StoreFolder(files, root: root, appID: destination.appID, isDurable: limits.isDurable)
        var shared = SharedState(folder)
        var findings = try shared.begin()
        let run = try folder.takeRun(after: last)
        var locks = [run.lock]
        var runs = [run.number]
        var queue = try EventQueue(files, run: run, limits: limits)
        findings += Self.notices(of: queue.opening)
        let livingRuns: [Int]
        let sessionLock: (any FileLock)?
        do {
            sessionLock = launches ? try folder.lockSession(ofRun: run.number) : nil
            livingRuns = try folder.runsInSession(except: run.number)
        } catch {
            throw StoreError(error)
        }
        for run in try folder.adoptable() {
            findings += Self.notices(of: try queue.adopt(files, run))
            locks.append(run.lock)
            runs.append(run.number)
        }
        let sessions = shared.current?.sessions ?? []
        let living = sessions.filter { livingRuns.contains($0.run) }
        var past = sessions.filter { !livingRuns.contains($0.run) }
        for index in past.indices {
            let path = folder.path(ofRun: past[index].run)
            var run = queue.run(at: path)
            if run == nil { run = try RunFolder.found(files, path: path) }
            past[index].settle(lastActive: run?.lastActive, nextSequence: run?.nextSequence ?? 1)
        }
        if !launches { shared.end() }
        livingSessions = living
        pastSessions = past
        isAlone = livingRuns.isEmpty
        self.files = files
        self.root = root
        self.limits = limits
        self.run = run.number
        self.runs = runs
        self.folder = folder
        self.sessionLock = sessionLock
        current = DestinationQueue(id: queueID, destination: destination, folder: folder, queue: queue, locks: locks)
        self.shared = shared
        self.findings = findings
    }

    private static func notices(of report: OpeningReport) -> [Notice] {
        report.notes.map { .warning($0) }
    }

    /// What opening the store found, to be told once.
    package mutating func takeOpeningNotices() -> [Notice] {
        defer { findings = [] }
        return findings
    }

    /// Whether there is something to be told: after the opening, the store was opened elsewhere.
    package var hasNotices: Bool { !findings.isEmpty }

    /// The moment of the last event that was recorded in the foreground in our own run.
    package var lastActive: Timestamp? { current.queue.lastActive }
    /// The sequence number of the next event.
    package var nextSequence: Int { current.queue.own.nextSequence }

    // MARK: Recording

    /// Appends the event that `line` holds. When this returns it survives the death of the process.
    ///
    /// While the store is in memory it does not; see ``opened(files:root:destination:limits:goesToMemory:)``.
    package mutating func append(
        _ line: inout EventLine,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        guard isOpen else { return }
        if home != nil { returnToDisk(at: timestamp) }
        if !former.isEmpty { makeRoom(for: line.count + EventRecord.headerRoom + 1, at: timestamp) }
        do throws(FileError) {
            try current.queue.append(&line, isActive: isActive, timestamp: timestamp)
        } catch {
            try append(&line, isActive: isActive, timestamp: timestamp, after: error)
        }
    }

    /// Appends one event's JSON. When this returns it survives the death of the process.
    package mutating func append(_ json: [UInt8], isActive: Bool, timestamp: Timestamp) throws(FileError) {
        var line = EventLine(json: json[...])
        try append(&line, isActive: isActive, timestamp: timestamp)
    }

    /// What was evicted since the last call.
    package mutating func takeEvictions() -> [EventQueue.Eviction] {
        var evictions = current.queue.evictions.isEmpty ? [] : current.queue.takeEvictions()
        for index in former.indices { evictions += former[index].queue.takeEvictions() }
        return evictions
    }

    /// The caps hold for all queues together: what waits for former destinations is older, and goes first.
    private mutating func makeRoom(for count: Int, at now: Timestamp) {
        for index in former.indices {
            former[index].queue.evictAged(at: now)
            while bytes + count > limits.maxBytes, former[index].queue.evict(.bytes) {}
            while let most = limits.maxEvents, pendingEvents + 1 > most, former[index].queue.evict(.count) {}
        }
    }

    private var bytes: Int { former.reduce(current.queue.storedBytes) { $0 + $1.queue.storedBytes } }
    private var pendingEvents: Int { former.reduce(current.queue.pendingEvents) { $0 + $1.queue.pendingEvents } }

    // MARK: State

    /// The state that all processes share, as it was last read or saved; ours to change after ``beginChange()``.
    package var state: StoredState? {
        get { shared.current }
        set { shared.current = newValue }
    }
    /// Whether the disk would not take the state when it was last saved.
    package var isStateUnsaved: Bool { shared.isUnsaved }

    /// Takes the state's lock, and reads what other processes saved. To be followed by ``endChange()``, whatever it throws.
    package mutating func beginChange() throws(StoreError) -> [Notice] {
        isOpen ? try shared.begin() : []
    }

    /// Replaces the stored state with ``state``.
    /// - Parameter twice: whether its predecessor is to say the same.
    package mutating func saveState(twice: Bool) throws(StoreError) {
        guard isOpen else { return }
        try shared.save(twice: twice)
    }

    /// Leaves the state's lock.
    package mutating func endChange() {
        if isOpen { shared.end() }
    }

    // MARK: Crashes

    /// A crash that is to be recorded, and the file that tells of it.
    package struct StoredCrash: Sendable, Equatable {
        package var path: String
        package var report: CrashReport
        /// The number of the run whose process crashed; `nil` when the app itself reported it.
        package var run: Int?
    }

    /// A path for the traces of a crash of this process.
    package func newTraces() throws(FileError) -> String { try folder.newTraces(in: folder.path(ofRun: run)) }

    /// What crashes left for this launch, oldest first. Damaged files are reported and removed; files that cannot be read now
    /// stay for a later launch.
    /// - Parameter capture: reads the traces of crashes; without it they stay for a launch that can.
    package mutating func crashes(_ capture: (any CrashCapture)?) -> [StoredCrash] {
        var found: [StoredCrash] = []
        for path in crashFiles(in: folder.path) {
            read(path) { store throws(FileError) in
                guard let bytes = try store.files.contents(of: path) else { return }
                if let report = CrashReport(bytes: bytes) {
                    found.append(StoredCrash(path: path, report: report))
                } else {
                    if bytes != CrashReport.recorded { store.reportDamage(of: "\(path) is damaged") }
                    try store.files.remove(path)
                }
            }
        }
        guard let capture else { return found }
        for run in runs {
            for path in crashFiles(in: folder.path(ofRun: run)) {
                read(path) { store throws(FileError) in
                    switch try capture.traces(at: path) {
                    case .crash(let report):
                        found.append(StoredCrash(path: path, report: report, run: run))
                    case .unreadable(let reason):
                        store.reportDamage(of: "\(path): \(reason)")
                        try store.files.remove(path)
                    case .none:
                        try store.files.remove(path)
                    }
                }
            }
        }
        return found.sorted { $0.report.timestamp < $1.report.timestamp }
    }

    private mutating func crashFiles(in folder: String) -> [String] {
        do {
            return try self.folder.traces(in: folder)
        } catch {
            findings.append(.warning("\(error)"))
            return []
        }
    }

    private mutating func read(_ path: String, _ body: (inout EventStore) throws(FileError) -> Void) {
        do throws(FileError) {
            try body(&self)
        } catch {
            findings.append(.warning("\(error)"))
        }
    }

    private mutating func reportDamage(of file: String) {
        findings.append(.warning("\(file): the crash it tells of is not recorded"))
    }

    package func write(_ report: CrashReport) throws(FileError) {
        guard isOpen else { return }
        // A folder that cannot be listed may hold an earlier report: no name is the same.
        let path = (try? folder.newTraces(in: folder.path)) ?? "\(folder.path)/crash.\(report.timestamp.milliseconds)"
        try files.replace(path, with: report.bytes, durably: true)
    }

    /// Removes the report of a crash that is recorded. A file that cannot be removed is overwritten, so that no later launch
    /// records it again.
    package func remove(_ crash: StoredCrash) throws(FileError) {
        do {
            try files.remove(crash.path)
        } catch {
            do {
                try files.replace(crash.path, with: CrashReport.recorded, durably: false)
            } catch _ {
                // The reason for which it cannot be removed tells more.
                throw error
            }
        }
    }

    /// Counts an event that never comes to the queue; one that came after the end, for ``bookLateCalls()``.
    package mutating func count(_ outcome: Ledger.Outcome) {
        if isOpen { current.queue.count(outcome) } else { lateCalls += 1 }
    }

    /// Counts an event that a rule refuses.
    package mutating func countRejected(_ code: ErrorCode) {
        if isOpen { current.queue.countRejected(code: code.rawValue) }
    }

    /// What became of every event of this process's run folders, and how many are pending there.
    package var ledger: (ledger: Ledger, pendingEvents: Int) {
        var total = current.queue.ledger
        var pending = current.queue.own.pendingEvents
        for queue in current.queue.adopted + former.flatMap({ [$0.queue.own] + $0.queue.adopted }) {
            total += queue.ledger
            pending += queue.pendingEvents
        }
        return (total, pending)
    }

    /// The file whose `synchronize` makes what was appended survive a loss of power; to be called outside the lock.
    package var fileToSynchronize: (any AppendableFile)? { isOpen ? current.queue.fileToSynchronize : nil }

    // MARK: Dead letters

    /// The events that a server will never take.
    package var deadLetters: DeadLetters { folder.deadLetters }

    /// Queues dead letters again, those with these event ids or all.
    /// - Returns: how many.
    package mutating func requeueDeadLetters(_ ids: Set<String>?) throws(StoreError) -> Int {
        let letters = try folder.deadLetters.all().filter { ids?.contains($0.eventID) ?? true }
        for letter in letters {
            do {
                try append(letter.json, isActive: false, timestamp: letter.timestamp)
            } catch {
                throw StoreError(error)
            }
        }
        // Last: a crash in between leaves an event in both places, and the server tells it by its id.
        try folder.deadLetters.remove(Set(letters.map(\.eventID)))
        return letters.count
    }

    // MARK: Destinations

    /// The ids of all queues: the one that is recorded to, then those of former destinations.
    package var queueIDs: [Int] { [current.id] + former.map(\.id) }

    /// Sends what is recorded from now on to another endpoint, with a queue of its own when the old one still holds events
    /// that can be sent. The state is to be saved afterwards, when ``run`` changed.
    /// - Throws: when no further run folder can be made; everything is then as it was.
    package mutating func redirect(to destination: Destination) throws(StoreError) {
        guard destination.endpoint != current.destination.endpoint, current.destination.isUsable,
            !current.queue.isEmpty
        else {
            current.destination = destination
            return
        }
        let run = try folder.takeRun()
        let queue = try EventQueue(files, run: run, limits: limits)
        if sessionLock != nil {
            do {
                sessionLock = try folder.lockSession(ofRun: run.number)
            } catch {
                throw StoreError(error)
            }
        }
        former.append(current)
        current = DestinationQueue(
            id: nextQueueID,
            destination: destination,
            folder: folder,
            queue: queue,
            locks: [run.lock]
        )
        self.run = run.number
    }

    /// A store of another app, beside this one: as at a launch of that app.
    package func opened(for destination: Destination, limits: QueueLimits) throws(StoreError) -> EventStore {
        var store = try EventStore(
            files: place.files,
            root: place.root,
            destination: destination,
            limits: limits,
            launches: true,
            queueID: nextQueueID
        )
        store.goesToMemory = goesToMemory
        return store
    }

    /// Where the store is, or should be.
    var place: Place { home ?? Place(files: files, root: root, limits: limits) }

    var nextQueueID: Int { (queueIDs.max() ?? 0) + 1 }

    /// Ends the store, but for what is still to be delivered: this goes on with `next`.
    package mutating func retire(to next: inout EventStore) {
        guard isOpen else { return }
        for queue in former + [current] where !queue.queue.isEmpty { next.former.append(queue) }
        for queue in former + [current] where queue.queue.isEmpty && queue.isInMemory {
            if queue.destination.appID == next.current.destination.appID { next.takeIn(queue) }
        }
        sessionLock?.unlock()
        shared.end()
        former = []
        isOpen = false
    }

    // MARK: Delivery

    /// Hands out the queue with that id; `nil` once it is delivered.
    package mutating func withQueue<Result>(_ id: Int, _ body: (inout DestinationQueue) -> Result) -> Result? {
        guard isOpen else { return nil }
        if current.id == id { return body(&current) }
        guard let index = former.firstIndex(where: { $0.id == id }) else { return nil }
        let result = body(&former[index])
        if former[index].queue.isEmpty {
            if former[index].isInMemory { takeIn(former[index]) }
            former[index].close()
            former.remove(at: index)
        }
        return result
    }

    /// The right to deliver, among all processes that share the store; `nil` while another has it. Ends when it is let go of.
    ///
    /// What goes to a former destination needs none: its server is another, and its run folders are ours alone.
    package mutating func lockForUpload() throws(FileError) -> (any FileLock)? {
        if let uploadLock { return uploadLock }
        let lock = try folder.lockForUpload()
        uploadLock = lock
        return lock
    }

    /// Writes everything down, as before the end of the process; recording may go on.
    package mutating func settle() {
        guard isOpen else { return }
        current.queue.close()
        for index in former.indices { former[index].queue.close() }
    }

    /// Ends the store: its locks are released, later events are refused.
    /// - Parameter countsLateCalls: whether ``bookLateCalls()`` counts them.
    package mutating func close(countsLateCalls: Bool = true) {
        guard isOpen else { return }
        shared.end()
        // A process that opens the store meanwhile finds all run folders free or none, and so delivers them in order; without
        // the lock, in whichever order it finds them.
        let together = current.locks.count + former.count > 1 ? try? folder.lockState() : nil
        current.close()
        for index in former.indices { former[index].close() }
        former = []
        together?.unlock()
        sessionLock?.unlock()
        isOpen = false
        self.countsLateCalls = countsLateCalls
    }

    /// Adds the events that came after the end to the books of a run folder that no process uses, as disabled.
    /// - Returns: why that cannot be done.
    package mutating func bookLateCalls() -> StoreError? {
        guard !isOpen, countsLateCalls, lateCalls > 0, !current.isInMemory else { return nil }
        do {
            let run = try folder.takeRun()
            defer { run.lock.unlock() }
            var queue = try EventQueue(files, run: run, limits: limits)
            for _ in 0..<lateCalls { queue.count(.disabled) }
            lateCalls = 0
            queue.close()
            return queue.booksError
        } catch {
            return error
        }
    }
}
