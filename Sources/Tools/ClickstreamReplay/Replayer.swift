import ClickstreamCapture
package import ClickstreamCore
import ClickstreamSimulation

/// Runs a script against a real ``ClickstreamClient``: every step is a call of the app or its platform.
///
/// The client's clock is virtual and advances only with the script's steps; delivery uses the real clock. No part of
/// the library is mocked. Not copyable: it owns the simulated process.
package struct Replayer: ~Copyable {
    /// Environment of a replay.
    package struct Setup: Sendable {
        /// The properties of the host, used where the script defines none.
        package var host: ClickstreamClient.Device
        package var files: any FileSystem
        /// The folder that contains the stores.
        package var storage: String
        /// The transport; `nil` disables sending.
        package var transport: (any ClickstreamClient.Transport)?
        /// False to open the app's store without a launch: no lifecycle events are recorded.
        package var launches = true
        package var deliveryTime: any TimeSource
        /// True to deliver on the script's clock.
        package var deliversOnScriptTime = false
        /// True to send bodies without compression, whatever the script configures.
        package var isUncompressed = false
        /// Replaces the script's endpoint.
        package var endpoint: String?
        /// The wall clock at the first step, unless the script defines it.
        package var start: Timestamp
        /// Replaces the script's seed.
        package var seed: UInt64?
        /// The number of virtual milliseconds per real millisecond; `nil` for as fast as possible.
        package var speed: Double?
        /// Formats of automatic capture.
        package var formats = CaptureFormats.withEndpoint
        /// True to capture also if the script does not use automatic capture.
        package var capturesAlways = false
        package var observe: @Sendable (Notice) -> Void
        /// Called with the number of completed steps and elapsed virtual milliseconds, for a progress display.
        package var advanced: (@Sendable (Script.Extent) -> Void)?

        package init(
            host: ClickstreamClient.Device,
            files: any FileSystem,
            storage: String,
            transport: (any ClickstreamClient.Transport)? = nil,
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

        /// Applies the settings that replace those of a script.
        fileprivate func override(_ configuration: inout ClickstreamClient.Configuration) {
            if let endpoint { configuration.endpoint = endpoint }
            if isUncompressed { configuration.compressesEvents = false }
        }
    }

    /// The app id of a script without one.
    package static let defaultAppID = "clickstream_cli"

    let script: Script
    let setup: Setup
    private let time: VirtualTime
    private let ids: SeededIDs
    var facts: LaunchFacts
    private var client: ClickstreamClient?
    /// True if processes of the script have automatic capture.
    let isCapturing: Bool
    /// The capture of the client, if any.
    private(set) var capture: Capture?
    /// The user interface of the process.
    var interface: ScriptedInterface
    /// The last configuration of each app that recorded events, in the order of their first launch.
    private var apps: [App] = []
    /// The network type set by the script; `nil` before that.
    private var networkType: String?
    private var isOnline = true
    /// The time, on the delivery's monotonic clock, since which the server has accepted nothing; `nil` while it accepts
    /// events or its state is unknown.
    private var silentSince: Int64?

    private struct App {
        var configuration: ClickstreamClient.Configuration
        var capture: CaptureConfiguration?
    }

    package init(_ script: Script, setup: Setup) {
        self.script = script
        self.setup = setup
        time = VirtualTime(start: script.start ?? setup.start)
        ids = SeededIDs(seed: SeededIDs.seed(setup.seed ?? script.seed, appID: script.appID))
        facts = script.facts
        isCapturing = setup.capturesAlways || script.usesCapture
        interface = ScriptedInterface(script.pages ?? [:])
    }

    private var deliveryTime: any TimeSource { setup.deliversOnScriptTime ? time : setup.deliveryTime }

    /// Runs all steps. Queued events remain queued: see ``finish(timeout:)``.
    /// - Throws: ``StoreError`` if a launch cannot open its store; `CancellationError` between two steps, or during a
    ///   wait, once the task is cancelled.
    package mutating func run() async throws {
        try await run(script.steps)
    }

    /// Runs the given steps instead of the script's, for a caller that interleaves several replays.
    /// - Throws: the same errors as ``run()``.
    package mutating func play(_ steps: [Step]) async throws {
        try await run(steps)
    }

    /// Ends the simulated process and sends queued events as long as the server accepts some of them.
    /// - Parameter timeout: the maximum time in real milliseconds without an accepted event.
    /// - Returns: the remaining events.
    package mutating func finish(timeout: Int64) async throws(StoreError) -> Remainder {
        guard setup.transport != nil else { return Remainder() }
        let start = deliveryTime.now().steady
        silentSince = await endDelivery() ? nil : silentSince ?? start
        // Sends events recorded by the script even if it ended offline or disabled.
        end()
        var remainder = Remainder()
        for app in apps {
            let sender = try open(app.configuration, as: .delivery)
            let destinations = app.capture?.destinations(appID: app.configuration.appID) ?? []
            sender.withAccess { access, _ in
                for destination in destinations { access.open(destination) }
            }
            var report: FlushReport
            repeat {
                report = await Self.flush(sender, deadline: timeLeft(of: timeout))
                if report.sent > 0 { silentSince = nil }
            } while !report.isComplete && report.sent > 0 && !Task.isCancelled
            sender.kill()
            remainder.events += report.retained
            remainder.reason = remainder.reason ?? report.lastError.map { Remainder.Reason($0, timeout: timeout) }
        }
        return remainder
    }

    /// Returns the remaining time for the server to accept events; 0 if it is too short for a reply.
    private func timeLeft(of timeout: Int64) -> Int64 {
        guard let silentSince else { return timeout }
        let left = timeout - (deliveryTime.now().steady - silentSince)
        return left < min(timeout, 1_000) ? 0 : left
    }

    /// Completes the request in flight of the simulated process, and sends no more.
    /// - Returns: true if the last request, if any, succeeded.
    @discardableResult
    package func endDelivery() async -> Bool {
        guard let client else { return silentSince == nil }
        return await withTaskCancellationHandler {
            await client.endDelivery()
        } onCancel: {
            client.kill()
        }
    }

    /// Ends the simulated process without a lifecycle call, like the end of the command.
    package mutating func end() {
        client?.kill()
        leave()
    }

    /// Releases the client, which has ended.
    private mutating func leave() {
        capture = nil
        client = nil
    }

    // MARK: Steps

    private mutating func run(_ steps: [Step]) async throws {
        for step in steps {
            try Task.checkCancellation()
            // A repetition of nothing counts no steps, and may have 10^9 of each level.
            if case .repeat(_, let steps) = step.action, Script.areEmpty(steps) { continue }
            try await perform(step.action)
            setup.advanced?(Script.Extent(steps: 1))
        }
    }

    private mutating func perform(_ action: Step.Action) async throws {
        switch action {
        case .launch(let overrides):
            facts = facts.overlaid(with: overrides)
            try launch()
        case .foreground: client?.foreground()
        case .background:
            client?.background()
            await flush()
        case .terminate:
            await endDelivery()
            client?.terminate()
            leave()
        case .kill: end()
        case .crash(let message, let stack):
            client?.crash(message: message, stack: stack)
            leave()
        case .wait(let milliseconds): try await wait(milliseconds)
        case .sleep(let milliseconds): try await sleep(milliseconds)
        case .clock(.by(let milliseconds)): time.shiftWall(by: .milliseconds(milliseconds))
        case .clock(.to(let timestamp)): time.setWall(to: timestamp)
        case .screen(let name, let id, let uniqueID, let variables):
            if let capture, !variables.isEmpty {
                capture.screen(name: name, id: id, uniqueID: uniqueID, variables: variables)
            } else {
                client?.screen(name: name, id: id, uniqueID: uniqueID)
            }
        case .record(let name, let attributes, let items): client?.record(name, attributes: attributes, items: items)
        case .userID(let id): client?.setUserID(id)
        case .addUserAttributes(let attributes): client?.addUserAttributes(attributes)
        case .addGlobalAttributes(let attributes): client?.addGlobalAttributes(attributes)
        case .deleteGlobalAttributes(let names): client?.deleteGlobalAttributes(names)
        case .configure(let entries, let autoEvents): configure(entries, autoEvents)
        case .enable: client?.enable()
        case .disable: client?.disable()
        case .consent(let steps): for step in steps { client?.setConsent(step.decision, for: step.purpose) }
        case .flush: await flush()
        case .network(let change): apply(change)
        case .input(let input): try await perform(input)
        case .report(let report): perform(report)
        case .repeat(let times, let steps): for _ in 0..<times { try await run(steps) }
        }
    }

    private mutating func configure(_ entries: [ConfigurationEntry], _ autoEvents: [AutoEventType]) {
        guard let client else { return }
        capture?.enable(autoEvents)
        client.configure { configuration in
            for entry in entries { entry.apply(to: &configuration) }
            setup.override(&configuration)
        }
        note(client.configuration)
    }

    // MARK: Process

    private mutating func launch() throws(StoreError) {
        var configuration = ClickstreamClient.Configuration(appID: Self.defaultAppID)
        for entry in facts.configuration { entry.apply(to: &configuration) }
        setup.override(&configuration)
        let client = try open(configuration, as: setup.launches ? .app(goesToMemory: false) : .recording())
        self.client = client
        capture = captureConfiguration.map { Capture(client: client, configuration: $0) }
        interface = ScriptedInterface(script.pages ?? [:])
        note(configuration)
    }

    private mutating func note(_ configuration: ClickstreamClient.Configuration) {
        let app = App(configuration: configuration, capture: capture?.configuration)
        if let index = apps.firstIndex(where: { $0.configuration.appID == configuration.appID }) {
            apps[index] = app
        } else {
            apps.append(app)
        }
    }

    private func open(
        _ configuration: ClickstreamClient.Configuration,
        as role: ClientRole
    ) throws(StoreError) -> ClickstreamClient {
        let device = device
        var dependencies = ClickstreamClient.Dependencies(
            time: time,
            ids: ids,
            files: setup.files,
            transport: setup.transport,
            deliveryTime: deliveryTime
        )
        dependencies.device = VirtualDevice(device, zone: script.timeZone)
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: device,
            storage: setup.storage,
            dependencies: dependencies,
            observe: setup.observe
        )
        let client = try ClickstreamClient(in: world, as: role)
        if role.launches, !isOnline { client.setOnline(false) }
        return client
    }

    private var device: ClickstreamClient.Device {
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

    mutating func wait(_ milliseconds: Int64) async throws {
        guard let speed = setup.speed else {
            await time.advance(milliseconds: milliseconds)
            return
        }
        // The server's state during the wait is unknown.
        silentSince = nil
        // Advances in slices of 100 real milliseconds, so that timers fire at about the right time.
        var left = milliseconds
        while left > 0 {
            let slice = min(left, max(1, Int64(100 * speed)))
            try await setup.deliveryTime.sleep(milliseconds: Int64(Double(slice) / speed))
            await time.advance(milliseconds: slice)
            left -= slice
            setup.advanced?(Script.Extent(milliseconds: slice))
        }
    }

    private mutating func sleep(_ milliseconds: Int64) async throws {
        if let speed = setup.speed {
            silentSince = nil
            try await setup.deliveryTime.sleep(milliseconds: Int64(Double(milliseconds) / speed))
            setup.advanced?(Script.Extent(milliseconds: milliseconds))
        }
        await time.suspendMachine(for: .milliseconds(milliseconds))
    }

    private mutating func flush() async {
        guard setup.transport != nil else { return }
        guard let client else { return }
        let start = deliveryTime.now().steady
        let report = await Self.flush(client, deadline: nil)
        silentSince = report.isComplete || report.sent > 0 ? nil : silentSince ?? start
    }

    /// Flushes the queue. If the task is cancelled, ends the process instead of waiting for the server; the events are
    /// kept.
    private static func flush(_ client: ClickstreamClient, deadline: Int64?) async -> FlushReport {
        await withTaskCancellationHandler {
            await client.flush(deadline: deadline.map { .milliseconds($0) })
        } onCancel: {
            client.kill()
        }
    }
}
