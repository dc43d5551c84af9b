import ClickstreamCore

/// Further clients that were closed last: an event that another thread records with their handles is counted in their stores.
enum ClosedClients {
    private static let capacity = 16

    private struct Closed: Sendable {
        let handle: Handle
        let client: ClickstreamClient
    }

    private final class Clients: Sendable {
        /// The oldest first.
        let last = Locked<[Closed]>([])
    }
    private static let clients = ProcessLocal(since: .reset) { Clients() }

    /// Adds a client that is being closed.
    static func add(_ client: ClickstreamClient, of handle: Handle) {
        let oldest = clients.current.last.withLock { last in
            last.append(Closed(handle: handle, client: client))
            return last.count > capacity ? last.removeFirst() : nil
        }
        // Released outside of the lock, since that may write to its store.
        _ = consume oldest
    }

    /// Counts an event that was recorded with the handle of a closed client, as disabled. Costs some file operations.
    static func countEvent(_ handle: Handle) {
        clients.current.last.withLock { $0.last { $0.handle == handle } }?.client.saveLateCall()
    }
}
