/// Removal of queued events after a withdrawal of consent, by every format.
///
/// The folders to be emptied are saved in the shared state first, so that a process that ends in between leaves the rest to
/// the next opening of the store.
extension EventStore {
    /// Result of a removal.
    package struct Withdrawal: Sendable, Equatable {
        /// The number of removed events.
        package var events = 0
        /// Problems to report.
        package var warnings: [String] = []

        package init() {}
    }

    /// Name of all folders of a store that could not be listed because it is in memory: emptied when it is on disk again.
    private static let everything = "*"

    /// Adds all run folders to ``StoredState/withdrawn``; the state is to be saved before ``completeWithdrawal(as:)``. To be
    /// called with the lock of the shared state.
    package mutating func beginWithdrawal() -> [String] {
        var runs = isInMemory ? [Self.everything] : []
        var warnings: [String] = []
        do {
            runs += try folder.allRuns()
        } catch {
            warnings.append("\(error)")
        }
        shared.current?.withdrawn = runs
        return warnings
    }

    /// True if a run folder of this process, or one that no process uses, may have to be emptied.
    package var hasWithdrawal: Bool { shared.current?.withdrawn.isEmpty == false }

    /// Empties the run folders listed in ``StoredState/withdrawn`` that no other process uses, and removes dead letters and
    /// crash files. To be called with the lock of the shared state, which is to be saved afterwards.
    /// - Parameter ofAllQueues: true if the queues of this process are emptied even if they are not listed.
    package mutating func completeWithdrawal(ofAllQueues: Bool, as outcome: Ledger.Outcome) -> Withdrawal {
        var result = Withdrawal()
        guard isOpen, var listed = shared.current?.withdrawn, !listed.isEmpty else { return result }
        let isEverything = ofAllQueues || !isInMemory && listed.contains(Self.everything)
        let root = folder.path + "/"
        func isListed(_ path: String) -> Bool {
            isEverything || listed.contains { path == root + $0 }
        }
        var done: Set<String> = []
        var failed: Set<String> = []
        for index in queues.indices {
            let removal = queues[index].queue.removeAll(at: isListed, as: outcome)
            result.events += removal.events
            done.formUnion(removal.done)
            for (path, error) in removal.failed {
                failed.insert(path)
                result.warnings.append("Events without consent could not be removed: \(error)")
            }
        }
        for name in listed where name != Self.everything && !done.contains(root + name) && !failed.contains(root + name)
        {
            do throws(StoreError) {
                if let events = try emptyUnused(name, as: outcome) {
                    result.events += events
                    done.insert(root + name)
                }
            } catch {
                result.warnings.append("Events without consent could not be removed: \(error)")
            }
        }
        if !done.isEmpty { result.warnings += removeLeftovers() }
        listed.removeAll { $0 == Self.everything ? !isInMemory : done.contains(root + $0) }
        shared.current?.withdrawn = listed
        return result
    }

    /// Empties a run folder that no process uses.
    /// - Returns: the number of removed events; `nil` if a process uses the folder.
    private func emptyUnused(_ name: String, as outcome: Ledger.Outcome) throws(StoreError) -> Int? {
        let (files, folder) = (files, folder)
        let path = "\(folder.path)/\(name)"
        return try StoreError.mapping {
            guard try files.size(of: path + "/lock") != nil else { return 0 }
            guard let lock = try files.lock(path + "/lock") else { return nil }
            defer { lock.unlock() }
            var (run, _) = try RunFolder.open(files, path: path, lock: lock)
            for file in try folder.traces(in: path) { try files.remove(file) }
            return try run.removeAll(as: outcome)
        }
    }

    /// Removes the dead letters of all formats, and the crash files of this process's run folders and of the app.
    private func removeLeftovers() -> [String] {
        var warnings: [String] = []
        do {
            let folders = [folder] + (try folder.formats().map { folder.folder(existing: $0) })
            for folder in folders {
                for name in ["dead", "dead.old"] { try files.remove("\(folder.deliveryPath)/\(name)") }
            }
            for path in [folder.path] + runs.map({ folder.path(ofRun: $0) }) {
                for file in try folder.traces(in: path) { try files.remove(file) }
            }
        } catch {
            warnings.append("Dead letters or crashes without consent could not be removed: \(error)")
        }
        return warnings
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
