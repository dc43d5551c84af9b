/// Removal of queued events after a withdrawal of consent, by every format.
///
/// A list of the files to remove is saved in the shared state first (``WithdrawalList``), so that a process that ends in between
/// leaves the rest to the next opening of the store. Files that cannot be removed stay in the list, and each change of the state
/// and each flush tries again.
extension EventStore {
    /// Result of a removal.
    package struct Withdrawal: Sendable, Equatable {
        /// The number of removed events.
        package var events = 0
        /// Problems to report.
        package var warnings: [String] = []
        /// True if the run folder that this process records to was emptied.
        package var emptiesOwnRun = false

        package init() {}

        mutating func warn(ofEvents error: any Error) {
            warnings.append("Events without consent could not be removed: \(error)")
        }

        mutating func warn(ofFiles error: any Error) {
            warnings.append("Dead letters or crashes without consent could not be removed: \(error)")
        }
    }

    /// Adds all run folders, dead letters and crash files to ``StoredState/withdrawn``; the state is to be saved before
    /// ``completeWithdrawal(ofAllQueues:as:)``. To be called with the lock of the shared state.
    /// - Parameter ofUsers: true if the files of known users are added too, which the state must not name.
    /// - Returns: problems to report.
    package mutating func beginWithdrawal(ofUsers: Bool = false) -> [String] {
        var list = WithdrawalList()
        var warnings: [String] = []
        do {
            list = try folder.withdrawalList()
            if ofUsers { list.files?.append(contentsOf: try UserLog.names(files, folder.path)) }
        } catch {
            if ofUsers { list.files = shared.current.map { [UserLog.name($0.users.position.file)] } }
            list.isEverything = true
            warnings.append("\(error)")
        }
        if isInMemory { list.isEverything = true }
        shared.current?.withdrawn = list.entries
        return warnings
    }

    /// True if there is something to be removed: by this process, or by another one that uses the run folder.
    package var hasWithdrawal: Bool { shared.current?.withdrawn.isEmpty == false }

    /// Empties the run folders listed in ``StoredState/withdrawn`` that no other process uses, and removes the listed dead
    /// letters and crash files. Continues after an error; the list keeps what is left. To be called with the lock of the shared
    /// state, which is to be saved afterwards.
    /// - Parameter ofAllQueues: true if the queues of this process are emptied even if they are not listed.
    package mutating func completeWithdrawal(ofAllQueues: Bool, as outcome: Ledger.Outcome) -> Withdrawal {
        var result = Withdrawal()
        guard isOpen, let stored = shared.current?.withdrawn, ofAllQueues || !stored.isEmpty else { return result }
        var list = WithdrawalList(entries: stored)
        let isAll = ofAllQueues || list.isEverything && !isInMemory
        specify(&list, &result)
        emptyQueues(&list, isAll: isAll, as: outcome, &result)
        emptyUnusedRuns(&list, as: outcome, &result)
        let root = folder.path + "/"
        for file in list.files ?? [] {
            do throws(FileError) {
                try files.remove(root + file)
                // The file of users stays in the list of a store that could not be listed yet: see ``specify(_:_:)``.
                if !list.isEverything || !UserLog.isName(file) { list.files?.removeAll { $0 == file } }
            } catch {
                result.warn(ofFiles: error)
            }
        }
        shared.current?.withdrawn = list.entries
        let isRepeated = result.warnings == withdrawalWarnings
        withdrawalWarnings = result.warnings
        if isRepeated { result.warnings = [] }
        return result
    }

    /// Lists the content of a store that could not be listed before, and the files of a list of an earlier version. If the list
    /// has a file of known users, it is that of an erasure: all such files are listed, except the one of the new state.
    private func specify(_ list: inout WithdrawalList, _ result: inout Withdrawal) {
        let isListable = list.isEverything && !isInMemory
        guard isListable || list.files == nil else { return }
        do {
            var found = try folder.withdrawalList()
            if isListable, list.files?.contains(where: UserLog.isName) == true {
                let position = shared.current?.users.position
                let current = position.flatMap { $0.bytes > 0 ? UserLog.name($0.file) : nil }
                found.files?.append(contentsOf: try UserLog.names(files, folder.path).filter { $0 != current })
            }
            if isListable { list.isEverything = false } else { found.runs = [] }
            list.formUnion(found)
        } catch {
            result.warn(ofFiles: error)
        }
    }

    /// Empties the listed run folders of this process, or all of them.
    private mutating func emptyQueues(
        _ list: inout WithdrawalList,
        isAll: Bool,
        as outcome: Ledger.Outcome,
        _ result: inout Withdrawal
    ) {
        let root = folder.path + "/"
        let listed = Set(list.runs.map { root + $0 })
        for index in queues.indices {
            let removal = queues[index].queue.removeAll(at: { isAll || listed.contains($0) }, as: outcome)
            result.events += removal.events
            for error in removal.errors { result.warn(ofEvents: error) }
            for path in removal.done {
                if path == queues.first.queue.own.path { result.emptiesOwnRun = true }
                // A queue in memory, of a store that is on the disk again, has no files there. While the store is in memory, what
                // is left of a queue on the disk is covered by ``WithdrawalList/isEverything``.
                guard path.hasPrefix(root) else { continue }
                finish(String(path.dropFirst(root.count)), left: removal.left, &list, &result)
            }
        }
    }

    /// Empties the listed run folders that no process uses.
    private func emptyUnusedRuns(
        _ list: inout WithdrawalList,
        as outcome: Ledger.Outcome,
        _ result: inout Withdrawal
    ) {
        for run in list.runs {
            do throws(StoreError) {
                guard let removal = try emptyUnused(run, as: outcome) else { continue }
                result.events += removal.events
                if let error = removal.error { result.warn(ofEvents: error) }
                finish(run, left: removal.left, &list, &result)
            } catch {
                result.warn(ofEvents: error)
            }
        }
    }

    /// Removes an emptied run folder from the list, and its crash files from the disk. Files that cannot be removed replace it
    /// in the list, so that events that are recorded later in the folder stay.
    /// - Parameter left: paths of segments that are left, of this folder and others.
    private func finish(_ run: String, left: [String], _ list: inout WithdrawalList, _ result: inout Withdrawal) {
        let root = folder.path + "/"
        var rest = left.filter { $0.hasPrefix("\(root)\(run)/") }
        do throws(FileError) {
            for file in try folder.traces(in: root + run) {
                do throws(FileError) {
                    try files.remove(file)
                } catch {
                    rest.append(file)
                    result.warn(ofFiles: error)
                }
            }
        } catch {
            // Without a folder there is no file. Otherwise the folder stays in the list.
            guard error.isMissingFile else { return result.warn(ofFiles: error) }
        }
        list.runs.removeAll { $0 == run }
        list.files?.append(contentsOf: rest.map { String($0.dropFirst(root.count)) })
    }

    /// Empties a run folder that no process uses.
    /// - Returns: `nil` if a process uses the folder.
    private func emptyUnused(_ run: String, as outcome: Ledger.Outcome) throws(StoreError) -> RunFolder.Removal? {
        let files = files
        let path = "\(folder.path)/\(run)"
        return try StoreError.mapping {
            guard try files.size(of: path + "/lock") != nil else { return RunFolder.Removal(events: 0) }
            guard let lock = try files.lock(path + "/lock") else { return nil }
            defer { lock.unlock() }
            var (opened, _) = try RunFolder.open(files, path: path, lock: lock)
            return try opened.removeAll(as: outcome)
        }
    }

    /// Counts the outcome of middleware for one event; after the end, a dropped event is counted as disabled.
    package mutating func count(_ outcome: MiddlewareOutcome) {
        guard isOpen else {
            if outcome.droppedBy != nil { count(.disabled) }
            return
        }
        queues.first.queue.count(outcome)
    }
}
