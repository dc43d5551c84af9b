/// Complete on-disk store of one client: its queues, its state, and crash files.
///
/// Not thread-safe: one owner, under a lock. Docs/store.md describes the folder.
package struct EventStore: ~Copyable {
    let files: any FileSystem
    let root: String
    let limits: QueueLimits
    let folder: StoreFolder
    /// One queue for each format, and the queues of former destinations or locations until they are delivered.
    var queues: QueueList
    var sessionLock: (any FileLock)?
    /// The location on disk to return to, while the store is in memory; otherwise `nil`.
    var home: Place? { didSet { isInMemory = home != nil } }
    /// True if events recorded now are lost with the process. Stored, since every event reads it and ``home`` is copied to be
    /// compared.
    package private(set) var isInMemory = false
    /// True if the store moves to memory while the disk is unusable.
    var goesToMemory = false
    /// The time of the last attempt to return to the disk.
    var lastReturn: Timestamp?
    /// True if the store has a session of its own when it is on disk.
    var hasSession: Bool
    /// The number of in-memory stores that this store continues: their run folders have different paths.
    var memoryCount = 0
    /// The upload locks by format, shared by all deliveries of this process while one uses them.
    var uploadLocks: [String: UploadLock] = [:]
    /// True if no other process has a session.
    package let isAlone: Bool
    let crashFiles: CrashFiles
    /// True until the client has ended; afterwards calls no longer reach the disk.
    package internal(set) var isOpen = true
    private(set) var lateCalls = LateCalls()
    var shared: SharedState
    /// The number of this process's run folder.
    package internal(set) var run: Int
    /// The sessions of running processes.
    package let livingSessions: [StoredSession]
    /// The sessions of ended processes, updated from their run folders.
    package let pastSessions: [StoredSession]
    var findings: [Notice]
    /// The warnings of the last attempt to complete a withdrawal, which the next attempt does not repeat.
    var withdrawalWarnings: [String] = []

    /// Opens the store, takes a run folder, and adopts those of ended processes.
    /// - Parameters:
    ///   - launches: true for a launch: takes a session lock, and keeps the state's lock to the end of the first
    ///     ``RecorderAccess/withState(_:)``, because the launch decides from the state.
    ///   - last: the number of the run folder that the caller recorded to before; see ``StoreFolder/takeRun(after:)``.
    ///   - adopts: false for a caller that delivers nothing, and so leaves the run folders of ended processes to others.
    ///   - part: the queue to record to again, instead of taking a run folder.
    package init(
        files: any FileSystem,
        root: String,
        destination: Destination,
        limits: QueueLimits,
        launches: Bool = false,
        queueID: Int = 1,
        runAfter last: Int? = nil,
        adopts: Bool = true,
        continuing part: DestinationQueue? = nil
    ) throws(StoreError) {
        let folder = try StoreFolder(files, root: root, appID: destination.appID, isDurable: limits.isDurable)
        var shared = SharedState(folder)
        var findings = try shared.open()
        var first: DestinationQueue
        if let part {
            first = part.reopened(for: destination)
        } else {
            first = try DestinationQueue(
                id: queueID,
                destination: destination,
                folder: folder,
                run: folder.takeRun(for: limits, after: last),
                limits: limits,
                isSequential: false
            )
            findings += Self.notices(of: first.queue.opening)
        }
        let ownRun = first.run
        let sessionLock: (any FileLock)? = try StoreError.mapping {
            try launches ? folder.lockSession(ofRun: ownRun) : nil
        }
        let livingRuns = try StoreError.mapping { try folder.runsInSession(except: ownRun) }
        var runs = [ownRun]
        for run in adopts ? try folder.adoptable(beside: ownRun) : [] {
            findings += Self.notices(of: try first.queue.adopt(files, run))
            first.locks.append(run.lock)
            runs.append(run.number)
        }
        let sessions = shared.current?.sessions ?? []
        let living = sessions.filter { livingRuns.contains($0.run) }
        var past = sessions.filter { !livingRuns.contains($0.run) }
        try Self.settle(&past, in: folder, first.queue)
        if !launches { shared.release() }
        livingSessions = living
        pastSessions = past
        isAlone = livingRuns.isEmpty
        self.files = files
        self.root = root
        self.limits = limits
        run = ownRun
        hasSession = launches
        crashFiles = CrashFiles(folder, runs: runs)
        self.folder = folder
        self.sessionLock = sessionLock
        queues = QueueList(first)
        self.shared = shared
        self.findings = findings
    }

    /// Updates the sessions of ended processes from their run folders.
    private static func settle(
        _ sessions: inout [StoredSession],
        in folder: StoreFolder,
        _ queue: EventQueue
    ) throws(StoreError) {
        for index in sessions.indices {
            let path = folder.path(ofRun: sessions[index].run)
            var run = queue.run(at: path)
            if run == nil { run = try RunFolder.found(folder.files, path: path) }
            sessions[index].settle(lastActive: run?.lastActive, nextSequence: run?.nextSequence ?? 1)
        }
    }

    static func notices(of report: OpeningReport) -> [Notice] {
        report.notes.map { .warning($0) }
    }

    /// Returns and clears the notices of opening the store.
    package mutating func takeOpeningNotices() -> [Notice] {
        defer { findings = [] }
        return findings
    }

    /// True if there are notices to report: from the opening, or from a move of the store.
    package var hasNotices: Bool { !findings.isEmpty }

    /// The time of the last foreground event in this process's run folder.
    package var lastActive: Timestamp? { queues.first.queue.lastActive }
    /// The sequence number of the next event.
    package var nextSequence: Int { queues.first.queue.own.nextSequence }

    // MARK: Recording

    /// Appends the event in `line`. On return it survives the death of the process.
    ///
    /// Exception: a store in memory; see ``opened(files:root:destination:limits:goesToMemory:)``.
    package mutating func append(
        _ line: inout EventLine,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        guard isOpen else { return }
        if isInMemory { returnToDisk(at: timestamp) }
        if !queues.others.isEmpty { queues.makeRoom(for: line.count + EventRecord.headerRoom + 1, at: timestamp) }
        do throws(FileError) {
            try queues.first.queue.append(&line, isActive: isActive, timestamp: timestamp)
        } catch {
            try retry(after: error, at: timestamp) { queues throws(FileError) in
                try queues.first.queue.append(&line, isActive: isActive, timestamp: timestamp)
            }
        }
    }

    /// Appends one event's JSON to the queue that is open for a format; without one, does nothing.
    package mutating func append(
        _ json: [UInt8],
        partition: PartitionKey?,
        format: String,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        guard isOpen, queues.index(openFor: format) != nil else { return }
        if isInMemory { returnToDisk(at: timestamp) }
        queues.makeRoom(for: json.count + EventRecord.lineRoom + 1, at: timestamp)
        func append(to queues: inout QueueList) throws(FileError) {
            guard let index = queues.index(openFor: format) else { return }
            var line = EventLine(json: json[...])
            try queues[index].queue.append(&line, partition: partition, isActive: isActive, timestamp: timestamp)
        }
        do throws(FileError) {
            try append(to: &queues)
        } catch {
            try retry(after: error, at: timestamp, append)
        }
    }

    /// Appends one event's JSON. On return it survives the death of the process.
    package mutating func append(_ json: [UInt8], isActive: Bool, timestamp: Timestamp) throws(FileError) {
        var line = EventLine(json: json[...])
        try append(&line, isActive: isActive, timestamp: timestamp)
    }

    /// Returns and clears the evictions since the last call.
    package mutating func takeEvictions() -> [EventQueue.Eviction] {
        queues.takeEvictions()
    }

    /// Removes the oldest segment that is not in flight, those of former destinations first.
    /// - Returns: false if there is none.
    package mutating func evictOldest(_ reason: Ledger.Eviction) -> Bool { queues.evictOldest(reason) }

    /// The time of the oldest pending event of all queues.
    package var oldest: Timestamp? { queues.oldest }

    /// The number of pending events of all queues.
    package var pendingEvents: Int { queues.pendingEvents }

    /// True if an event with JSON of this many bytes can be appended without an eviction for the limits of bytes and events.
    package func hasRoom(forJSON count: Int) -> Bool { queues.hasRoom(forJSON: count) }

    // MARK: State

    /// The state shared by all processes, as last read or saved; may be changed within
    /// ``RecorderAccess/withState(_:)``.
    package var state: StoredState? {
        _read { yield shared.current }
        _modify { yield &shared.current }
    }
    /// The greatest session number in use, plus one if a stopped process may be about to use the next.
    package var lastNumber: Int { (shared.current?.lastNumber ?? 0) + (shared.isGivenUp ? 1 : 0) }
    /// True if another process may have changed the state since this one read or saved it. Costs reading one line of a file.
    package var isStateOutdated: Bool { isOpen && shared.isOutdated() }
    /// True if the last save of the state failed.
    package var isStateUnsaved: Bool { shared.isUnsaved }

    /// Replaces the stored state with ``state``.
    /// - Parameter twice: true if the predecessor file is to have the same content.
    package mutating func saveState(twice: Bool) throws(StoreError) {
        guard isOpen else { return }
        try shared.save(twice: twice)
    }

    // MARK: Accounting

    /// Counts events that never enter the queue; after the end, counts them for ``bookLateCalls()``.
    package mutating func count(_ outcome: Ledger.Outcome, _ events: Int = 1) {
        guard !isOpen else { return queues.first.queue.count(outcome, events) }
        lateCalls.add(events)
        // An error was reported at the start of the end.
        if lateCalls.isBookedAtOnce { _ = bookLateCalls() }
    }

    /// Counts events of a format that never enter its queue.
    package mutating func count(_ outcome: Ledger.Outcome, format: String) {
        guard isOpen, let index = queues.index(openFor: format) else { return }
        queues[index].queue.count(outcome)
    }

    /// Counts the outcome of middleware for one event; after the end, a dropped event is counted as disabled.
    package mutating func count(_ outcome: MiddlewareOutcome) {
        guard isOpen else {
            if outcome.droppedBy != nil { count(.disabled) }
            return
        }
        queues.first.queue.count(outcome)
    }

    /// Counts an event that a rule rejects.
    package mutating func countRejected(_ code: ErrorCode) {
        if isOpen { queues.first.queue.countRejected(code: code.rawValue) }
    }

    /// The outcomes of all events of this process's run folders, and the number of pending events: of the first format.
    package var ledger: (ledger: Ledger, pendingEvents: Int) { ledger(of: queues.first.format) }

    /// Returns the outcomes of all events of a format, and the number of pending events.
    package func ledger(of format: String) -> (ledger: Ledger, pendingEvents: Int) { queues.ledger(of: format) }

    /// The total size of the segment files of all queues in bytes.
    package var storedBytes: Int { queues.storedBytes }

    /// The files of the open segments; their `synchronize` makes appended events survive a loss of power. Call it outside
    /// the lock.
    package var filesToSynchronize: [any AppendableFile] {
        isOpen ? queues.indices.compactMap { queues[$0].isOpen ? queues[$0].queue.fileToSynchronize : nil } : []
    }

    // MARK: End

    /// Writes all manifests, as before the end of the process; recording may continue.
    package mutating func settle() {
        guard isOpen else { return }
        keepLocks()
        for index in queues.indices { queues[index].queue.close() }
    }

    /// Ends the store: its locks are released, later events are rejected.
    /// - Parameter countsLateCalls: true if ``bookLateCalls()`` counts later events.
    package mutating func close(countsLateCalls: Bool = true) {
        guard isOpen else { return }
        keepLocks()
        shared.release()
        // With the lock, a process that opens the store concurrently finds all run folders free or none, and so
        // delivers them in order; without it, the order is undefined.
        let together = queues.first.locks.count + queues.others.count > 1 ? try? folder.lockState() : nil
        for index in queues.indices { queues[index].close() }
        queues.others = []
        together?.unlock()
        sessionLock?.unlock()
        isOpen = false
        lateCalls.isBooked = countsLateCalls
    }

    /// Adds the events after the end to a manifest, and from now on each further one: for the end of the process.
    /// - Returns: the error if that fails.
    package mutating func bookEachLateCall() -> StoreError? {
        lateCalls.isBookedAtOnce = true
        return bookLateCalls()
    }

    /// Adds the events after the end to the manifest of an unused run folder, as disabled.
    /// - Returns: the error if that fails.
    package mutating func bookLateCalls() -> StoreError? {
        guard !isOpen, !queues.first.isInMemory else { return nil }
        do {
            try lateCalls.book(in: folder, limits: limits)
            return nil
        } catch {
            return error
        }
    }
}
