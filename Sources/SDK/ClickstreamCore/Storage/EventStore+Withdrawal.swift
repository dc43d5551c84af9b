extension EventStore {
    /// See ``OpenStore/beginWithdrawal(ofUsers:)``.
    mutating func beginWithdrawal(ofUsers: Bool = false) -> [Notice.Warning] {
        current.beginWithdrawal(ofUsers: ofUsers)
    }

    /// True if there is something to be removed: by this process, or by another one that uses the run folder.
    var hasWithdrawal: Bool { state?.withdrawn.isEmpty == false }

    /// See ``OpenStore/completeWithdrawal(ofAllQueues:as:)``; `nil` after the end.
    mutating func completeWithdrawal(ofAllQueues: Bool, as outcome: EventOutcome) -> Withdrawal? {
        isOpen ? current.completeWithdrawal(ofAllQueues: ofAllQueues, as: outcome) : nil
    }
}
