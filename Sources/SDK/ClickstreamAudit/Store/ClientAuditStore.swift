#if Audit
package import ClickstreamCore

/// Queue of audit events in the store of a client.
package final class ClientAuditStore: AuditStore {
    private let client: ClickstreamClient
    private let prefix: String
    private let endpoint: String?
    private let authCookie: String?
    private let maxPartitionBytes: Int
    /// Locked after the client.
    private let state = Locked(State())

    private struct State: Sendable {
        /// The partition that is open for recording; `nil` until the first event.
        var partition: (key: PartitionKey, bytes: Int)?
        /// The destination of the open queue.
        var destination: Destination?
    }

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
        client.withAccess { access, _ in state.withLock { open(&$0, &access) } }
    }

    /// The maximum length of a prefix: a number with its hyphen follows.
    private static let maxPrefixBytes = 50

    /// Opens the queue, or changes its destination if that of the client has changed.
    private func open(_ state: inout State, _ access: inout RecorderAccess) {
        let configuration = access.configuration
        let next = Destination(
            format: AuditFormat(),
            appID: configuration.appID,
            endpoint: endpoint ?? AuditFormat.endpoint(of: configuration.endpoint),
            authCookie: endpoint == nil ? authCookie ?? configuration.authCookie : authCookie
        )
        guard next != state.destination else { return }
        access.open(next)
        state.destination = next
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
            outcome = state.withLock { state in
                open(&state, &access)
                let key = key(for: record.count, &state, &access)
                let outcome = access.store(record, partition: key, format: .audit, at: moment)
                if outcome == .stored || outcome == .keptInMemory { state.partition?.bytes += record.count }
                return outcome
            }
        }
        return AuditError(outcome)
    }

    /// Returns the key of the partition that has room for a record: the open one, or the next.
    private func key(for bytes: Int, _ state: inout State, _ access: inout RecorderAccess) -> PartitionKey? {
        if let partition = state.partition, partition.bytes == 0 || partition.bytes + bytes <= maxPartitionBytes {
            return partition.key
        }
        guard access.isEnabled else { return nil }
        let number = access.nextPartition(of: .audit)
        state.partition = PartitionKey("\(prefix)-\(number)").map { ($0, 0) }
        return state.partition?.key
    }

    package func warn(_ text: String) {
        client.note(.warning(.init(.audit, text)))
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
