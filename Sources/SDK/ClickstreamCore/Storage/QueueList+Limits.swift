/// Limits of all queues of a store together.
///
/// The limits of a store in memory apply to its queues in memory alone.
extension QueueList {
    private var limits: QueueLimits { first.queue.limits }

    /// Removes events until one of `count` bytes can be appended: those of former destinations first, then the oldest of any
    /// format.
    mutating func freeCapacity(for count: Int, at now: Timestamp) {
        if hasClosed {
            for index in indices where !self[index].isOpen {
                self[index].queue.evictAged(at: now)
                if first.isInMemory, !self[index].isInMemory { continue }
                while isFull(count), self[index].queue.evict(.bytes) {}
                while hasTooMany, self[index].queue.evict(.count) {}
            }
        }
        guard hasOpenOthers else { return }
        if limits.maxAge != nil {
            for index in indices where self[index].isOpen { self[index].queue.evictAged(at: now) }
        }
        while isFull(count), evictOldestOpen(.bytes) {}
        while hasTooMany, evictOldestOpen(.count) {}
    }

    /// True if an event with JSON of this many bytes can be appended without an eviction for the limits of bytes and events.
    func hasCapacity(forJSON count: Int) -> Bool {
        !isFull(count + EventRecord.headerCapacity + 1) && !hasTooMany
    }

    /// Removes the oldest segment that is not in flight, those of former destinations first.
    /// - Returns: false if there is none.
    mutating func evictOldest(_ reason: Notice.EvictionReason) -> Bool {
        for index in indices where !self[index].isOpen {
            if self[index].queue.evict(reason) { return true }
        }
        return evictOldestOpen(reason)
    }

    private mutating func evictOldestOpen(_ reason: Notice.EvictionReason) -> Bool {
        let open = indices.filter { self[$0].isOpen }
        let byAge = open.orderedByNumber { self[$0].queue.oldest?.milliseconds ?? .max }
        for index in byAge where self[index].queue.evict(reason) { return true }
        return false
    }

    /// Returns and clears the evictions since the last call.
    mutating func takeEvictions() -> [EventQueue.Eviction] {
        var evictions = first.queue.evictions.isEmpty ? [] : first.queue.takeEvictions()
        for index in others.indices { evictions += others[index].queue.takeEvictions() }
        return evictions
    }

    /// True if `count` more bytes exceed the limit.
    private func isFull(_ count: Int) -> Bool {
        (first.isInMemory ? bytesInMemory : storedBytes) + count > limits.maxBytes
    }

    /// True if one more event exceeds the limit.
    private var hasTooMany: Bool {
        limits.maxEvents.map { (first.isInMemory ? eventsInMemory : pendingEvents) + 1 > $0 } ?? false
    }
}
