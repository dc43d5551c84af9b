#if Audit
package import ClickstreamCore

/// Queue of audit events in the store of a client.
///
/// Sendable without a lock of its own: the state is accessed under the client's lock only.
package final class ClientAuditStore: AuditStore, @unchecked Sendable {
    private let client: ClickstreamClient
    private let prefix: String
    private let endpoint: String?
    private let authCookie: String?
    private let maxPartitionBytes: Int
    /// The partition that is open for recording; `nil` until the first event.
    private var partition: (key: PartitionKey, bytes: Int)?
    /// The destination of the open queue.
    private var destination: Destination?

    /// Opens the queue.
    /// - Throws: an error for an invalid partition prefix.
    package init(_ client: ClickstreamClient, _ configuration: EventConfiguration) throws(AuditError) {
        let prefix = configuration.partitionPrefix
        guard prefix.utf8.count <= Self.maxPrefixBytes, PartitionKey(prefix) != nil else {
            throw .invalidPartitionPrefix(prefix)
        }
        self.client = client
        self.prefix = prefix
        endpoint = configuration.endpoint
        authCookie = configuration.authCookie
        maxPartitionBytes = max(1, configuration.maxPartitionBytes)
        client.withAccess { access, _ in self.open(&access) }
    }

    /// The maximum length of a prefix: a number with its hyphen follows.
    private static let maxPrefixBytes = 50

    /// Opens the queue, or changes its destination if that of the client has changed.
    private func open(_ access: inout RecorderAccess) {
        let configuration = access.configuration
        let next = Destination(
            format: AuditFormat(),
            appID: configuration.appID,
            endpoint: endpoint ?? AuditFormat.endpoint(of: configuration.endpoint),
            authCookie: endpoint == nil ? authCookie ?? configuration.authCookie : authCookie
        )
        guard next != destination else { return }
        access.open(next)
        destination = next
    }

    package func store(_ events: [AuditEvent], at moment: Moment) -> AuditError? {
        guard !events.isEmpty else { return nil }
        var record: [UInt8] = []
        record.reserveCapacity(events.reduce(0) { $0 + $1.json.count + 1 })
        for event in events {
            if !record.isEmpty { record.append(UInt8(ascii: ",")) }
            record += event.json
        }
        var outcome = StorageOutcome.closed
        client.withAccess(at: moment) { access, moment in
            self.open(&access)
            let key = self.key(for: record.count, &access)
            outcome = access.store(record, partition: key, format: AuditFormat.name, at: moment)
            if outcome == .stored || outcome == .keptInMemory { self.partition?.bytes += record.count }
        }
        return AuditError(outcome)
    }

    /// Returns the key of the partition that has room for a record: the open one, or the next.
    private func key(for bytes: Int, _ access: inout RecorderAccess) -> PartitionKey? {
        if let partition, partition.bytes == 0 || partition.bytes + bytes <= maxPartitionBytes { return partition.key }
        guard access.isEnabled else { return nil }
        let number = access.nextPartition(of: AuditFormat.name)
        partition = PartitionKey("\(prefix)-\(number)").map { ($0, 0) }
        return partition?.key
    }

    package func warn(_ text: String) {
        client.note(.warning(text))
    }
}

extension AuditError {
    /// Returns `nil` for events that survive the death of the process.
    init?(_ outcome: StorageOutcome) {
        switch outcome {
        case .stored: return nil
        case .keptInMemory: self = .keptInMemory
        case .disabled: self = .disabled
        case .closed: self = .unavailable
        case .dropped: self = .notStored(reason: "too many events wait for consent")
        case .failed(let error): self = .notStored(reason: "\(error)")
        }
    }
}
#endif
