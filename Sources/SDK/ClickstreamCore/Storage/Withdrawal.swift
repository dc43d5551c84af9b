/// Removal of queued events, dead letters and crash files after a withdrawal of consent, by every format.
///
/// A list of the files to remove is saved in the shared state first (``WithdrawalList``), so that a process that ends in between
/// leaves the rest to the next opening of the store. Files that cannot be removed stay in the list, and each change of the state
/// and each flush tries again.
struct Withdrawal: Sendable {
    /// The number of removed events.
    private(set) var events = 0
    /// Problems to report.
    var warnings: [Notice.Warning] = []
    /// True if the run folder that this process records to was emptied.
    private(set) var emptiesOwnRun = false
    /// Everything that is left to be removed.
    private(set) var list: WithdrawalList
    private let folder: StoreFolder
    /// The file of known users that the state names, which stays; `nil` if it names none.
    private let currentUsers: String?
    /// The outcome of the removed events.
    private let outcome: EventOutcome
    /// The beginning of the paths of the folder's files.
    private var root: String { folder.path + "/" }

    /// - Parameter users: the known users of the state, whose file stays.
    init(
        _ list: WithdrawalList,
        from folder: StoreFolder,
        keeping users: KnownUsers.Position?,
        as outcome: EventOutcome
    ) {
        self.list = list
        self.folder = folder
        currentUsers = users.flatMap { $0.bytes > 0 ? UserLog.name($0.file) : nil }
        self.outcome = outcome
    }

    /// Empties the listed run folders that no other process uses, and removes the listed files. Continues after an error.
    /// - Parameters:
    ///   - queues: the queues of this process.
    ///   - ofAllQueues: true if they are emptied even if they are not listed.
    mutating func complete(_ queues: inout QueueList, ofAllQueues: Bool) {
        let isOnDisk = !queues.first.isInMemory
        let isAll = ofAllQueues || list.isEverything && isOnDisk
        specify(isOnDisk: isOnDisk)
        empty(&queues, isAll: isAll)
        emptyUnusedRuns()
        for file in list.files ?? [] {
            do throws(FileError) {
                if file != currentUsers { try folder.files.remove(root + file) }
                // A file of users stays in the list of a store that could not be listed yet: see ``specify(isOnDisk:)``.
                if !list.isEverything || !UserLog.isName(file) { list.files?.removeAll { $0 == file } }
            } catch {
                warn(ofFiles: error)
            }
        }
    }

    /// Lists the content of a store that could not be listed before, and the files of a list of an earlier version. If the list
    /// has a file of known users, it is that of an erasure: all such files are listed.
    private mutating func specify(isOnDisk: Bool) {
        let isListable = list.isEverything && isOnDisk
        guard isListable || list.files == nil else { return }
        do {
            var found = try folder.withdrawalList()
            if isListable, list.isErasure {
                found.files?.append(contentsOf: try UserLog.names(folder.files, folder.path))
            }
            if isListable { list.isEverything = false } else { found.runs = [] }
            list.formUnion(found)
        } catch {
            warn(ofFiles: error)
        }
    }

    /// Empties the listed run folders of this process, or all of them.
    private mutating func empty(_ queues: inout QueueList, isAll: Bool) {
        let root = root
        let listed = Set(list.runs.map { root + $0 })
        for index in queues.indices {
            let removal = queues[index].queue.removeAll(at: { isAll || listed.contains($0) }, as: outcome)
            events += removal.events
            for error in removal.errors { warn(ofEvents: error) }
            for path in removal.done {
                if path == queues.first.queue.own.path { emptiesOwnRun = true }
                // A queue in memory, of a store that is on the disk again, has no files there. While the store is in memory, what
                // is left of a queue on the disk is covered by ``WithdrawalList/isEverything``.
                guard path.hasPrefix(root) else { continue }
                finish(String(path.dropFirst(root.count)), left: removal.left)
            }
        }
    }

    /// Empties the listed run folders that no process uses.
    private mutating func emptyUnusedRuns() {
        for run in list.runs {
            do throws(StoreError) {
                guard let removal = try emptyUnused(run) else { continue }
                events += removal.events
                if let error = removal.error { warn(ofEvents: error) }
                finish(run, left: removal.left)
            } catch {
                warn(ofEvents: error)
            }
        }
    }

    /// Empties a run folder that no process uses.
    /// - Returns: `nil` if a process uses the folder.
    private func emptyUnused(_ run: String) throws(StoreError) -> RunFolder.Removal? {
        let files = folder.files
        let path = root + run
        return try StoreError.mapping {
            guard try files.size(of: path + "/lock") != nil else { return RunFolder.Removal(events: 0) }
            guard let lock = try files.lock(path + "/lock") else { return nil }
            defer { lock.unlock() }
            var (opened, _) = try RunFolder.open(files, path: path, lock: lock)
            return try opened.removeAll(as: outcome)
        }
    }

    /// Removes an emptied run folder from the list, and its crash files from the disk. Files that cannot be removed replace it
    /// in the list, so that events that are recorded later in the folder stay.
    /// - Parameter left: paths of segments that are left, of this folder and others.
    private mutating func finish(_ run: String, left: [String]) {
        let root = root
        var rest = left.filter { $0.hasPrefix("\(root)\(run)/") }
        do throws(FileError) {
            for file in try folder.traces(in: root + run) {
                do throws(FileError) {
                    try folder.files.remove(file)
                } catch {
                    rest.append(file)
                    warn(ofFiles: error)
                }
            }
        } catch {
            // Without a folder there is no file. Otherwise the folder stays in the list.
            guard error.isMissingFile else { return warn(ofFiles: error) }
        }
        list.runs.removeAll { $0 == run }
        list.files?.append(contentsOf: rest.map { String($0.dropFirst(root.count)) })
    }

    private mutating func warn(ofEvents error: any Error) {
        warnings.append(Notice.Warning(.withdrawalIncomplete, "Events without consent could not be removed: \(error)"))
    }

    private mutating func warn(ofFiles error: any Error) {
        let message = "Dead letters or crashes without consent could not be removed: \(error)"
        warnings.append(Notice.Warning(.withdrawalIncomplete, message))
    }
}
