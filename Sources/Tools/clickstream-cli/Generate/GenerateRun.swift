import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan
import ClickstreamReplay
import ClickstreamSimulation

/// One call of `generate`: simulates users until enough events are recorded, and prints a report. A class, because
/// concurrent tasks share the counts.
final class GenerateRun: Sendable {
    /// Maximum time at the end in which the server accepts no event of any user, in milliseconds.
    static let timeout: Int64 = 10_000
    /// The same for a server that has accepted nothing yet, and for the last events of a user during a run.
    private static let shortTimeout: Int64 = 1_000
    /// Maximum number of tasks that simulate users, so that requests overlap.
    private static let lanes = 16

    let command: GenerateCommand
    private let format: OutputFormat
    let tally: GenerateTally
    private let start = SystemDependencies.time.now()
    /// The seed of the next user.
    private let nextSeed: Locked<UInt64>

    private let plan: PlanSampler?

    init(_ command: GenerateCommand, plan: PlanSampler?) {
        self.command = command
        self.plan = plan
        format = command.format.inUse
        let forms = command.form.isEmpty ? [CapturedFormat.clickstream] : command.form
        tally = GenerateTally(events: command.plannedEvents, prints: command.dryRun ? Set(forms.map(\.name)) : [])
        nextSeed = Locked(command.seed)
    }

    func run() async throws -> ExitStatus {
        // Violations are intended: they are counted, not printed.
        Diagnostics.leaveToObserver()
        guard !command.dryRun else { return try await dryRun() }
        let collector = command.endpoint == nil ? try await EmbeddedCollector.start() : nil
        do {
            let status = try await send(to: command.endpoint ?? collector?.endpoint ?? "", collector)
            await collector?.stop()
            return status
        } catch {
            await collector?.stop()
            throw error
        }
    }

    private func dryRun() async throws -> ExitStatus {
        do {
            if command.server {
                try await serve(transport: nil, endpoint: nil)
            } else {
                try await live(users: command.users, transport: nil, endpoint: nil)
            }
        } catch {
            // Recorded events are printed in any case; the error is reported by the caller.
            try? ResultStream.standard.flush()
            throw error
        }
        try ResultStream.standard.flush()
        warnIfShort()
        return .done
    }

    private func send(to endpoint: String, _ collector: EmbeddedCollector?) async throws -> ExitStatus {
        let transport: any ClickstreamClient.Transport = collector == nil ? LinuxTransport() : SocketTransport()
        let wire = WireTransport(transport, duplicate: command.duplicate, seed: command.seed)
        let progress = GenerateProgress(tally, events: command.plannedEvents, longest: command.longest)
        let isStopped: Bool
        do {
            if command.server { try await serve(transport: wire, endpoint: endpoint) }
            let lanes = command.server ? 0 : min(Self.lanes, command.users)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<lanes {
                    let users = command.users / lanes + (lane < command.users % lanes ? 1 : 0)
                    group.addTask { try await self.live(users: users, transport: wire, endpoint: endpoint) }
                }
                try await group.waitForAll()
            }
            isStopped = false
        } catch is CancellationError {
            isStopped = true
        }
        progress?.end()
        let report = GenerateReport(
            endpoint: command.endpoint,
            seed: command.seed,
            tally: tally.counts,
            wire: wire.counts,
            milliseconds: SystemDependencies.time.now().steady - start.steady,
            summary: try await Self.summary(of: collector)
        )
        try Console.print(format == .human ? report.human : report.json)
        if isStopped { throw CancellationError() }
        warnIfShort()
        guard report.undelivered > 0 else { return .done }
        let advice =
            command.endpoint == nil
            ? "the collector of this process was too slow; use a lower --rate or fewer --users"
            : "check the endpoint and the app ids that it accepts"
        throw CommandFailure(
            .serverUnavailable,
            "\(report.undelivered) of \(tally.counts.stored) events not delivered to \(endpoint)"
                + (wire.failure.map { ": \(Console.escaped($0))" } ?? "")
                + "; \(advice)"
        )
    }

    private static func summary(of collector: EmbeddedCollector?) async throws -> CollectSummary? {
        guard let collector else { return nil }
        // After a stop by signal the summary is still printed.
        return try await Task.detached { try await collector.summary() }.value
    }

    // MARK: - Users

    /// Simulates users in turn, in an order derived from the seed, until enough events are recorded.
    private func live(users: Int, transport: WireTransport?, endpoint: String?) async throws {
        var order = ShopLife.Numbers(seed: nextSeed.withLock { $0 } ^ 0x6F72_6465_72)
        var shoppers: [Shopper] = []
        while true {
            try Task.checkCancellation()
            let elapsed = SystemDependencies.time.now().steady - start.steady
            if let longest = command.longest, transport != nil, elapsed >= longest {
                break
            }
            try tally.checkWriting()
            if shoppers.count < users { shoppers.append(shopper(transport, endpoint)) }
            var index = Int.random(in: 0..<shoppers.count, using: &order)
            if try await !turn(of: shoppers[index]) {
                // The step may record more than is left; a user in the foreground can record a single event.
                let other = shoppers.firstIndex { $0.isInForeground }
                if let other, other != index, try await turn(of: shoppers[other]) {
                    index = other
                } else if tally.isReserved {
                    // Another lane may have reserved more than it will record.
                    try await SystemDependencies.time.sleep(milliseconds: 1)
                    continue
                } else if let filler = try await fill(&shoppers, transport, endpoint) {
                    index = filler
                } else {
                    break
                }
            }
            if shoppers[index].hasEnded {
                // The last events of a user are sent before the next user begins.
                let old = shoppers.remove(at: index)
                if transport != nil { try await old.finish(timeout: Self.shortTimeout) }
            }
            if transport != nil { try await pace() }
        }
        guard let transport else { return }
        let timeout = transport.isAnswered ? Self.timeout : Self.shortTimeout
        let now = SystemDependencies.time.now().steady
        var deadline = ProgressDeadline(after: timeout, progress: tally.counts.delivered, at: now)
        for shopper in shoppers {
            let now = SystemDependencies.time.now().steady
            try await shopper.finish(timeout: deadline.timeLeft(progress: tally.counts.delivered, at: now))
        }
    }

    /// Plays the next step of a user.
    /// - Returns: false if enough events are recorded, or the step may record too many.
    private func turn(of shopper: Shopper) async throws -> Bool {
        // Near the end, users in the foreground remain there and record single events.
        let isShort = tally.isNearEnd && shopper.isInForeground
        let maxEvents = shopper.maxEventsOfNextStep
        if !isShort || !shopper.isAboutToLeave, tally.reserve(maxEvents) {
            defer { tally.release(maxEvents) }
            try await shopper.play()
            return true
        }
        guard shopper.isInForeground, tally.reserve(1) else { return false }
        defer { tally.release(1) }
        try await shopper.playOneEvent()
        return true
    }

    /// Records one of the last events if no user can play a step and none is in the foreground.
    ///
    /// Uses a user in the background, a launch of a further user, or, for fewer events than a launch records, a client
    /// without a launch.
    /// - Returns: the index of the user that recorded; `nil` when all events are recorded or reserved.
    private func fill(
        _ shoppers: inout [Shopper],
        _ transport: WireTransport?,
        _ endpoint: String?
    ) async throws -> Int? {
        let recorded = tally.counts.recorded
        // A client that records nothing more ends the run instead of repeating the attempt.
        func filled(_ index: Int) -> Int? { tally.counts.recorded > recorded ? index : nil }
        if let running = shoppers.firstIndex(where: \.isRunning) {
            guard tally.reserve(1) else { return nil }
            defer { tally.release(1) }
            try await shoppers[running].playOneEvent()
            return filled(running)
        }
        let launches = tally.reserve(Shopper.maxEventsOfLaunch)
        let reserved = launches ? Shopper.maxEventsOfLaunch : 1
        guard launches || tally.reserve(reserved) else { return nil }
        defer { tally.release(reserved) }
        shoppers.append(shopper(transport, endpoint, launches: launches))
        let added = shoppers.count - 1
        try await shoppers[added].play()
        if !launches { try await shoppers[added].playOneEvent() }
        return filled(added)
    }

    /// Explains fewer events than `--events`: the time was over first.
    private func warnIfShort() {
        guard let events = command.events, tally.counts.recorded < events else { return }
        let reason = "--duration ended first; use a longer --duration or a higher --rate"
        Console.warn("\(tally.counts.recorded) of \(events) events recorded: \(reason)")
    }

    private func shopper(
        _ transport: (any ClickstreamClient.Transport)?,
        _ endpoint: String?,
        launches: Bool = true
    ) -> Shopper {
        let seed = nextSeed.withLock { seed in
            defer { seed &+= 1 }
            return seed
        }
        let life = ShopLife(
            appID: command.appID,
            seed: seed,
            invalid: command.invalid,
            forms: command.capturedForms,
            plan: plan
        )
        let begin =
            transport == nil
            ? Timestamp(CivilTime(year: 2024, month: 1, day: 1))
            : SystemDependencies.time.now().wall + -life.span + -60_000
        let tally = tally
        var setup = Replayer.Setup(
            host: ClickstreamClient.Device(platform: "Linux"),
            files: MemoryFileSystem(),
            storage: "/generate",
            transport: transport,
            deliveryTime: SystemDependencies.time,
            endpoint: endpoint,
            start: begin,
            seed: seed,
            observe: { tally.take($0) }
        )
        setup.launches = launches
        setup.formats = .configured(Self.captureServers(beside: endpoint))
        return Shopper(life, setup)
    }

    /// Endpoints of the captured formats in the folder of another endpoint; empty without one.
    static func captureServers(beside endpoint: String?) -> Replayer.CaptureServers {
        let path = (endpoint ?? "").prefix { $0 != "?" && $0 != "#" }
        guard let scheme = path.firstRange(of: "://") else { return { _ in "" } }
        let slash = path[scheme.upperBound...].lastIndex(of: "/") ?? path.endIndex
        let folder = path[..<slash]
        return { "\(folder)/\($0.rawValue)" }
    }

    /// Waits until the next event is due.
    func pace() async throws {
        guard let perSecond = command.rate.perSecond else { return }
        let due = start.steady + Int64(Double(tally.counts.recorded) * 1_000 / perSecond)
        let now = SystemDependencies.time.now().steady
        let end = command.longest.map { start.steady + $0 } ?? .max
        if due > now { try await SystemDependencies.time.sleep(milliseconds: min(due, end) - now) }
    }
}

/// Counts the notices of the clients, and the events still to record. Callable from any thread.
final class GenerateTally: Sendable {
    struct Counts: Sendable, Hashable {
        var recorded = 0
        /// Events in captured formats, by format.
        var captured: [FormatName: Int] = [:]
        /// Events that break a rule.
        var invalid = 0
        var delivered = 0
        var rawBytes = 0
        /// Removed unsent, because the server was unreachable for too long.
        var evicted = 0

        /// The number of events in all formats.
        var stored: Int { captured.values.reduce(recorded, +) }
    }

    private struct State: Sendable {
        var counts = Counts()
        var reserved = 0
        var failure: CommandFailure?
    }

    private let state = Locked(State())
    private let events: Int?
    private let prints: Set<FormatName>

    /// - Parameters:
    ///   - events: number of events to record; `nil` for no limit.
    ///   - prints: formats whose events are printed.
    init(events: Int?, prints: Set<FormatName>) {
        self.events = events
        self.prints = prints
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// True if a user is about to record.
    var isReserved: Bool { state.withLock { $0.reserved > 0 } }

    /// True if the number is almost reached.
    var isNearEnd: Bool {
        guard let events else { return false }
        return state.withLock { events - $0.counts.recorded - $0.reserved <= 5 * Shopper.maxEvents }
    }

    /// Reserves a number of the events still to record; false if fewer are left.
    func reserve(_ count: Int) -> Bool {
        guard let events else { return true }
        return state.withLock { state in
            guard events - state.counts.recorded - state.reserved >= count else { return false }
            state.reserved += count
            return true
        }
    }

    func release(_ count: Int) {
        guard events != nil else { return }
        state.withLock { $0.reserved -= count }
    }

    /// - Throws: the error of printing an event.
    func checkWriting() throws(CommandFailure) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func take(_ notice: Notice) {
        switch notice {
        case .recorded(let name, _, let line, let violations):
            let breaks = name == EventName.clickstreamError || !violations.isEmpty
            state.withLock { state in
                state.counts.recorded += 1
                if breaks { state.counts.invalid += 1 }
            }
            if prints.contains(.clickstream) { write(line) }
        case .captured(let format, let line):
            state.withLock { $0.counts.captured[format, default: 0] += 1 }
            if prints.contains(format) { write(line) }
        case .uploaded(let events, let rawBytes, _):
            state.withLock { state in
                state.counts.delivered += events
                state.counts.rawBytes += rawBytes
            }
        case .evicted(let events, _):
            state.withLock { $0.counts.evicted += events }
        case .unstored, .rejected, .sessionDecided, .retained, .deliveryRefused, .setAside, .warning:
            // Counted as undelivered at the end, or intended.
            break
        }
    }

    private func write(_ line: [UInt8]) {
        do {
            try ResultStream.standard.write(line: line)
        } catch {
            state.withLock { $0.failure = error as? CommandFailure ?? CommandFailure(.inputOutput, "\(error)") }
        }
    }
}
