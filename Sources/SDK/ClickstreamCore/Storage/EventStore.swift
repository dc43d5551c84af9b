/// Complete store of one client: its queues, its state, and crash files; on the disk, or in memory while the disk is unusable.
///
/// Not thread-safe: one owner, under a lock. Docs/store.md describes the folder.
package struct EventStore: ~Copyable {
    /// The store as it is open now. A move of the store, to memory, to a new folder or back to the disk, replaces it.
    var current: OpenStore
    /// Use of memory, and the location on the disk to return to.
    var memory: MemoryFallback
    /// True until the client has ended; afterwards calls no longer reach the disk.
    package internal(set) var isOpen = true
    private(set) var lateCalls = LateCalls()

    init(_ current: consuming OpenStore, memory: MemoryFallback) {
        self.current = current
        self.memory = memory
    }

    /// Opens the store on the disk, for a process without a session of its own.
    /// - Parameters:
    ///   - last: the number of the run folder that the caller recorded to before; see ``StoreFolder/takeRun(after:)``.
    ///   - adopts: false for a caller that delivers nothing, and so leaves the run folders of ended processes to others.
    package init(
        files: any FileSystem,
        root: String,
        destination: Destination,
        limits: QueueLimits,
        runAfter last: Int? = nil,
        adopts: Bool = true
    ) throws(StoreError) {
        current = try OpenStore(
            at: OpenStore.Location(files: files, root: root, limits: limits),
            for: destination,
            launches: false,
            runAfter: last,
            adopts: adopts
        )
        memory = MemoryFallback(isAllowed: false)
    }

    /// Opens the store for a launch: on disk, or in memory if its folder is unusable.
    ///
    /// A store in memory begins with the identity and the session of the folder, if they are readable.
    /// - Parameters:
    ///   - goesToMemory: true if the store may use memory, now and later.
    ///   - launches: false for a process without a session of its own.
    /// - Throws: an error if neither is possible: the store was written by a later version, the disk is broken (`EIO`),
    ///   or the in-memory store cannot be opened.
    package static func opened(
        files: any FileSystem,
        root: String,
        destination: Destination,
        limits: QueueLimits,
        goesToMemory: Bool,
        launches: Bool = true
    ) throws(StoreError) -> EventStore {
        let location = OpenStore.Location(files: files, root: root, limits: limits)
        var memory = MemoryFallback(isAllowed: goesToMemory)
        do {
            return EventStore(try onDisk(at: location, for: destination, launches: launches), memory: memory)
        } catch {
            guard goesToMemory, error.leavesMemory else { throw error }
            let inMemory = memory.location(insteadOf: location)
            if launches { try inMemory.copyState(of: destination.appID, from: location) }
            var store = try OpenStore(at: inMemory, for: destination, launches: launches)
            store.noteMemory(because: error)
            memory.enter(insteadOf: location, at: nil)
            return EventStore(store, memory: memory)
        }
    }

    /// Opens the store on the disk. A failure that may pass, such as a full disk, is tried twice more at once: in memory, later
    /// events would be delivered before those of earlier processes.
    private static func onDisk(
        at location: OpenStore.Location,
        for destination: Destination,
        launches: Bool
    ) throws(StoreError) -> OpenStore {
        var attempt = 1
        while true {
            do throws(StoreError) {
                return try OpenStore(at: location, for: destination, launches: launches)
            } catch {
                guard error.mayPass || error.isFullDisk, attempt < FileError.attempts else { throw error }
            }
            attempt += 1
        }
    }

    /// True if events recorded now are lost with the process.
    package var isInMemory: Bool { current.isInMemory }

    /// The number of this process's run folder.
    package var run: Int { current.queues.first.run }

    /// Returns and clears the notices of opening the store.
    package mutating func takeOpeningNotices() -> [Notice] {
        defer { current.findings = [] }
        return current.findings.map { .warning($0) }
    }

    /// True if there are notices to report: from the opening, or from a move of the store.
    package var hasNotices: Bool { !current.findings.isEmpty }

    /// The time of the last foreground event in this process's run folder.
    package var lastActive: Timestamp? { current.queues.first.queue.lastActive }
    /// The sequence number of the next event.
    package var nextSequence: Int { current.queues.first.queue.own.nextSequence }

    // MARK: Recording

    /// Appends the event in `line`. On return it survives the death of the process.
    ///
    /// Exception: a store in memory; see ``opened(files:root:destination:limits:goesToMemory:launches:)``.
    package mutating func append(
        _ line: inout EventLine,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        guard isOpen else { return }
        if isInMemory { returnToDisk(at: timestamp) }
        if !current.queues.others.isEmpty {
            current.queues.freeCapacity(for: line.count + EventRecord.headerCapacity + 1, at: timestamp)
        }
        do throws(FileError) {
            try current.queues.first.queue.append(&line, isActive: isActive, timestamp: timestamp)
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
        format: FormatName,
        isActive: Bool,
        timestamp: Timestamp
    ) throws(FileError) {
        guard isOpen, current.queues.index(openFor: format) != nil else { return }
        if isInMemory { returnToDisk(at: timestamp) }
        current.queues.freeCapacity(for: json.count + EventRecord.prefixCapacity + 1, at: timestamp)
        func append(to queues: inout QueueList) throws(FileError) {
            guard let index = queues.index(openFor: format) else { return }
            var line = EventLine(json: json[...])
            try queues[index].queue.append(&line, partition: partition, isActive: isActive, timestamp: timestamp)
        }
        do throws(FileError) {
            try append(to: &current.queues)
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
        current.queues.takeEvictions()
    }

    /// Removes the oldest segment that is not in flight, those of former destinations first.
    /// - Returns: false if there is none.
    package mutating func evictOldest(_ reason: Notice.EvictionReason) -> Bool { current.queues.evictOldest(reason) }

    /// The time of the oldest pending event of all queues.
    package var oldest: Timestamp? { current.queues.oldest }

    /// The number of pending events of all queues.
    package var pendingEvents: Int { current.queues.pendingEvents }

    /// True if an event with JSON of this many bytes can be appended without an eviction for the limits of bytes and events.
    package func hasCapacity(forJSON count: Int) -> Bool { current.queues.hasCapacity(forJSON: count) }

    // MARK: State

    /// The state shared by all processes, as last read or saved; may be changed within
    /// ``RecorderAccess/withState(_:)``.
    package var state: StoredState? {
        _read { yield current.shared.current }
        _modify { yield &current.shared.current }
    }
    /// The greatest session number in use, plus one if a stopped process may be about to use the next.
    package var lastNumber: Int { (current.shared.current?.lastNumber ?? 0) + (current.shared.isGivenUp ? 1 : 0) }
    /// True if another process may have changed the state since this one read or saved it. Costs reading one line of a file.
    package var isStateOutdated: Bool { isOpen && current.shared.isOutdated() }
    /// True if the last save of the state failed.
    package var isStateUnsaved: Bool { current.shared.isUnsaved }

    /// Replaces the stored state with ``state``.
    /// - Parameter twice: true if the predecessor file is to have the same content.
    package mutating func saveState(twice: Bool) throws(StoreError) {
        guard isOpen else { return }
        try current.shared.save(twice: twice)
    }

    // MARK: Accounting

    /// Counts events that never enter the queue; after the end, counts them for ``saveLateCalls()``.
    package mutating func count(_ outcome: EventOutcome, _ events: Int = 1) {
        guard !isOpen else { return current.queues.first.queue.count(outcome, events) }
        lateCalls.add(events)
        // An error was reported at the start of the end.
        if lateCalls.isSavedAtOnce { _ = saveLateCalls() }
    }

    /// Counts events of a format that never enter its queue.
    package mutating func count(_ outcome: EventOutcome, format: FormatName) {
        guard isOpen, let index = current.queues.index(openFor: format) else { return }
        current.queues[index].queue.count(outcome)
    }

    /// Counts the outcome of middleware for one event; after the end, a dropped event is counted as disabled.
    package mutating func count(_ outcome: MiddlewareOutcome) {
        guard isOpen else {
            if outcome.droppedBy != nil { count(.disabled) }
            return
        }
        current.queues.first.queue.count(outcome)
    }

    /// Counts an event that a rule rejects.
    package mutating func countRejected(_ code: ErrorCode) {
        if isOpen { current.queues.first.queue.countRejected(code: code.rawValue) }
    }

    /// The outcomes of all events of this process's run folders, and the number of pending events: of the first format.
    package var ledger: (ledger: Ledger, pendingEvents: Int) { ledger(of: current.queues.first.format) }

    /// Returns the outcomes of all events of a format, and the number of pending events.
    package func ledger(of format: FormatName) -> (ledger: Ledger, pendingEvents: Int) {
        current.queues.ledger(of: format)
    }

    /// The total size of the segment files of all queues in bytes.
    package var storedBytes: Int { current.queues.storedBytes }

    /// The files of the open segments; their `synchronize` makes appended events survive a loss of power. Call it outside
    /// the lock.
    package var filesToSynchronize: [any AppendableFile] {
        isOpen
            ? current.queues.indices.compactMap {
                current.queues[$0].isOpen ? current.queues[$0].queue.fileToSynchronize : nil
            } : []
    }

    // MARK: End

    /// Writes all manifests, as before the end of the process; recording may continue.
    package mutating func settle() {
        guard isOpen else { return }
        keepLocks()
        for index in current.queues.indices { current.queues[index].queue.close() }
    }

    /// Ends the store: its locks are released, later events are rejected.
    /// - Parameter countsLateCalls: true if ``saveLateCalls()`` counts later events.
    package mutating func close(countsLateCalls: Bool = true) {
        guard isOpen else { return }
        keepLocks()
        current.close()
        isOpen = false
        lateCalls.isCounted = countsLateCalls
    }

    /// Adds the events after the end to a manifest, and from now on each further one: for the end of the process.
    /// - Returns: the error if that fails.
    package mutating func saveEachLateCall() -> StoreError? {
        lateCalls.isSavedAtOnce = true
        return saveLateCalls()
    }

    /// Adds the events after the end to the manifest of an unused run folder, as disabled.
    /// - Returns: the error if that fails.
    package mutating func saveLateCalls() -> StoreError? {
        guard !isOpen, !isInMemory else { return nil }
        do {
            try lateCalls.save(in: current.folder, limits: current.location.limits)
            return nil
        } catch {
            return error
        }
    }
}

extension OpenStore.Location {
    /// Copies the identity and the session of an app to this location in memory, as far as they are readable.
    fileprivate func copyState(of appID: String, from home: OpenStore.Location) throws(StoreError) {
        let folder = try StoreFolder(files, root: root, appID: appID)
        let path = "\(home.root)/\(StoreFolder.escaped(appID))"
        for name in ["state", "state.old"] + ((try? UserLog.names(home.files, path)) ?? []) {
            // Unreadable or invalid state is reported elsewhere; the app then starts as after an installation.
            guard let bytes = try? home.files.contents(of: "\(path)/\(name)") else { continue }
            do {
                try folder.files.replace("\(folder.path)/\(name)", with: bytes, durably: false)
            } catch {
                return
            }
        }
    }
}

extension StoreError {
    /// True if a launch may continue in memory: not for a store written by a later version, nor on a broken disk.
    fileprivate var leavesMemory: Bool {
        switch self {
        case .laterVersion: false
        case .failed(let error): error.errno != FileError.broken
        case .foreignFolder, .notFolder, .notWritable: true
        }
    }
}
