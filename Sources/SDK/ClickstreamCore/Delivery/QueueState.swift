/// State of a queue that the next request depends on.
struct QueueState: Sendable {
    var settings: DeliverySettings
    /// `nil` once the queue is delivered, or the client has ended.
    var destination: Destination?
    var pendingEvents = 0
    /// The next ranges to send, the oldest first.
    var ranges: [PendingRange] = []

    /// Address of a request; `nil` if there is no valid endpoint, or the queue is delivered.
    var address: RequestAddress? {
        guard let destination, let endpoint = try? Endpoint(destination.endpoint) else { return nil }
        return RequestAddress(endpoint: endpoint, destination: destination, settings: settings)
    }
}

/// Destination of a request, with the settings that it is made with.
struct RequestAddress: Sendable {
    var endpoint: Endpoint
    var destination: Destination
    var settings: DeliverySettings

    var format: any WireFormat { destination.format }
    /// Limits and encoding of a batch.
    var form: BatchForm { format.batch(settings.configuration) }
}
