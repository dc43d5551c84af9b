public import ClickstreamCore
import ClickstreamJudges

/// Simulated device for tests of an app: the real client with an in-memory disk, a virtual clock and a scripted server.
///
/// All recorded events are collected in order, over all launches, and checked with
/// ``expectEvent(_:count:fileID:filePath:line:column:where:)`` and similar methods. No method sleeps or accesses the disk
/// or the network; a launch takes about a millisecond. Thread-safe; use one recorder per test.
///
/// ```swift
/// @Test func buys() throws {
///     let recorder = ClickstreamTestRecorder()
///     try ClickstreamAnalytics.isolated(in: recorder.world) {
///         try ClickstreamAnalytics.initSDK()
///         Checkout().buy(price: 99.9)  // calls ClickstreamAnalytics.recordEvent
///     }
///     try recorder.expectEvent("purchase") { $0["_value"] == 99.9 }
/// }
/// ```
public final class ClickstreamTestRecorder: Sendable {
    /// The default settings of the app, which the app may override.
    package let configuration: ClickstreamClient.Configuration
    /// The device properties of events.
    package let device: ClickstreamClient.Device
    /// The virtual clock; advance it with ``advance(by:)``.
    public let time: VirtualTime
    /// The identifiers, derived from the seed.
    package let ids: SeededIDs
    /// The in-memory disk, which is kept over launches.
    public let disk: MemoryFileSystem
    /// The server, which answers 200 to every request by default.
    public let server: ScriptedServer

    private let report: (@Sendable (UnmetExpectation) -> Void)?
    private let heard = Locked(Heard())

    private struct Heard: Sendable {
        var notices: [Notice] = []
        var events: [RecordedEvent] = []
    }

    /// - Parameters:
    ///   - configuration: the settings of the app. Events are sent only by `ClickstreamClient.flush(deadline:)`, by
    ///     entering the background, and when the clock advances past the flush interval.
    ///   - device: the device properties of events; by default a Linux machine with version 1.0 of an app.
    ///   - start: the initial wall clock; by default 2024-01-01T00:00:00Z.
    ///   - seed: the seed of all identifiers: the same test produces the same events.
    ///   - report: called with each unmet expectation, which is then not thrown, so that the test continues. Use it to
    ///     report to a test library at the line of the expectation: see `Docs/testing.md`.
    public init(
        configuration: ClickstreamClient.Configuration = ClickstreamClient.Configuration(
            appID: "test_app",
            endpoint: "http://collector.test/collect"
        ),
        device: ClickstreamClient.Device = ClickstreamClient.Device(
            platform: "Linux",
            osVersion: "1",
            app: ClickstreamClient.Device.App(version: "1.0")
        ),
        start: Timestamp = Timestamp(milliseconds: 1_704_067_200_000),
        seed: UInt64 = 1,
        report: (@Sendable (UnmetExpectation) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.device = device
        self.report = report
        time = VirtualTime(start: start)
        ids = SeededIDs(seed: seed)
        disk = MemoryFileSystem()
        server = ScriptedServer(time: time)
    }

    // MARK: Processes of the app

    /// The environment for a client or for `ClickstreamAnalytics.isolated(in:_:)`.
    public var world: ClickstreamClient.World {
        ClickstreamClient.World(
            configuration: configuration,
            device: device,
            storage: "/stores",
            dependencies: ClickstreamClient.Dependencies(time: time, ids: ids, files: disk, transport: server),
            observe: { [self] in hear($0) }
        )
    }

    /// Launches a process of the app: a separate client, whose lifecycle methods are the platform's signals.
    ///
    /// End the previous client first, with `ClickstreamClient.terminate()` or ``kill(_:)``: two clients at once are two
    /// processes.
    /// - Parameters:
    ///   - configure: changes the settings of this launch.
    ///   - change: changes the device properties of this launch, such as the app's version.
    /// - Throws: `StoreError` if the store cannot be opened because of a fault on ``disk``.
    public func launch(
        configure: (inout ClickstreamClient.Configuration) -> Void = { _ in },
        device change: (inout ClickstreamClient.Device) -> Void = { _ in }
    ) throws(StoreError) -> ClickstreamClient {
        var world = world
        configure(&world.configuration)
        change(&world.device)
        world.storage = world.configuration.storageFolder ?? world.storage
        return try ClickstreamClient(in: world)
    }

    /// Ends the process like `kill -9`: nothing is recorded or sent; recorded events remain on the disk.
    public func kill(_ client: ClickstreamClient) {
        client.kill()
    }

    // MARK: Time

    /// Advances the clock and runs what is due on the way: automatic flushes, retries, timeouts.
    ///
    /// Returns when all of it has finished or is suspended until a later time. Takes microseconds for any duration.
    /// - Parameter duration: rounded down to milliseconds; zero runs what is due now.
    public func advance(by duration: Duration = .zero) async {
        await time.advance(milliseconds: duration.wholeMilliseconds)
    }

    // MARK: Recorded events

    /// All recorded events in order, over all launches, since the creation of the recorder or ``forget()``.
    public var events: [RecordedEvent] { heard.withLock { $0.events } }

    /// The names of ``events``, in order.
    public var names: [String] { events.map(\.name) }

    /// Returns the events of that name, in order.
    public func events(named name: String) -> [RecordedEvent] { events.filter { $0.name == name } }

    /// All notices of the clients, in order.
    public var notices: [Notice] { heard.withLock { $0.notices } }

    /// All violations in order; exceeded suggested limits are in ``warnings``.
    public var violations: [Violation] {
        notices.flatMap { notice -> [Violation] in
            switch notice {
            case .recorded(_, _, _, let violations), .rejected(let violations): violations
            default: []
            }
        }
    }

    /// The texts of all warnings and refused deliveries, in order; ``notices`` has their codes.
    public var warnings: [String] {
        notices.compactMap { notice in
            switch notice {
            case .warning(let warning): warning.message
            case .deliveryRefused: notice.description
            default: nil
            }
        }
    }

    /// The events received by ``server``, in the order of requests; an event sent twice appears twice.
    public var delivered: [RecordedEvent] {
        server.requests.flatMap { request -> [RecordedEvent] in
            guard case .events(let events) = ReceivedUpload(target: request.url, body: request.body).content else {
                return []
            }
            return events.lines.compactMap { RecordedEvent(json: Array($0)) }
        }
    }

    /// Clears the recorded events and notices. The disk and the server are unaffected.
    public func forget() {
        heard.withLock { $0 = Heard() }
    }

    private func hear(_ notice: Notice) {
        let event: RecordedEvent? =
            if case .recorded(_, _, let line, let violations) = notice {
                RecordedEvent(json: line, violations: violations)
            } else {
                nil
            }
        heard.withLock { heard in
            heard.notices.append(notice)
            if let event { heard.events.append(event) }
        }
    }

    // MARK: Unmet expectations

    /// Reports or throws an unmet expectation.
    func fail(
        _ sentence: String,
        about name: String?,
        _ fileID: String,
        _ filePath: String,
        _ line: Int,
        _ column: Int
    ) throws(UnmetExpectation) {
        let unmet = UnmetExpectation(
            message: "\(sentence)\n\(account(about: name))",
            fileID: fileID,
            filePath: filePath,
            line: line,
            column: column
        )
        guard let report else { throw unmet }
        report(unmet)
    }

    /// Returns a readable list of recorded events: names, and for the event in question also the attributes.
    private func account(about name: String?) -> String {
        let maxCount = 40
        let events = events
        guard let first = events.first else { return "Nothing was recorded." }
        let known = Set(events.map(\.name))
        let near = name.flatMap { known.contains($0) ? nil : Suggestion.question(about: $0, among: known) }
        let lines = events.suffix(maxCount).map { event in
            let time = event.timestamp.milliseconds - first.timestamp.milliseconds
            return "  +\(time) ms  \(name == nil || event.name == name ? event.description : event.name)"
        }
        let title = events.count > maxCount ? "The last \(maxCount) of \(events.count) events:" : "Recorded, in order:"
        return ([near.map { $0.prefix(1).uppercased() + $0.dropFirst() }, title].compactMap { $0 } + lines)
            .joined(separator: "\n")
    }
}
