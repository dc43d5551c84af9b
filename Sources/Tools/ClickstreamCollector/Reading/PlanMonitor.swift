#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Comparison of the stored events with a tracking plan.
///
/// Events are read by ``follow(_:)``, and the rest when a query needs it, each once. Events that are evicted later remain counted; a
/// reset of the store begins anew. All work runs on a thread of the monitor, also the conversion to JSON: however long it
/// takes, it delays no other request. The verdicts on single events are stored with them: see ``UploadDecoder/plan``.
actor PlanMonitor {
    /// Maximum bytes of the events read at once.
    private static let pieceBytes = 1_048_576

    private let store: Store
    nonisolated let executor = DispatchExecutor(label: "ClickstreamCollector.plan")
    private var coverage: PlanCoverage
    /// Position of the last event in ``coverage``.
    private var cursor: Int64 = 0
    /// Serializes the reading, which suspends this actor.
    private let turn = Semaphore(1)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ plan: TrackingPlan, store: Store) {
        self.store = store
        coverage = PlanCoverage(plan)
    }

    /// JSON of the comparison with all events of requests answered before this call. A task that is cancelled ends
    /// after the current event, and the next call continues there.
    func comparison() async throws -> [UInt8] {
        try await readEvents()
        return Array(coverage.json.description.utf8)
    }

    /// The comparison with the events that are read before a time.
    /// - Parameter isDue: true once that time has come; asked before each event.
    func comparison(until isDue: @Sendable () -> Bool) async throws -> Collector.PlanComparison {
        let isComplete = try await readEvents(until: isDue)
        return Collector.PlanComparison(coverage: coverage, isComplete: isComplete)
    }

    /// Reads events as they are stored, in pieces between which queries have their turn. Returns at the end of `changes`, or after
    /// the current event if the task is cancelled.
    /// - Parameter changes: an element for a first reading and for each arrival.
    func follow(_ changes: AsyncStream<Void>) async {
        for await _ in changes {
            // The next arrival or query continues; a query reports the failure.
            while (try? await readPieceInTurn()) == .more {}
        }
    }

    /// Outcome of the reading of a piece.
    private enum Progress: Sendable {
        /// All stored events are read.
        case complete
        case more
        /// The time came before the end of the piece.
        case due
    }

    private func readPieceInTurn() async throws -> Progress {
        try await turn.acquire()
        defer { turn.release() }
        return try await readPiece { false }
    }

    /// Adds all events after the cursor. Returns false if the time came first.
    @discardableResult
    private func readEvents(until isDue: @Sendable () -> Bool = { false }) async throws -> Bool {
        try await turn.acquire()
        defer { turn.release() }
        var progress = Progress.more
        while progress == .more { progress = try await readPiece(until: isDue) }
        return progress == .complete
    }

    /// Adds the next events after the cursor. Only in turn: the reading suspends this actor.
    private func readPiece(until isDue: @Sendable () -> Bool) async throws -> Progress {
        if isDue() { return .due }
        try Task.checkCancellation()
        let feed = try await store.feed(
            after: cursor,
            EventFilter(),
            form: .clickstream,
            maxBytes: Self.pieceBytes,
            withFindings: false
        )
        for entry in feed.entries {
            if isDue() { return .due }
            try Task.checkCancellation()
            take(entry)
            cursor = entry.sequence
        }
        cursor = feed.cursor
        return feed.hasMore ? .more : .complete
    }

    private func take(_ entry: Feed.Entry) {
        switch entry {
        case .event(let event):
            coverage.add(
                Self.value(of: event),
                at: PlanCoverage.Sighting(sequence: event.sequence, receivedAt: event.receivedAt)
            )
        case .reset: coverage = PlanCoverage(coverage.plan)
        case .request, .captured: break
        }
    }

    /// The event within the bounds in which ingestion checks it; null for one that is nested too deeply for the reader,
    /// which is counted without content.
    private static func value(of event: StoredEvent) -> JSONValue {
        let parsed = event.wholeText.withUnsafeBytes { bytes in
            // A stored event is well-formed.
            try? JSONReader.parse(bytes, within: .event)
        }
        return parsed?.value ?? JSONValue(.null)
    }

    /// Findings of one stored event as JSON; `nil` if the store does not have it.
    func findings(onEvent sequence: Int64) async throws -> [UInt8]? {
        guard let event = try await store.event(sequence, EventTexts()) else { return nil }
        return Array(coverage.json(ofFindingsOn: Self.value(of: event), sequence: sequence).description.utf8)
    }
}
#endif
