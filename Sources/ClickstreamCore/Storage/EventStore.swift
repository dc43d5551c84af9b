/// Everything that one client keeps on disk: its queue, its state, and what a crash left.
///
/// One owner, under a lock. See Docs/architecture.md for the folder.
package struct EventStore: ~Copyable {
    private let files: any FileSystem
    private let folder: StoreFolder
    private var queue: EventQueue
    /// The locks of our run folder and of those we adopted.
    private let locks: [any FileLock]
    /// The folders that those locks are for; the first is our own.
    private let runPaths: [String]
    /// Whether calls still reach the disk: not once the client has ended.
    package private(set) var isOpen = true
    /// The state as it was found; `nil` when there was none, or none that can be read.
    package let storedState: StoredState?
    private var findings: [Notice]

    /// Opens the store, takes a run folder, and adopts those of processes that are gone.
    package init(files: any FileSystem, root: String, appID: String, limits: QueueLimits) throws(StoreError) {
        let folder = try StoreFolder(files, root: root, appID: appID, isDurable: limits.isDurable)
        let (state, stateFindings) = try Self.state(in: folder)
        let run = try folder.takeRun()
        var locks = [run.lock]
        var runPaths = [run.path]
        var queue = try EventQueue(files, run: run, limits: limits)
        var findings = stateFindings + Self.notices(of: queue.opening)
        for run in try folder.adoptable() {
            findings += Self.notices(of: try queue.adopt(files, run))
            locks.append(run.lock)
            runPaths.append(run.path)
        }
        self.files = files
        self.locks = locks
        self.runPaths = runPaths
        self.folder = folder
        self.queue = queue
        self.findings = findings
        storedState = state
    }

    private static func state(in folder: StoreFolder) throws(StoreError) -> (StoredState?, [Notice]) {
        let content: StateFile.Content
        do {
            content = try folder.state.load()
        } catch {
            throw StoreError(error)
        }
        let fresh = "the app starts as if it had just been installed"
        var findings: [Notice] = []
        let bytes: [UInt8]
        switch content {
        case .none:
            return (nil, [])
        case .loaded(let found):
            bytes = found
        case .recovered(let found, let report):
            findings.append(.warning(report))
            bytes = found
        case .lost(let report):
            return (nil, [.warning("\(report); \(fresh)")])
        case .fromLater(let version):
            throw .laterVersion(path: folder.state.path, version: version)
        }
        let state = StoredState(json: bytes)
        if state == nil { findings.append(.warning("\(folder.state.path) holds no state; \(fresh)")) }
        return (state, findings)
    }

    private static func notices(of report: OpeningReport) -> [Notice] {
        report.notes.map { .warning($0) }
    }

    /// What opening the store found, to be told once.
    package mutating func takeOpeningNotices() -> [Notice] {
        defer { findings = [] }
        return findings
    }

    /// The moment of the last event that was recorded in the foreground.
    package var lastActive: Timestamp? { queue.lastActive }

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

    /// Replaces the stored state.
    package mutating func save(_ state: StoredState) throws(StoreError) {
        guard isOpen else { return }
        try folder.state.save(state.json)
    }

    // MARK: Crashes

    /// A crash that is to be recorded, and the file that tells of it.
    package struct StoredCrash: Sendable, Hashable {
        package var path: String
        package var report: CrashReport
        /// Whether it is the crash of a run's own process, beside which others may have run.
        package var isOfOneRun: Bool
    }

    private var crashPath: String { "\(folder.path)/crash" }

    /// Where the traces of a crash of this process go.
    package var tracesPath: String { "\(runPaths[0])/\(StoreFolder.traces)" }

    /// What crashes left for this launch, oldest first; files that cannot be read are reported and removed.
    /// - Parameter capture: reads the traces of crashes; without it they stay for a launch that can.
    package mutating func crashes(_ capture: (any CrashCapture)?) -> [StoredCrash] {
        var found: [StoredCrash] = []
        do {
            if let bytes = try files.contents(of: crashPath) {
                if let report = CrashReport(bytes: bytes) {
                    found.append(StoredCrash(path: crashPath, report: report, isOfOneRun: false))
                } else {
                    findings.append(.warning("\(crashPath) is damaged: the crash it tells of is not recorded"))
                    try files.remove(crashPath)
                }
            }
        } catch {
            findings.append(.warning("\(error)"))
        }
        guard let capture else { return found }
        for path in runPaths.map({ "\($0)/\(StoreFolder.traces)" }) {
            do {
                guard try files.size(of: path) != nil else { continue }
                switch try capture.traces(at: path) {
                case .crash(let report):
                    found.append(StoredCrash(path: path, report: report, isOfOneRun: true))
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
        for lock in locks { lock.unlock() }
        isOpen = false
    }
}
