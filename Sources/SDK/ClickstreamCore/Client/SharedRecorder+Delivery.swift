extension SharedRecorder: DeliveryStore {
    package func deliver<Result: Sendable>(
        _ step: DeliveryStep,
        _ body: (inout EventStore, DeliverySettings, inout [Notice]) -> Result
    ) -> Result {
        change { $0.access.deliver(step, body) }
    }
}
