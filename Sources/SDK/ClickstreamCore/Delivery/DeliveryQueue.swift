/// Queue of one destination, in the store of a client or in those of all shards of a server. Each step acquires the lock of each
/// store at most once, and never two at the same time. Thread-safe.
package struct DeliveryQueue: Sendable {
    /// Identity of the queue within its stores.
    package enum Identity: Sendable {
        /// The queue with that number, in the one store of a client.
        case number(Int)
        /// All queues of that server, whatever their cookies.
        case server(Destination)
    }

    private let stores: [any DeliveryStore]
    private let identity: Identity

    /// - Parameter stores: not empty.
    package init(_ stores: [any DeliveryStore], _ identity: Identity) {
        self.stores = stores
        self.identity = identity
    }

    /// True if a batch may contain ranges of several run folders.
    var mergesRuns: Bool {
        switch identity {
        case .number: false
        case .server: true
        }
    }

    /// The numbers of the queue in one of the stores.
    private func numbers(in store: inout EventStore) -> [Int] {
        switch identity {
        case .number(let number): [number]
        case .server(let server):
            store.queueIDs.filter { store.destination(of: $0)?.isSameServer(as: server) ?? false }
        }
    }

    // MARK: Steps of a flush

    /// Acquires the right to deliver, among all processes that share the store. It ends when the lock is released.
    func lock() -> (lock: (any FileLock)?, reason: FlushError?) {
        // Shards share the upload lock of their stores.
        stores[0].deliver(.flush) { store, _, _ in
            numbers(in: &store).first.map { store.lockForUpload($0) } ?? (nil, nil)
        }
    }

    /// Reads the state of the queue.
    /// - Parameters:
    ///   - range: the range that precedes those to return; `nil` for the next ones to send.
    ///   - count: the maximum number of ranges.
    func state(behind range: QueueRange? = nil, count: Int = 0) -> QueueState {
        var states: [QueueState] = []
        var lists: [[PendingRange]] = []
        for store in stores {
            let state = store.deliver(.local) { store, settings, _ in
                var state = QueueState(settings: settings)
                for number in numbers(in: &store) {
                    guard let parts = store.parts(of: number) else { continue }
                    state.destination = store.destination(of: number)
                    state.pendingEvents += parts.pendingEvents
                    if count > 0 { lists.append(parts.ranges(behind: range, count: count)) }
                }
                return state
            }
            states.append(state)
        }
        // All shards have the settings of the first; the cookie is that of the last change.
        return QueueState(
            settings: states[0].settings,
            destination: states.last { $0.destination != nil }?.destination,
            pendingEvents: states.reduce(0) { $0 + $1.pendingEvents },
            ranges: PendingRange.merged(lists, count: count)
        )
    }

    /// Begins a request: applies changes of other processes, and writes to the manifests that the ranges are about to be sent.
    /// - Returns: the bundle id of the first; `nil` if the ranges are not to be sent any more: one was evicted or removed, or
    ///   delivery was disabled.
    func begin(_ ranges: [QueueRange]) -> Int? {
        var bundleIDs: [Int: Int] = [:]
        change(ranges, as: .request) { index, queue, _ in bundleIDs[index] = queue.queue.begin(ranges[index]) }
        if bundleIDs.count == ranges.count { return bundleIDs[0] }
        withdraw(ranges.indices.filter { bundleIDs[$0] != nil }.map { ranges[$0] })
        return nil
    }

    /// Begins a request with a part of a range in flight.
    /// - Returns: the bundle id of the part; `nil` if its events are not to be sent any more.
    func begin(partOf range: QueueRange) -> Int? {
        change(range, as: .request) { queue in
            queue.queue.holds(range) ? queue.queue.reserveBundleID(for: range) : nil
        } ?? nil
    }

    /// Removes the marks of ranges that are not in flight any more.
    func withdraw(_ ranges: [QueueRange]) {
        change(ranges, as: .local) { index, queue, _ in queue.queue.withdraw(ranges[index]) }
    }

    /// Removes ranges without an event that can be read.
    func acknowledge(_ ranges: [QueueRange]) {
        change(ranges, as: .local) { index, queue, _ in queue.queue.acknowledge(ranges[index]) }
    }

    /// Removes ranges: some events of the first become dead letters, the server accepted all others.
    /// - Returns: the batches in a row, before this one, every part of which was refused.
    func settle(
        _ ranges: [QueueRange],
        setAside letters: [DeadLetter],
        noting outcome: [Notice]
    ) throws(StoreError) -> Int {
        var refusals: Result<Int, StoreError>?
        change(ranges, as: .local) { index, queue, notices in
            guard index == 0 else { return queue.queue.acknowledge(ranges[index]) }
            do throws(StoreError) {
                refusals = .success(try queue.settle(ranges[0], setAside: letters))
                notices += outcome
            } catch {
                refusals = .failure(error)
            }
        }
        if let refusals { return try refusals.get() }
        for notice in outcome { note(notice) }
        return 0
    }

    // MARK: Other changes

    /// Changes the queue that contains a range; returns `nil` once it is delivered, or the client has ended.
    func change<Result>(
        _ range: QueueRange,
        as step: DeliveryStep = .local,
        _ body: (inout DestinationQueue) -> Result
    ) -> Result? {
        var result: Result?
        change([range], as: step) { _, queue, _ in result = body(&queue) }
        return result
    }

    /// Changes, for each range, the queue that contains it.
    /// - Parameter body: receives the index of the range, the queue, and the notices to report.
    private func change(
        _ ranges: [QueueRange],
        as step: DeliveryStep,
        _ body: (Int, inout DestinationQueue, inout [Notice]) -> Void
    ) {
        var rest = Array(ranges.indices)
        for store in stores where !rest.isEmpty {
            store.deliver(step) { store, settings, notices in
                if step == .request, !settings.isEnabled { return }
                var unchanged: [Int] = []
                for index in rest {
                    let change: Void? = store.withQueue(containing: ranges[index]) { body(index, &$0, &notices) }
                    if change == nil { unchanged.append(index) }
                }
                rest = unchanged
            }
        }
    }

    /// Reports a notice.
    func note(_ notice: Notice) {
        stores[0].deliver(.local) { _, _, notices in notices.append(notice) }
    }

    /// Checks that the files of recorded events still have their names.
    func findStore() {
        for store in stores { store.findStore() }
    }
}
