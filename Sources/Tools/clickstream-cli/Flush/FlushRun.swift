import ClickstreamAnalytics
import ClickstreamAudit
import ClickstreamCore
import ClickstreamJudges

/// One call of `flush`.
struct FlushRun: Sendable {
    private let store: StoreOfApp
    private let format: OutputFormat
    /// In milliseconds.
    private let deadline: Int64?

    init(_ command: FlushCommand) throws(CommandFailure) {
        store = try command.store.location()
        format = command.format.inUse
        deadline = command.deadline?.milliseconds
    }

    func run() async throws -> ExitStatus {
        let configuration = store.configuration
        guard !configuration.endpoint.isEmpty else {
            throw CommandFailure(
                .configuration,
                "cannot flush: no endpoint is configured for app \(configuration.appID); set it with --endpoint URL, in "
                    + "CLICKSTREAM_ENDPOINT, or as endpoint in amplifyconfiguration.json"
            )
        }
        guard try store.exists() else {
            Console.warn("\(store.missing)")
            try print(DeliveryOutcome(store, FlushReport(), reason: nil, inUse: 0))
            return .done
        }
        let transport = LinuxTransport()
        let progress = ProgressLine("event", of: pendingEvents ?? 0)
        let start = SystemDependencies.time.now().steady
        var report = FlushReport()
        var inUse = 0
        repeat {
            if inUse > 0 { await Self.pause(upTo: timeLeft(since: start)) }
            let left: Int?
            (report, left) = try await flush(after: report, since: start, transport, progress)
            inUse = max(0, (left ?? report.retained) - report.retained)
            // Other processes may release their run folders.
        } while inUse > 0 && report.retained == 0 && !Task.isCancelled && timeLeft(since: start) > 0
        progress?.end()
        noteCapturedEvents()
        var reason = report.lastError.map { DeliveryOutcome.Reason.flush($0) }
        if Task.isCancelled { reason = .signal }
        let failure = report.retained == 0 ? nil : report.lastError
        report.retained += inUse
        if inUse > 0 { reason = reason ?? .heldByOthers }
        let outcome = DeliveryOutcome(store, report, reason: reason, inUse: inUse)
        try print(outcome)
        try Task.checkCancellation()
        if report.setAside > 0 { Console.warn("\(outcome.setAsideAccount)") }
        if report.isComplete { return .done }
        let hasPassed = report.lastError?.isDeadline == true || deadline != nil && timeLeft(since: start) == 0
        let status = Self.status(after: failure, deadlineHasPassed: hasPassed)
        Console.fail("\(outcome.account(status))")
        return status
    }

    /// Number of pending events of the queues that are flushed; `nil` if unreadable.
    private var pendingEvents: Int? {
        guard let events = store.pendingEvents, let audit = store.pendingEvents(of: .audit) else { return nil }
        return events + audit
    }

    /// Opens the queue of audit events, if it has any, for delivery to the path beside the endpoint.
    private func openAuditQueue(of client: ClickstreamClient) {
        guard let events = store.pendingEvents(of: .audit), events > 0 else { return }
        let configuration = store.configuration
        let destination = Destination(
            format: AuditFormat(),
            appID: configuration.appID,
            endpoint: AuditFormat.endpoint(of: configuration.endpoint),
            authCookie: configuration.authCookie
        )
        client.withAccess { access, _ in access.open(destination) }
    }

    /// Reports the events of formats whose endpoint only the app has.
    private func noteCapturedEvents() {
        for (form, events) in store.otherPendingEvents where form != .audit {
            Console.warn(
                "\(Plural.events(events, form.rawValue)) \(Plural.verb(events, "stays", "stay")) in the queue: only the app "
                    + "has the endpoint of this format, and sends \(events == 1 ? "it" : "them") at its next launch"
            )
        }
    }

    /// Pause before the events of running processes are tried again, in milliseconds.
    private static let retryPause: Int64 = 250

    private static func pause(upTo milliseconds: Int64) async {
        // Cancellation ends it at once, and is checked by the caller.
        try? await SystemDependencies.time.sleep(milliseconds: min(retryPause, milliseconds))
    }

    /// In milliseconds; none without a deadline.
    private func timeLeft(since start: Int64) -> Int64 {
        deadline.map { max(0, $0 - (SystemDependencies.time.now().steady - start)) } ?? 0
    }

    /// Opens the store, and sends the events that no other process holds.
    /// - Returns: the report of this flush added to `earlier`, and the number of events left, including those of other
    ///   processes.
    private func flush(
        after earlier: FlushReport,
        since start: Int64,
        _ transport: any ClickstreamClient.Transport,
        _ progress: ProgressLine?
    ) async throws -> (FlushReport, left: Int?) {
        let deadline = deadline.map { _ in timeLeft(since: start) }
        let client = try storeConnecting(before: deadline).client(as: .delivery, transport: transport) { notice in
            switch notice {
            case .uploaded(let events, _, _): progress?.advance(by: events)
            case .warning(let warning): Console.warn(warning.message)
            case .evicted(let events, let reason):
                Console.warn("removed \(Plural.events(events, "unsent")): \(reason)")
            // The report contains these.
            case .recorded, .captured, .unstored, .rejected, .sessionDecided, .retained, .deliveryRefused, .setAside:
                break
            }
        }
        openAuditQueue(of: client)
        let report = await withTaskCancellationHandler {
            // The client ends then: cut off at the deadline of each call, a slow request would never be delivered.
            await client.flushLast(deadline: deadline.map { .milliseconds($0) })
        } onCancel: {
            client.kill()
        }
        let left = pendingEvents
        client.terminate()
        if left == nil {
            Console.warn("the store \(store.folder) cannot be read any more; events that were sent may be sent again")
        }
        var total = earlier
        total.add(report)
        if Task.isCancelled { total.retained = left ?? total.retained }
        return (total, left)
    }

    /// Longest time between the end of an attempt to connect and the deadline, in milliseconds. No further attempt starts in
    /// it.
    private static let reportTime: Int64 = 250

    /// The store, with a connect timeout that ends before the deadline. At the deadline itself, the reason of an attempt
    /// under way is unknown.
    /// - Parameter deadline: time left in milliseconds; `nil` without a deadline.
    private func storeConnecting(before deadline: Int64?) -> StoreOfApp {
        guard let deadline else { return store }
        let timeout = max(1, deadline - min(Self.reportTime, deadline / 4))
        var store = store
        store.configuration.connectTimeout = min(store.configuration.connectTimeout, .milliseconds(timeout))
        return store
    }

    /// Exit status of a flush that left events in the store.
    /// - Parameter error: the reason of the flush; `nil` if other processes hold the events.
    static func status(after error: FlushError?, deadlineHasPassed: Bool) -> ExitStatus {
        switch error?.failure {
        case .redirected, .unauthorized:
            .configuration
        case .transport(.timedOut) where deadlineHasPassed:
            .deadline
        case .transport, .webPage:
            .serverUnavailable
        case .status, .tooLarge, .tooManyRefusals, .everythingRefused:
            .temporaryFailure
        case .noTransport, .disabled, .noEndpoint, .invalidEndpoint, .clientEnded, .childProcess, .offline, .storeInUse,
            .deadlinePassed, .pausing, .store, .interrupted, nil:
            deadlineHasPassed ? .deadline : .temporaryFailure
        }
    }

    private func print(_ outcome: DeliveryOutcome) throws {
        try Console.print(format == .human ? outcome.human : outcome.json)
    }
}

/// Outcome of a flush, for output.
struct DeliveryOutcome: Sendable {
    /// The reason for which events are left.
    enum Reason: Sendable, Equatable, CustomStringConvertible {
        case flush(FlushError)
        /// The command was stopped by a signal.
        case signal
        /// Processes that are running hold the events, and send them themselves.
        case heldByOthers

        var description: String {
            switch self {
            case .flush(let error): "\(error)"
            case .signal: "stopped by a signal"
            case .heldByOthers: "they belong to running processes, which send them"
            }
        }
    }

    private let store: StoreOfApp
    private let report: FlushReport
    private let reason: Reason?
    /// Events in run folders of running processes, which deliver them themselves.
    let inUse: Int

    init(_ store: StoreOfApp, _ report: FlushReport, reason: Reason?, inUse: Int) {
        self.store = store
        self.report = report
        self.reason = reason
        self.inUse = inUse
    }

    var human: String {
        var lines = [
            "\(Plural.events(report.sent)) sent in \(Plural.count(report.attempts, "request")) to "
                + "\(store.configuration.endpoint), \(report.sentBytes) bytes for \(report.rawBytes) bytes of JSON"
        ]
        if report.retained > 0 {
            lines.append(
                "\(Plural.events(report.retained)) kept in \(store.folder)" + (reason.map { ": \($0)" } ?? "")
            )
        }
        if report.setAside > 0 { lines.append("\(Plural.events(report.setAside)) moved to the dead letters") }
        if inUse > 0, reason != .heldByOthers {
            lines.append(
                "\(inUse) of these \(Plural.verb(inUse, "belongs", "belong")) to running processes, which send them"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// One JSON object. `bytes` is the size of the bodies as sent. `rejected` is always 0, and remains for scripts: a
    /// refused event becomes a dead letter.
    var json: String {
        JSONValue(
            .object([
                .text("app_id", store.configuration.appID), .text("store", store.folder),
                .text("endpoint", store.configuration.endpoint), .number("sent", report.sent),
                .number("retained", report.retained), .number("rejected", 0),
                .number("set_aside", report.setAside), .number("bytes", report.sentBytes),
                .number("raw_bytes", report.rawBytes), .number("attempts", report.attempts),
                .text("last_error", reason?.description), .number("in_use", inUse),
            ])
        ).description
    }

    var setAsideAccount: String {
        "the server rejected \(Plural.events(report.setAside)) permanently; 'clickstream-cli queue dead show' shows why, "
            + "'clickstream-cli queue dead requeue' sends them again"
    }

    /// Message on undelivered events: number, reason, place, advice.
    func account(_ status: ExitStatus) -> String {
        let advice =
            switch status {
            case .configuration: "correct it and flush again"
            case .serverUnavailable: "check the endpoint and the network, then flush again"
            case .deadline: "flush again with a longer --deadline"
            case .temporaryFailure where inUse == report.retained: "flush again when those processes have ended"
            default: "flush again later"
            }
        return "\(Plural.events(report.retained)) of \(store.configuration.appID) not delivered to "
            + "\(store.configuration.endpoint)" + (reason.map { ": \($0)" } ?? "")
            + "; kept in \(store.folder): \(advice)"
    }
}
