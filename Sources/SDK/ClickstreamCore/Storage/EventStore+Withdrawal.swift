extension EventStore {
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

    /// Removes the events and files listed in ``StoredState/withdrawn``, which keeps what is left. To be called with the lock of
    /// the shared state, which is to be saved afterwards.
    /// - Parameter ofAllQueues: true if the queues of this process are emptied even if they are not listed.
    /// - Returns: the removal, without the warnings of the last one if they are the same.
    package mutating func completeWithdrawal(ofAllQueues: Bool, as outcome: Ledger.Outcome) -> Withdrawal {
        let state = isOpen ? shared.current : nil
        let stored = state?.withdrawn
        let list = WithdrawalList(entries: stored ?? [])
        var withdrawal = Withdrawal(list, from: folder, keeping: state?.users.position, as: outcome)
        guard let stored, ofAllQueues || !stored.isEmpty else { return withdrawal }
        withdrawal.complete(&queues, ofAllQueues: ofAllQueues)
        shared.current?.withdrawn = withdrawal.list.entries
        let isRepeated = withdrawal.warnings == withdrawalWarnings
        withdrawalWarnings = withdrawal.warnings
        if isRepeated { withdrawal.warnings = [] }
        return withdrawal
    }
}
