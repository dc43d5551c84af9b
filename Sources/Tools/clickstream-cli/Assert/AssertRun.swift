import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// One call of `assert`. A class, because the tasks that wait share the received events.
final class AssertRun: Sendable {
    /// Interval of connection attempts to a collector that is not running yet, in milliseconds.
    private static let interval: Int64 = 200

    private let command: AssertCommand
    private let address: CollectorAddress
    private let reader: CollectorReader
    private let expectations: Locked<Expectations>
    private let start = SystemDependencies.time.now().steady

    init(_ command: AssertCommand, _ address: CollectorAddress) throws {
        self.command = command
        self.address = address
        reader = CollectorReader(
            source: .collector(address),
            query: command.filters.query(try command.readsCaptured ? nil : .clickstream)
        )
        var expectations = try command.expectations()
        expectations.plan = try command.expected.plan.judge()
        expectations.coverage = command.expected.coverage(of: expectations.plan?.plan)
        self.expectations = Locked(expectations)
    }

    func run() async throws -> ExitStatus {
        let position = try await evaluateWhenAvailable()
        if !isDecided, let within = command.within {
            let left = max(0, within.milliseconds - (SystemDependencies.time.now().steady - start))
            let isSettled = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await self.follow(from: position)
                    return true
                }
                group.addTask {
                    try await SystemDependencies.time.sleep(milliseconds: left)
                    return false
                }
                let isSettled = try await group.next() ?? false
                group.cancelAll()
                return isSettled
            }
            if !isSettled { try await evaluate() }
        }
        return try await report()
    }

    /// True if no further event can change the outcome.
    private var isDecided: Bool {
        expectations.withLock { expectations in
            switch expectations.verdict {
            case .broken: true
            case .missing: false
            case .holds: expectations.wantsSomething
            }
        }
    }

    // MARK: - Evaluation

    /// Evaluates all expectations again, on all complete requests that the collector has stored.
    @discardableResult
    private func evaluate() async throws -> CollectorReader.Position {
        var evaluated = expectations.withLock { $0 }
        evaluated.reset()
        let position: CollectorReader.Position
        if let selected = try await evaluateSelected(evaluated) {
            (evaluated, position) = selected
        } else {
            (evaluated, position) = try await evaluateAll(evaluated)
        }
        let (duplicates, unreadable) = try await requests()
        evaluated.take(duplicates: duplicates, unreadableRequests: unreadable)
        let outcome = evaluated
        expectations.withLock { $0 = outcome }
        return position
    }

    /// Evaluates the expectations on the events that they can match; the collector counts the others.
    /// - Parameter empty: the expectations without events.
    /// - Returns: `nil` if all events are needed. A query with a filter is read in full, since the collector does not count
    ///   its events.
    private func evaluateSelected(_ empty: Expectations) async throws -> (Expectations, CollectorReader.Position)? {
        guard reader.query.isOpen, let selections = empty.selections, let totals = try await reader.totals() else {
            return nil
        }
        var evaluated = empty
        evaluated.take(totals)
        let progress = ProgressLine("event")
        defer { progress?.end() }
        for query in selections {
            let selected = CollectorReader(source: reader.source, query: query)
            try await selected.stored(upTo: totals.last) {
                evaluated.take(selected: $0)
                progress?.advance()
            }
        }
        if command.noErrors, totals.badEvents > 0 {
            let query = EventQuery(filter: EventFilter(status: .bad), form: reader.query.form)
            let bad = CollectorReader(source: reader.source, query: query)
            try await bad.stored(upTo: totals.last) {
                evaluated.take(bad: $0)
                progress?.advance()
            }
        }
        return (evaluated, CollectorReader.Position(cursor: totals.last))
    }

    /// Evaluates the expectations on all events of the query.
    /// - Parameter empty: the expectations without events.
    private func evaluateAll(_ empty: Expectations) async throws -> (Expectations, CollectorReader.Position) {
        // The number of events is known if the query has no condition.
        let total = Console.showsProgress && reader.query.isOpen ? Int(try await reader.count()) : nil
        let progress = ProgressLine("event", of: total)
        defer { progress?.end() }
        var evaluated = empty
        let position = try await reader.stored {
            evaluated.take($0)
            progress?.advance()
        }
        return (evaluated, position)
    }

    /// Evaluates the stored events; waits for the collector to start.
    private func evaluateWhenAvailable() async throws -> CollectorReader.Position {
        while true {
            do {
                return try await evaluate()
            } catch let failure as CommandFailure where failure.status == .serverUnavailable {
                // In a script the collector may have been started a moment ago.
                guard let within = command.within,
                    SystemDependencies.time.now().steady - start + Self.interval < within.milliseconds
                else { throw failure }
                try await SystemDependencies.time.sleep(milliseconds: Self.interval)
            }
        }
    }

    /// True if requests are checked.
    private var checksRequests: Bool {
        reader.query.readsRequests && (command.noErrors || command.expected.noDuplicates)
    }

    /// Numbers of duplicates and of unreadable requests.
    private func requests() async throws -> (duplicates: Int, unreadable: Int) {
        guard checksRequests else { return (0, 0) }
        let filter = reader.query.filter
        if filter.since == nil, filter.until == nil { return try await countedRequests() }
        return try await listedRequests()
    }

    /// The numbers that the collector has counted for all its requests.
    private func countedRequests() async throws -> (duplicates: Int, unreadable: Int) {
        let summaries = try await CollectorReader(source: reader.source, query: EventQuery()).summaries()
        let duplicates = summaries.reduce(0) { $0 + $1.duplicates }
        return (duplicates, summaries.reduce(0) { $0 + Int($1["bad_requests"]?.integer ?? 0) })
    }

    /// The numbers of the requests that were received in the time of the query.
    private func listedRequests() async throws -> (duplicates: Int, unreadable: Int) {
        var (duplicates, unreadable) = (0, 0)
        for path in ["/api/requests", "/api/captured/requests", "/api/audit/requests"] {
            var cursor: String?
            repeat {
                let page = try await reader.read(path, [("limit", "500"), ("cursor", cursor ?? "")])
                for request in page["requests"]?.array ?? [] where reader.query.includes(request.receivedAt) {
                    duplicates += request.duplicates
                    unreadable += request.isUnreadable ? 1 : 0
                }
                cursor = page["next"]?.string
            } while cursor != nil
        }
        return (duplicates, unreadable)
    }

    /// Follows new events until the outcome is certain.
    ///
    /// The stream delivers a request event by event. An excess is certain at once; that all expectations hold is read from
    /// the collector, since the rest of the request may still be on its way.
    private func follow(from position: CollectorReader.Position) async throws {
        var position = position
        while true {
            try await countUpdates(from: position)
            if expectations.withLock({ $0.verdict }) == .broken { return }
            position = try await evaluateWhenAvailable()
            if isDecided { return }
        }
    }

    /// Counts new events until they may decide the outcome.
    private func countUpdates(from position: CollectorReader.Position) async throws {
        try await reader.follow(from: position) { update in
            switch update {
            case .event(let event):
                expectations.withLock { $0.take(event) }
            case .request(let request) where checksRequests:
                // Earlier requests had neither, or the outcome would have been final.
                expectations.withLock {
                    $0.take(duplicates: request.duplicates, unreadableRequests: request.isUnreadable ? 1 : 0)
                }
            case .reset:
                expectations.withLock { if $0.events > 0 { $0.reset() } }
            case .request, .pause, .reconnected:
                break
            case .lost(let reason):
                Console.warn(
                    "lost \(reader.source.title): \(Console.escaped(reason)); retrying"
                )
            }
            return !isDecided
        }
    }

    // MARK: - Report

    private func report() async throws -> ExitStatus {
        let waited = SystemDependencies.time.now().steady - start
        var evaluated = expectations.withLock { $0 }
        // The result stays the same if the collector has stopped meanwhile.
        if evaluated.lacksNames, let (all, _) = try? await evaluateAll(Expectations([])) {
            evaluated.take(names: all.names)
        }
        var report = ExpectationReport(expectations: evaluated, waited: waited)
        if !report.holds, report.expectations.events == 0, !reader.query.isOpen {
            report.noMatch = (try? await reader.noMatch()) ?? report.noMatch
        }
        switch (command.report, command.format.inUse) {
        case (let format?, _):
            let text = report.machineReport.text(format)
            if !text.isEmpty { try Console.print(text) }
        case (nil, .human):
            for line in report.human(in: Style(isColoured: Console.usesColour)) { try Console.print(line) }
        case (nil, .ndjson), (nil, .json):
            try Console.print(report.json)
            for line in report.holds ? [] : report.human(in: Style(isColoured: false)) { Console.log(line) }
        }
        guard !report.holds else { return .done }
        // Waiting cannot undo an excess or an error.
        let mayHold = report.expectations.verdict == .missing
        let advice =
            command.within == nil && mayHold
            ? " (checked once; --within 10s waits for late events)"
            : "; see the events with 'clickstream-cli tail \(address.url)'"
        Console.fail(report.failure + advice)
        return .findings
    }
}

extension JSONValue {
    /// Members of a request, or of a summary, in the collector's JSON.
    fileprivate var duplicates: Int { Int(self["duplicates"]?.integer ?? 0) }
    fileprivate var isUnreadable: Bool { self["reason"]?.string != nil }
    fileprivate var receivedAt: Timestamp? { self["received_at"]?.integer.map { Timestamp(milliseconds: $0) } }
}
