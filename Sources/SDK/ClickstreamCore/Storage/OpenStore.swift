/// Store of one client, open in one folder: the queues, the shared state and the session of this process there, with their locks.
///
/// Not thread-safe: one owner, under a lock. ``EventStore`` replaces it when the store moves. Docs/store.md describes the folder.
struct OpenStore: ~Copyable {
    /// Location and limits of a store.
    struct Location: Sendable {
        var files: any FileSystem
        var root: String
        var limits: QueueLimits
    }

    let location: Location
    let folder: StoreFolder
    /// One queue for each format, and the queues of former destinations or locations until they are delivered.
    var queues: QueueList
    var shared: SharedState
    private(set) var sessionLock: (any FileLock)?
    /// True if the store has a session of its own when it is on disk.
    var hasSession: Bool
    /// The upload locks by format, shared by all deliveries of this process while one uses them.
    private var uploadLocks: [FormatName: UploadLock] = [:]
    let otherSessions: OtherSessions
    let crashFiles: CrashFiles
    /// Problems to report: of the opening, and of later moves.
    var findings: [Notice.Warning]
    /// The warnings of the last attempt to complete a withdrawal, which the next attempt does not repeat.
    private var withdrawalWarnings: [Notice.Warning] = []

    /// Opens the store, takes a run folder, and adopts those of ended processes.
    /// - Parameters:
    ///   - launches: true for a launch: takes a session lock, and keeps the state's lock to the end of the first
    ///     ``RecorderAccess/withState(_:)``, because the launch decides from the state.
    ///   - last: the number of the run folder that the caller recorded to before; see ``StoreFolder/takeRun(after:)``.
    ///   - adopts: false for a caller that delivers nothing, and so leaves the run folders of ended processes to others.
    ///   - part: the queue to record to again, instead of taking a run folder.
    init(
        at location: Location,
        for destination: Destination,
        launches: Bool,
        queueID: Int = 1,
        runAfter last: Int? = nil,
        adopts: Bool = true,
        continuing part: DestinationQueue? = nil
    ) throws(StoreError) {
        let limits = location.limits
        let folder = try StoreFolder(
            location.files,
            root: location.root,
            appID: destination.appID,
            isDurable: limits.isDurable
        )
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
            findings += first.queue.opening.notes
        }
        let ownRun = first.run
        let sessionLock: (any FileLock)? = try StoreError.mapping {
            try launches ? folder.lockSession(ofRun: ownRun) : nil
        }
        let livingRuns = try StoreError.mapping { try folder.runsInSession(except: ownRun) }
        let adopted = adopts ? try folder.adoptable(beside: ownRun) : []
        findings += try first.adopt(adopted)
        otherSessions = try OtherSessions(
            shared.current?.sessions ?? [],
            livingRuns: livingRuns,
            in: folder,
            first.queue
        )
        if !launches { shared.release() }
        crashFiles = CrashFiles(folder, runs: [ownRun] + adopted.map(\.number))
        hasSession = launches
        queues = QueueList(first)
        self.location = location
        self.folder = folder
        self.sessionLock = sessionLock
        self.shared = shared
        self.findings = findings
    }

    /// True if events are lost with the process.
    @inline(__always)
    var isInMemory: Bool { queues.first.isInMemory }

    // MARK: Queues

    /// Opens a queue for events of another format, in run folders of its own, and adopts those of ended processes.
    /// - Parameters:
    ///   - id: the id of the queue; `nil` for a new one.
    ///   - part: the queue to record to again, instead of taking a run folder.
    mutating func open(
        _ destination: Destination,
        id: Int? = nil,
        continuing part: DestinationQueue? = nil
    ) throws(StoreError) {
        let folder = try folder.folder(of: destination.format)
        var queue: DestinationQueue
        if let part {
            queue = part.reopened(for: destination)
        } else {
            queue = try newQueue(id ?? queues.nextID, for: destination, in: folder)
            findings += queue.queue.opening.notes
        }
        findings += try queue.adopt(try folder.adoptable(beside: queue.run))
        queues.others.append(queue)
    }

    /// Returns a queue in an unused run folder.
    private func newQueue(
        _ id: Int,
        for destination: Destination,
        in folder: StoreFolder
    ) throws(StoreError) -> DestinationQueue {
        try DestinationQueue(
            id: id,
            destination: destination,
            folder: folder,
            run: folder.takeRun(for: location.limits),
            limits: location.limits,
            isSequential: destination.format.isSequential
        )
    }

    /// Changes the endpoint of events of that format that are recorded from now on. A new queue is created if the old one
    /// contains events that can still be sent.
    /// - Throws: an error if no further run folder can be created; the store is then unchanged.
    mutating func redirect(to destination: Destination) throws(StoreError) {
        guard let index = queues.index(openFor: destination.format.name) else { return }
        let before = queues[index].destination
        guard destination.endpoint != before.endpoint, before.isUsable, !queues[index].queue.isEmpty else {
            queues[index].destination = destination
            return
        }
        let next = try newQueue(queues.nextID, for: destination, in: queues[index].folder)
        if index == 0, sessionLock != nil {
            do {
                sessionLock = try next.folder.lockSession(ofRun: next.run)
            } catch {
                throw StoreError(error)
            }
        }
        queues.close([queues[index]])
        queues[index] = next
    }

    /// Acquires the upload lock of the format of an open queue; returns `nil` while another process holds it.
    mutating func lockForUpload(_ index: Int) throws(FileError) -> (any FileLock)? {
        let format = queues[index].format
        if let lock = uploadLocks[format]?.lock { return lock }
        let lock = try queues[index].folder.lockForUpload()
        if let lock { uploadLocks[format] = UploadLock(lock: lock) }
        return lock
    }

    // MARK: Withdrawal of consent

    /// Adds all run folders, dead letters and crash files to ``StoredState/withdrawn``; the state is to be saved before
    /// ``completeWithdrawal(ofAllQueues:as:)``. To be called with the lock of the shared state.
    /// - Parameter ofUsers: true if the files of known users are added too, which the state must not name.
    /// - Returns: problems to report.
    mutating func beginWithdrawal(ofUsers: Bool) -> [Notice.Warning] {
        var list = WithdrawalList()
        var warnings: [Notice.Warning] = []
        do {
            list = try folder.withdrawalList()
            if ofUsers { list.files?.append(contentsOf: try UserLog.names(folder.files, folder.path)) }
        } catch {
            list.isEverything = true
            warnings.append(Notice.Warning(.withdrawalIncomplete, "\(error)"))
        }
        if isInMemory { list.isEverything = true }
        if ofUsers, list.isEverything, !list.isErasure {
            list.files?.append(UserLog.name(shared.current?.users.position.file ?? 0))
        }
        // The rest of an erasure that could not remove everything.
        list.formUnion(WithdrawalList(entries: shared.current?.withdrawn ?? []))
        shared.current?.withdrawn = list.entries
        return warnings
    }

    /// Removes the events and files listed in ``StoredState/withdrawn``, which keeps what is left. To be called with the lock of
    /// the shared state, which is to be saved afterwards.
    /// - Parameter ofAllQueues: true if the queues of this process are emptied even if they are not listed.
    /// - Returns: the removal, without the warnings of the last one if they are the same; `nil` if there is nothing to remove.
    mutating func completeWithdrawal(ofAllQueues: Bool, as outcome: EventOutcome) -> Withdrawal? {
        guard let stored = shared.current?.withdrawn, ofAllQueues || !stored.isEmpty else { return nil }
        var withdrawal = Withdrawal(
            WithdrawalList(entries: stored),
            from: folder,
            keeping: shared.current?.users.position,
            as: outcome
        )
        withdrawal.complete(&queues, ofAllQueues: ofAllQueues)
        shared.current?.withdrawn = withdrawal.list.entries
        let isRepeated = withdrawal.warnings == withdrawalWarnings
        withdrawalWarnings = withdrawal.warnings
        if isRepeated { withdrawal.warnings = [] }
        return withdrawal
    }

    // MARK: End

    /// Releases the locks of the session and of the shared state.
    mutating func releaseSession() {
        sessionLock?.unlock()
        shared.release()
    }

    /// Releases all locks.
    mutating func close() {
        shared.release()
        // With the lock, a process that opens the store concurrently finds all run folders free or none, and so
        // delivers them in order; without it, the order is undefined.
        let together = queues.first.locks.count + queues.others.count > 1 ? try? folder.lockState() : nil
        for index in queues.indices { queues[index].close() }
        queues.others = []
        together?.unlock()
        sessionLock?.unlock()
    }
}

/// Reference to an upload lock that does not hold it.
private struct UploadLock: Sendable {
    weak var lock: (any FileLock)?
}
