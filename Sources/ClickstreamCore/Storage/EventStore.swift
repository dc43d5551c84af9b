/// Everything that one client keeps on disk: its queue, its state, and what a crash left.
///
/// One owner, under a lock. See Docs/architecture.md for the folder.
package struct EventStore: ~Copyable {
    private let files: any FileSystem
    private let folder: StoreFolder
    /// Whether no other process has a session.
    package let isAlone: Bool
    private var queue: EventQueue
    /// The locks of our run folder and of those we adopted, and of our session.
    private let locks: [any FileLock]
    /// The numbers of our run folder and of those we adopted.
    private let runs: [Int]
    /// Whether calls still reach the disk: not once the client has ended.
    package private(set) var isOpen = true
    private var shared: SharedState
    /// The number of our run folder.
    package let run: Int
    /// The sessions of processes that live.
    package let livingSessions: [StoredSession]
    /// The sessions of processes that are gone, as their run folders say they ended.
    package let pastSessions: [StoredSession]
    private var findings: [Notice]

    /// Opens the store, takes a run folder, and adopts those of processes that are gone.
    /// - Parameter launches: whether to take a session's lock, and to keep the state's lock until ``endChange()``; for a
    ///   launch, which decides from what it finds.
    package init(
        files: any FileSystem,
        root: String,
        appID: String,
        limits: QueueLimits,
        launches: Bool = false
    ) throws(StoreError) {
        let folder = try StoreFolder(files, root: root, appID: appID, isDurable: limits.isDurable)
        var shared = SharedState(folder)
        var findings = try shared.begin()
        let run = try folder.takeRun()
        var locks = [run.lock]
        var runs = [run.number]
        var queue = try EventQueue(files, run: run, limits: limits)
        findings += Self.notices(of: queue.opening)
        let livingRuns: [Int]
        do {
            if launches, let lock = try folder.lockSession(ofRun: run.number) { locks.append(lock) }
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
        self.run = run.number
        self.locks = locks
        self.runs = runs
        self.folder = folder
        self.queue = queue
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

    /// The moment of the last event that was recorded in the foreground in our own run.
    package var lastActive: Timestamp? { queue.lastActive }
    /// The sequence number of the next event.
    package var nextSequence: Int { queue.own.nextSequence }

    // MARK: Recording

    /// Appends one event's JSON. When this returns it survives the death of the process.
    package mutating func append(_ line: [UInt8], isActive: Bool, timestamp: Timestamp) throws(FileError) {
        guard isOpen else { return }
        var failure: FileError?
        line.withUnsafeBytes { bytes in
            do throws(FileError) {
                try queue.append(json: bytes, isActive: isActive, timestamp: timestamp)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// What was evicted since the last call.
    package mutating func takeEvictions() -> [EventQueue.Eviction] {
        queue.evictions.isEmpty ? [] : queue.takeEvictions()
    }

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
    package struct StoredCrash: Sendable, Hashable {
        package var path: String
        package var report: CrashReport
        /// The number of the run whose process crashed; `nil` when the app itself reported it.
        package var run: Int?
    }

    private var crashPath: String { "\(folder.path)/crash" }

    /// Where the traces of a crash of this process go.
    package var tracesPath: String { tracesPath(ofRun: run) }

    private func tracesPath(ofRun number: Int) -> String { "\(folder.path(ofRun: number))/\(StoreFolder.traces)" }

    /// What crashes left for this launch, oldest first; files that cannot be read are reported and removed.
    /// - Parameter capture: reads the traces of crashes; without it they stay for a launch that can.
    package mutating func crashes(_ capture: (any CrashCapture)?) -> [StoredCrash] {
        var found: [StoredCrash] = []
        do {
            if let bytes = try files.contents(of: crashPath) {
                if let report = CrashReport(bytes: bytes) {
                    found.append(StoredCrash(path: crashPath, report: report))
                } else {
                    findings.append(.warning("\(crashPath) is damaged: the crash it tells of is not recorded"))
                    try files.remove(crashPath)
                }
            }
        } catch {
            findings.append(.warning("\(error)"))
        }
        guard let capture else { return found }
        for run in runs {
            let path = tracesPath(ofRun: run)
            do {
                guard try files.size(of: path) != nil else { continue }
                switch try capture.traces(at: path) {
                case .crash(let report):
                    found.append(StoredCrash(path: path, report: report, run: run))
                case .unreadable(let reason):
                    findings.append(.warning("\(path): \(reason): the crash it tells of is not recorded"))
                    try files.remove(path)
                case .none:
                    try files.remove(path)
                }
            } catch {
                findings.append(.warning("\(error)"))
            }
        }
        return found.sorted { $0.report.timestamp < $1.report.timestamp }
    }

    package func write(_ report: CrashReport) throws(FileError) {
        guard isOpen else { return }
        try files.replace(crashPath, with: report.bytes, durably: true)
    }

    /// The crash is recorded.
    package func remove(_ crash: StoredCrash) throws(FileError) {
        try files.remove(crash.path)
    }

    // MARK: Delivery

    package var pendingEvents: Int { queue.pendingEvents }

    /// What to send next, oldest first.
    package var nextRange: QueueRange? { queue.nextRange }

    /// Writes down that `range` is about to be sent; gives its bundle id, `nil` when it was evicted meanwhile.
    package mutating func begin(_ range: QueueRange) -> Int? { queue.begin(range) }

    /// Settles `range`: the server has it.
    package mutating func acknowledge(_ range: QueueRange) { queue.acknowledge(range) }

    /// Settles `range`, which the disk does not give back any more.
    package mutating func giveUp(_ range: QueueRange) { queue.giveUp(range) }

    /// The right to deliver, among all processes that share the store; `nil` while another has it.
    package func lockForUpload() throws(FileError) -> (any FileLock)? { try folder.lockForUpload() }

    /// Ends the store: its locks are left, later calls do nothing.
    package mutating func close() {
        guard isOpen else { return }
        queue.close()
        shared.end()
        for lock in locks { lock.unlock() }
        isOpen = false
    }
}
