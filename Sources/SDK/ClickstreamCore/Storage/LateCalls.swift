/// Events after the end of a store, until they are counted as disabled in a manifest.
struct LateCalls: Sendable {
    /// The number of events that are in no manifest yet.
    private(set) var count = 0
    /// False if the events are added to no manifest.
    var isCounted = true
    /// True once the process ends: each event is added to a manifest before its call returns.
    var isSavedAtOnce = false
    /// The number of the run folder whose manifest contains the former ones.
    private var run: Int?

    mutating func add(_ events: Int) {
        count += events
    }

    /// Adds the events to the manifest of an unused run folder.
    mutating func save(in folder: StoreFolder, limits: QueueLimits) throws(StoreError) {
        guard isCounted, count > 0 else { return }
        // Shards count each call at once: a folder with events would be missed by a process that starts meanwhile.
        let taken = try limits.shards == nil ? folder.takeRun() : folder.takeEmptyRun(after: run)
        defer { taken.lock.unlock() }
        var queue = try EventQueue(folder.files, run: taken, limits: limits)
        queue.count(.disabled, count)
        queue.close()
        if let error = queue.manifestError { throw error }
        run = taken.number
        count = 0
    }
}
