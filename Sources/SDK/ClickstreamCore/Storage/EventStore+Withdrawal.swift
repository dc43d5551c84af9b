extension EventStore {
    /// Adds all run folders, dead letters and crash files to ``StoredState/withdrawn``; the state is to be saved before
    /// ``completeWithdrawal(ofAllQueues:as:)``. To be called with the lock of the shared state.
    /// - Parameter ofUsers: true if the files of known users are added too, which the state must not name.
    /// - Returns: problems to report.
    mutating func beginWithdrawal(ofUsers: Bool = false) -> [String] { current.beginWithdrawal(ofUsers: ofUsers) }

    /// True if there is something to be removed: by this process, or by another one that uses the run folder.
    var hasWithdrawal: Bool { state?.withdrawn.isEmpty == false }

    /// Removes the events and files listed in ``StoredState/withdrawn``, which keeps what is left. To be called with the lock of
    /// the shared state, which is to be saved afterwards.
    /// - Parameter ofAllQueues: true if the queues of this process are emptied even if they are not listed.
    /// - Returns: the removal, without the warnings of the last one if they are the same.
    mutating func completeWithdrawal(ofAllQueues: Bool, as outcome: Ledger.Outcome) -> Withdrawal {
        let withdrawal = isOpen ? current.completeWithdrawal(ofAllQueues: ofAllQueues, as: outcome) : nil
        return withdrawal ?? Withdrawal(WithdrawalList(), from: current.folder, keeping: nil, as: outcome)
    }
}
