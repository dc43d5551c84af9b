/// Parts of one queue, from the oldest events on: on the disk, then in memory.
///
/// While a store is in memory, events are recorded to a part of the queue there. They are delivered after those on the disk,
/// which were recorded before, and are moved to the end of the part on the disk as soon as it can be used: no event is recorded
/// to the disk while an earlier one is in memory. So the queue has one order at all times.
///
/// A copy of the store's queues, to be read and dropped under the lock of the store.
package struct QueueParts: Sendable {
    /// Not empty.
    private let parts: [DestinationQueue]
    /// The destination of the events recorded last.
    package let destination: Destination

    /// - Returns: `nil` without any part.
    init?(_ parts: [DestinationQueue]) {
        guard let last = parts.last else { return nil }
        self.parts = parts
        destination = last.destination
    }

    package var pendingEvents: Int { parts.reduce(0) { $0 + $1.queue.pendingEvents } }

    /// Returns the ranges behind `range`, in the order of delivery: at most `count`, each once. The first is the next to send once
    /// `range` is settled, if nothing else changes until then.
    /// - Parameter range: `nil` for the next ranges to send.
    package func ranges(behind range: QueueRange?, count: Int) -> [PendingRange] {
        guard let range else {
            guard let next = parts.lazy.compactMap(\.queue.next).first else { return [] }
            return [next] + ranges(behind: next.range, count: count - 1)
        }
        var found: [PendingRange] = []
        for part in parts where found.count < count {
            // A part that does not contain the range returns all of its ranges.
            found += part.queue.ranges(behind: range, count: count - found.count)
        }
        return found
    }
}
