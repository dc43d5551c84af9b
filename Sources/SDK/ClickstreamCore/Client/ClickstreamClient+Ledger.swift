/// Accounting of a client, and the events that its server rejects.
extension ClickstreamClient {
    /// The ledger of this process's run folders, and the number of pending events there.
    package var ledger: (ledger: Ledger, pendingEvents: Int) { shared.read { $0.ledger } }

    /// The events of this app that a server will never take, for inspection and removal.
    package var deadLetters: DeadLetters { shared.read { $0.deadLetters } }

    /// Queues dead letters again: those with these event ids, or all.
    /// - Returns: their number.
    package func requeueDeadLetters(_ ids: Set<String>? = nil) throws(StoreError) -> Int {
        let result: Result<Int, StoreError> = shared.change { recorder in
            do throws(StoreError) {
                return .success(try recorder.requeueDeadLetters(ids))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
