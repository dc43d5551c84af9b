/// Delivery of one client: an uploader for each destination that has a queue.
///
/// Each uploader has its own pauses, so that an unavailable server does not delay the others. Thread-safe.
package final class Delivery: Sendable {
    private struct State: Sendable {
        /// Uploaders by queue number.
        var uploaders: [Int: Uploader] = [:]
        var isOnline = true
        var isStopped = false
    }

    private let stores: [any DeliveryStore]
    private let time: any TimeSource
    /// The numbers of the current queues.
    private let queues: @Sendable () -> [Int]
    private let make: @Sendable (Int) -> Uploader
    private let state = Locked(State())

    /// Delivery of a client, from its one store.
    package convenience init(
        _ store: any DeliveryStore,
        transport: (any ClickstreamClient.Transport)?,
        time: any TimeSource,
        ids: any IDSource,
        readsAhead: Bool
    ) {
        self.init(
            [store],
            queues: { store.deliver(.local) { store, _, _ in store.isOpen ? store.queueIDs : [] } },
            identity: { .number($0) },
            transport: transport,
            time: time,
            ids: ids,
            readsAhead: readsAhead
        )
    }

    /// - Parameters:
    ///   - stores: the stores that contain the queues; not empty.
    ///   - queues: returns the numbers of the current queues.
    ///   - identity: returns the queue with a number.
    package init(
        _ stores: [any DeliveryStore],
        queues: @escaping @Sendable () -> [Int],
        identity: @escaping @Sendable (Int) -> DeliveryQueue.Identity,
        transport: (any ClickstreamClient.Transport)?,
        time: any TimeSource,
        ids: any IDSource,
        readsAhead: Bool
    ) {
        self.stores = stores
        self.time = time
        self.queues = queues
        make = { number in
            Uploader(
                queue: DeliveryQueue(stores, identity(number)),
                transport: transport,
                time: time,
                ids: ids,
                readsAhead: readsAhead
            )
        }
    }

    /// The uploaders of the current queues. An uploader whose queue is delivered is released.
    private var uploaders: [Uploader] {
        let queues = queues()
        return state.withLock { state in
            guard !state.isStopped else {
                return state.uploaders.orderedByNumber { Int64($0.key) }.map(\.value)
            }
            for queue in state.uploaders.keys where !queues.contains(queue) {
                state.uploaders.removeValue(forKey: queue)?.stop()
            }
            for queue in queues where state.uploaders[queue] == nil {
                let uploader = make(queue)
                if !state.isOnline { uploader.setOnline(false) }
                state.uploaders[queue] = uploader
            }
            return queues.compactMap { state.uploaders[$0] }
        }
    }

    /// The same, after the stores were prepared for a flush.
    private var uploadersForFlush: [Uploader] {
        let now = time.now().wall
        for store in stores { store.findStore(before: now) }
        return uploaders
    }

    /// Starts a flush to each destination and returns at once.
    package func flushSoon() {
        for uploader in uploadersForFlush { uploader.flushSoon() }
    }

    /// Flushes to all destinations at the same time, and returns the outcome.
    package func flush(deadline: Duration?) async -> FlushReport {
        await flush(deadline: deadline, isLast: false)
    }

    /// Flushes before the end of the client. No request begins after the deadline; the requests under way then have their own
    /// time limits, since they would be sent again by the next process if they were cut off. Ends all delivery for good.
    package func flushLast(deadline: Duration?) async -> FlushReport {
        let report = await flush(deadline: deadline, isLast: true)
        // Flushes that were requested since.
        _ = await finish()
        return report
    }

    private func flush(deadline: Duration?, isLast: Bool) async -> FlushReport {
        let uploaders = uploadersForFlush
        guard let first = uploaders.first else { return FlushReport() }
        guard uploaders.count > 1 else { return await first.flush(deadline: deadline, isLast: isLast) }
        return await withTaskGroup(of: FlushReport.self) { group in
            for uploader in uploaders {
                group.addTask { await uploader.flush(deadline: deadline, isLast: isLast) }
            }
            var total = FlushReport()
            for await report in group { total.join(report) }
            return total
        }
    }

    /// Flushes to each destination without a flush under way.
    /// - Returns: true if no events are left; false if a flush under way may leave some.
    package func flushUnlessRunning() async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for uploader in uploadersForFlush {
                group.addTask { await uploader.flushUnlessRunning()?.isComplete ?? false }
            }
            return await group.reduce(true) { $0 && $1 }
        }
    }

    /// Sets the availability of the network.
    package func setOnline(_ isOnline: Bool) {
        let uploaders = uploaders
        state.withLock { $0.isOnline = isOnline }
        for uploader in uploaders { uploader.setOnline(isOnline) }
    }

    /// True while a flush is under way. Does not take the client's lock.
    package var isRunning: Bool { state.withLock { $0.uploaders.values.contains(where: \.isRunning) } }

    /// Ends all delivery for good, once the requests under way have ended.
    /// - Returns: true unless the last attempt to a destination failed.
    package func finish() async -> Bool {
        let uploaders = uploaders
        state.withLock { $0.isStopped = true }
        return await withTaskGroup(of: Bool.self) { group in
            for uploader in uploaders { group.addTask { await uploader.finish() } }
            return await group.reduce(true) { $0 && $1 }
        }
    }

    /// Ends all delivery for good, at once.
    package func stop() {
        let uploaders = uploaders
        state.withLock { $0.isStopped = true }
        for uploader in uploaders { uploader.stop() }
    }
}
