/// Accounting of a client, and the events that its server rejects.
extension ClickstreamClient {
    /// The ledger of this process's run folders, and the number of pending events there.
    package var ledger: (ledger: Ledger, pendingEvents: Int) { shared.read { $0.access.log.store.ledger } }

    /// As ``ledger``, for a format of another module.
    package func ledger(of format: FormatName) -> (ledger: Ledger, pendingEvents: Int) {
        shared.read { $0.access.log.store.ledger(of: format) }
    }

    /// The events of this app that a server will never take, for inspection and removal.
    package var deadLetters: DeadLetters { shared.read { $0.access.log.store.deadLetters } }

    /// Queues dead letters again: those with these event ids, or all.
    /// - Parameter format: a format of another module; `nil` for the clickstream format.
    /// - Returns: their number.
    package func requeueDeadLetters(_ ids: Set<String>? = nil, format: FormatName? = nil) throws(StoreError) -> Int {
        let result: Result<Int, StoreError> = shared.change { recorder in
            do throws(StoreError) {
                return .success(try recorder.access.log.store.requeueDeadLetters(ids, format: format))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
