package import ClickstreamCore

/// Plays a script against a real ``ClickstreamClient``: every step is a call that an app or its platform would make.
///
/// The client's clock is virtual and moves only with the script's steps; delivery runs on the real one. Nothing of the
/// library is imitated here. Not copyable: it owns the process that the script brings to life.
package struct Replayer: ~Copyable {
    /// What a replay runs on.
    package struct Setup: Sendable {
        /// The machine's own facts, for what the script leaves open.
        package var host: Device
        package var files: any FileSystem
        /// The folder that holds the stores.
        package var storage: String
        /// `nil`: nothing is sent.
        package var transport: (any Transport)?
        /// False to open the app's store without a launch: no lifecycle events are recorded.
        package var launches = true
        package var deliveryTime: any TimeSource
        /// Replaces the script's endpoint.
        package var endpoint: String?
        /// The wall clock at the first step, when the script does not say.
        package var start: Timestamp
        /// Replaces the script's seed.
        package var seed: UInt64?
        /// Virtual milliseconds that pass in one real millisecond; `nil`: as fast as possible.
        package var speed: Double?
        package var observe: @Sendable (Notice) -> Void
        /// Is told of steps that were played and of milliseconds that passed on the script's clock, for a person who
        /// waits; `nil`: nobody does.
        package var advanced: (@Sendable (Script.Extent) -> Void)?

        package init(
            host: Device,
            files: any FileSystem,
            storage: String,
            transport: (any Transport)? = nil,
            deliveryTime: any TimeSource,
            endpoint: String? = nil,
            start: Timestamp,
            seed: UInt64? = nil,
            speed: Double? = nil,
            observe: @escaping @Sendable (Notice) -> Void
        ) {
            self.host = host
            self.files = files
            self.storage = storage
            self.transport = transport
            self.deliveryTime = deliveryTime
            self.endpoint = endpoint
            self.start = start
            self.seed = seed
            self.speed = speed
            self.observe = observe
        }
    }

    /// The app id of a script that names none.
    package static let defaultAppID = "clickstream_cli"

    private let script: Script
    private let setup: Setup
    private let time: VirtualTime
    private let ids: SeededIDs
    private var facts: LaunchFacts
    private var client: ClickstreamClient?
    /// The configuration of each app that recorded anything, as it was last, in the order of their first launch.
    private var apps: [Configuration] = []
    /// What the device reports of its network; `nil` until the script says something.
    private var networkType: String?
    private var isOnline = true
    /// On the steady clock of deliveries: since when the server takes nothing of what it is offered without a break; `nil`
    /// while it does, or nobody knows.
    private var silentSince: Int64?

    package init(_ script: Script, setup: Setup) {
        self.script = script
        self.setup = setup
        time = VirtualTime(start: script.start ?? setup.start)
        ids = SeededIDs(seed: setup.seed ?? script.seed)
        facts = script.facts
    }

    /// Plays all steps. What is queued at the end stays queued: see ``finish(patience:)``.
    /// - Throws: ``StoreError`` when a launch cannot open its store; `CancellationError` between two steps, or in the
    ///   middle of a wait, once the task is cancelled.
    package mutating func run() async throws {
        try await run(script.steps)
    }

    /// Plays some steps, whatever the script has; for who decides step by step whose turn it is.
    /// - Throws: as ``run()``.
    package mutating func play(_ steps: [Step]) async throws {
        try await run(steps)
    }

    /// Ends the process that the script left alive, and sends what is queued, as long as the server takes some of it.
    /// - Parameter patience: milliseconds of the real clock in which the server must have taken something.
    /// - Returns: what the last of those stretches came to: above all, what is left.
    package mutating func finish(patience: Int64) async throws(StoreError) -> FlushReport {
        guard setup.transport != nil else { return FlushReport() }
        let start = setup.deliveryTime.now().steady
        silentSince = await endDelivery() ? nil : silentSince ?? start
        // Whatever the script's device was at last, offline or switched off: what it recorded is handed over.
        end()
        var total = FlushReport()
        for configuration in apps {
            let sender = try open(configuration, launches: false)
            var report: FlushReport
            repeat {
                report = await Self.flush(sender, deadline: timeLeft(of: patience))
                if report.sent > 0 { silentSince = nil }
            } while !report.isComplete && report.sent > 0 && !Task.isCancelled
            sender.kill()
            total.retained += report.retained
            total.lastError = total.lastError ?? report.lastError.map { Self.reason($0, patience: patience) }
        }
        return total
    }

    /// Nobody asked for the deadline that is passed here: what counts is what the server did until then.
    private static func reason(_ text: String, patience: Int64) -> String {
        guard DeadlineReason.isGiven(by: text) else { return text }
        return DeadlineReason.failure(in: text) ?? "the server took nothing for \(patience) ms"
    }

    /// What is left of the time in which the server must have taken something; 0 when it would be too short for an answer.
    private func timeLeft(of patience: Int64) -> Int64 {
        guard let silentSince else { return patience }
        let left = patience - (setup.deliveryTime.now().steady - silentSince)
        return left < min(patience, 1_000) ? 0 : left
    }

    /// Lets the request under way of the process that is alive end, and sends no more.
    /// - Returns: whether the last that was tried, if anything was, went well.
    @discardableResult
    package func endDelivery() async -> Bool {
        guard let client else { return silentSince == nil }
        return await withTaskCancellationHandler {
            await client.endDelivery()
        } onCancel: {
            client.kill()
        }
    }

    /// Ends the process that the script left alive, without a call, as the end of the command does.
    package mutating func end() {
        client?.kill()
        client = nil
    }

    // MARK: Steps

    private mutating func run(_ steps: [Step]) async throws {
        for step in steps {
            try Task.checkCancellation()
            switch step.action {
            case .repeat(let times, let steps):
                for _ in 0..<times { try await run(steps) }
            case .launch(let overrides):
                facts = facts.overlaid(with: overrides)
                client = try launch()
            case .wait(let milliseconds):
                try await wait(milliseconds)
            case .clock(.by(let milliseconds)):
                time.shiftWall(by: milliseconds)
                updateZone()
            case .clock(.to(let timestamp)):
                time.setWall(to: timestamp)
                updateZone()
            case .network(let change):
                apply(change)
            case .background:
                client?.background()
                await flush()
            case .flush:
                await flush()
            case .terminate:
                await endDelivery()
                client?.terminate()
                client = nil
            case .kill:
                end()
            case .crash(let message, let stack):
                client?.crash(message: message, stack: stack)
                client = nil
            case .foreground, .screen, .record, .userID, .addUserAttributes, .addGlobalAttributes,
                .deleteGlobalAttributes, .configure, .enable, .disable:
                guard let client else { break }
                perform(step.action, on: client)
                if case .configure = step.action { note(client.configuration) }
            }
            setup.advanced?(Script.Extent(steps: 1))
        }
    }

    private func perform(_ action: Step.Action, on client: ClickstreamClient) {
        switch action {
        case .foreground: client.foreground()
        case .screen(let name, let id, let uniqueID): client.screen(name: name, id: id, uniqueID: uniqueID)
        case .record(let name, let attributes, let items): client.recordEvent(name, attributes, items)
        case .userID(let id): client.setUserID(id)
        case .addUserAttributes(let attributes): client.addUserAttributes(attributes)
        case .addGlobalAttributes(let attributes): client.addGlobalAttributes(attributes)
        case .deleteGlobalAttributes(let names): client.deleteGlobalAttributes(names)
        case .configure(let entries):
            client.configure { configuration in
                for entry in entries { entry.apply(to: &configuration) }
                if let endpoint = setup.endpoint { configuration.endpoint = endpoint }
            }
        case .enable: client.enable()
        case .disable: client.disable()
        case .launch, .background, .terminate, .kill, .crash, .wait, .clock, .flush, .network, .repeat: break
        }
    }

    // MARK: The process

    private mutating func launch() throws(StoreError) -> ClickstreamClient {
        var configuration = Configuration(appID: Self.defaultAppID)
        for entry in facts.configuration { entry.apply(to: &configuration) }
        if let endpoint = setup.endpoint { configuration.endpoint = endpoint }
        let client = try open(configuration, launches: setup.launches, records: !setup.launches)
        note(configuration)
        return client
    }

    private mutating func note(_ configuration: Configuration) {
        if let index = apps.firstIndex(where: { $0.appID == configuration.appID }) {
            apps[index] = configuration
        } else {
            apps.append(configuration)
        }
    }

    private func open(
        _ configuration: Configuration,
        launches: Bool,
        records: Bool = false
    ) throws(StoreError) -> ClickstreamClient {
        let client = try ClickstreamClient(
            configuration: configuration,
            device: device,
            storage: setup.storage,
            doors: ClickstreamClient.Doors(
                time: time,
                ids: ids,
                files: setup.files,
                transport: setup.transport,
                deliveryTime: setup.deliveryTime
            ),
            launches: launches,
            records: records,
            observe: setup.observe
        )
        if launches, !isOnline { client.setOnline(false) }
        return client
    }

    private var device: Device {
        var device = setup.host
        facts.apply(to: &device)
        device.zoneOffset = script.timeZone.milliseconds(at: time.now().wall)
        device.networkType = isOnline ? networkType ?? device.networkType : "UNKNOWN"
        return device
    }

    private mutating func apply(_ change: Step.NetworkChange) {
        switch change {
        case .offline:
            isOnline = false
        case .online:
            isOnline = true
        case .wifi, .mobile, .unknown:
            isOnline = true
            networkType = change.rawValue
        }
        let type = device.networkType
        client?.updateDevice { $0.networkType = type }
        client?.setOnline(isOnline)
    }

    // MARK: Time

    private mutating func wait(_ milliseconds: Int64) async throws {
        guard let speed = setup.speed else {
            await time.advance(milliseconds: milliseconds)
            updateZone()
            return
        }
        // What the server does meanwhile nobody knows.
        silentSince = nil
        // A tenth of a second of real time at once, so that timers fall due about when they should.
        var left = milliseconds
        while left > 0 {
            let slice = min(left, max(1, Int64(100 * speed)))
            try await setup.deliveryTime.sleep(milliseconds: Int64(Double(slice) / speed))
            await time.advance(milliseconds: slice)
            left -= slice
            setup.advanced?(Script.Extent(milliseconds: slice))
        }
        updateZone()
    }

    /// The zone's offset may have changed with the date: summer time.
    private func updateZone() {
        guard let client else { return }
        let offset = script.timeZone.milliseconds(at: time.now().wall)
        client.updateDevice { $0.zoneOffset = offset }
    }

    private mutating func flush() async {
        guard setup.transport != nil else { return }
        guard let client else { return }
        let start = setup.deliveryTime.now().steady
        let report = await Self.flush(client, deadline: nil)
        silentSince = report.isComplete || report.sent > 0 ? nil : silentSince ?? start
    }

    /// Flushes. A cancelled task does not wait for a server that is silent: it ends the process, and the events are kept.
    private static func flush(_ client: ClickstreamClient, deadline: Int64?) async -> FlushReport {
        await withTaskCancellationHandler {
            await client.flush(deadline: deadline)
        } onCancel: {
            client.kill()
        }
    }
}

extension Script {
    /// How much there is to play, or how much was played.
    package struct Extent: Sendable, Hashable {
        /// Steps; a `repeat` counts as what is in it, so many times.
        package var steps: Int
        /// What the waits come to.
        package var milliseconds: Int64

        package init(steps: Int = 0, milliseconds: Int64 = 0) {
            self.steps = steps
            self.milliseconds = milliseconds
        }

        package static func + (left: Extent, right: Extent) -> Extent {
            Extent(
                steps: Int(Int64(left.steps).sum(Int64(right.steps))),
                milliseconds: left.milliseconds.sum(right.milliseconds)
            )
        }

        package static func * (one: Extent, times: Int) -> Extent {
            Extent(
                steps: Int(Int64(one.steps).product(Int64(times))),
                milliseconds: one.milliseconds.product(Int64(times))
            )
        }
    }

    /// How much there is to play.
    package var extent: Extent { Self.extent(of: steps) }

    private static func extent(of steps: [Step]) -> Extent {
        steps.reduce(Extent()) { sum, step in
            switch step.action {
            case .repeat(let times, let steps): sum + extent(of: steps) * times
            case .wait(let milliseconds): sum + Extent(steps: 1, milliseconds: milliseconds)
            default: sum + Extent(steps: 1)
            }
        }
    }

    /// How far the wall clock is, at its furthest, from where it was at the first step, in milliseconds.
    ///
    /// A script that starts so long before now records nothing in the future.
    package var wallSpan: Int64 { Self.walk(steps).furthest }

    /// How far these steps move the wall clock, and how far ahead it is at its furthest meanwhile.
    private static func walk(_ steps: [Step]) -> (moved: Int64, furthest: Int64) {
        var moved: Int64 = 0
        var furthest: Int64 = 0
        for step in steps {
            switch step.action {
            case .wait(let milliseconds), .clock(.by(let milliseconds)):
                moved = moved.sum(milliseconds)
                furthest = max(furthest, moved)
            case .repeat(let times, let steps) where times > 0:
                let round = walk(steps)
                // Every round moves the clock as the first does: it is furthest in the first or in the last.
                let last = moved.sum(round.moved.product(Int64(times - 1)))
                furthest = max(furthest, moved.sum(round.furthest), last.sum(round.furthest))
                moved = last.sum(round.moved)
            default:
                break
            }
        }
        return (moved, furthest)
    }
}

extension Int64 {
    /// The sum, or the number nearest to it.
    fileprivate func sum(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }

    /// The product, or the number nearest to it.
    fileprivate func product(_ other: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self > 0) == (other > 0) ? .max : .min) : product
    }
}
