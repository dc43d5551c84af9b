/// Store and withdrawals, as delivery sees them.
extension RecorderAccess {
    /// Performs a step of delivery, after applying the changes of other processes that it depends on.
    mutating func deliver<Result>(
        _ step: DeliveryStep,
        _ body: (inout EventStore, DeliverySettings, inout [Notice]) -> Result
    ) -> Result {
        switch step {
        // This process may have left something of a withdrawal.
        case .flush: if admission.usesConsent || log.store.isStateOutdated { changeState { _ in } }
        case .request: if log.store.isStateOutdated { changeState { _ in } }
        case .local: break
        }
        let settings = DeliverySettings(
            configuration: configuration,
            device: device,
            isEnabled: isEnabled && admission.isOpen
        )
        let result = body(&log.store, settings, &notices)
        if log.store.hasNotices { followStore() }
        return result
    }

    /// Adds the events that came after the end to the ledger of the store.
    mutating func saveLateCalls() {
        report(log.store.saveLateCalls())
    }

    /// Reports a failure to write the ledger.
    mutating func report(_ failure: StoreError?) {
        guard let failure else { return }
        warn(.stateNotSaved, "\(failure)")
    }
}
