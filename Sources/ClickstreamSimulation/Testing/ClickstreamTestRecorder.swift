public import ClickstreamCore
import ClickstreamTools

/// A simulated device for the tests of an app: the real client over a disk in memory, a clock that only the test moves,
/// and a server that answers what the test says.
///
/// Everything that is recorded is kept here, in order, over all launches, and ``expectEvent(_:_:fileID:filePath:line:column:where:)``
/// and its likes ask about it. Nothing sleeps, nothing touches the disk or the network; a launch takes about a
/// millisecond. Callable from any thread; one recorder serves one test.
///
/// ```swift
/// @Test func buys() throws {
///     let recorder = ClickstreamTestRecorder()
///     try ClickstreamAnalytics.isolated(in: recorder.world) {
///         try ClickstreamAnalytics.initSDK()
///         Checkout().buy()                              // calls ClickstreamAnalytics.recordEvent
///     }
///     try recorder.expectEvent("purchase") { $0["value"] == 99.9 }
/// }
/// ```
public final class ClickstreamTestRecorder: Sendable {
    /// The app's settings, unless the app says otherwise.
    public let configuration: Configuration
    public let device: Device
    /// Moves only when the test says so; ``advance(by:)`` is the shortest way.
    public let time: VirtualTime
    public let ids: SeededIDs
    /// Outlives the app's processes, as a disk does.
    public let disk: MemoryFileSystem
    /// Answers 200 to everything, until it is told otherwise.
    public let server: ScriptedServer

    private let report: (@Sendable (UnmetExpectation) -> Void)?
    private let heard = Locked(Heard())

    private struct Heard: Sendable {
        var notices: [Notice] = []
        var events: [RecordedEvent] = []
    }

    /// - Parameters:
    ///   - configuration: where nothing is flushed but by `ClickstreamClient.flush(deadline:)`, the background, and a
    ///     clock that moves past the interval.
    ///   - device: what events say about it; a Linux machine with version 1.0 of an app when not given.
    ///   - start: the wall clock at the beginning; 2024-01-01T00:00:00Z when not given.
    ///   - seed: decides every identifier: the same test gives the same events.
    ///   - report: is told of each expectation that is not met, which then is not thrown, so that the test goes on. The
    ///     way to a test library's own report, at the line of the expectation: see `Docs/testing.md`.
    public init(
        configuration: Configuration = Configuration(appID: "test_app", endpoint: "http://collector.test/collect"),
        device: Device = Device(platform: "Linux", osVersion: "1", app: Device.App(version: "1.0")),
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

    // MARK: The app's process

    /// What a client, or `ClickstreamAnalytics.isolated(in:_:)`, is launched in.
    public var world: ClickstreamClient.World {
        ClickstreamClient.World(
            configuration: configuration,
            device: device,
            storage: "/stores",
            doors: ClickstreamClient.Doors(time: time, ids: ids, files: disk, transport: server),
            observe: { [self] in hear($0) }
        )
    }

    /// Launches a process of the app: a client of its own, whose lifecycle verbs are the platform's signals.
    ///
    /// End the one before it first, with `ClickstreamClient.terminate()` or ``kill(_:)``: two at once are two processes.
    /// - Parameters:
    ///   - configure: changes the settings of this launch.
    ///   - change: changes what this launch finds of the device, such as the app's version.
    /// - Throws: `StoreError` when a fault on ``disk`` keeps the store from being opened.
    public func launch(
        configure: (inout Configuration) -> Void = { _ in },
        device change: (inout Device) -> Void = { _ in }
    ) throws(StoreError) -> ClickstreamClient {
        var world = world
        configure(&world.configuration)
        change(&world.device)
        world.storage = world.configuration.storageFolder ?? world.storage
        return try ClickstreamClient(in: world)
    }

    /// The process disappears, as `kill -9` makes it: nothing is recorded or sent; what was recorded stays on the disk.
    public func kill(_ client: ClickstreamClient) {
        client.kill()
    }

    // MARK: Time

    /// Moves the clock, and runs what falls due on the way: automatic flushes, repeated requests, time-outs.
    ///
    /// Returns when all of that has ended, or waits for a later time. Takes microseconds, however far it goes.
    /// - Parameter duration: fractions of a millisecond do not count; zero runs what is due now.
    public func advance(by duration: Duration = .zero) async {
        let (seconds, attoseconds) = duration.components
        await time.advance(milliseconds: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }

    // MARK: What was recorded

    /// Everything that was recorded, in order, over all launches, since the beginning or ``forget()``.
    public var events: [RecordedEvent] { heard.withLock { $0.events } }

    /// The names of ``events``, in order.
    public var names: [String] { events.map(\.name) }

    /// The events of that name, in order.
    public func events(named name: String) -> [RecordedEvent] { events.filter { $0.name == name } }

    /// Everything that the clients told, in order.
    public var notices: [Notice] { heard.withLock { $0.notices } }

    /// Everything that was against a rule, in order; what passed a suggested limit is in ``warnings``.
    public var violations: [Violation] {
        notices.flatMap { notice -> [Violation] in
            switch notice {
            case .recorded(_, _, _, let violations), .rejected(let violations): violations
            default: []
            }
        }
    }

    /// What a developer was warned of, in order.
    public var warnings: [String] {
        notices.compactMap { if case .warning(let text) = $0 { text } else { nil } }
    }

    /// The events that arrived at ``server``, request after request, in order; one that was sent twice twice.
    public var delivered: [RecordedEvent] {
        server.requests.flatMap { request -> [RecordedEvent] in
            guard case .events(let events) = ReceivedUpload(target: request.url, body: request.body).content else {
                return []
            }
            return events.lines.compactMap { RecordedEvent(json: Array($0)) }
        }
    }

    /// Lets what was recorded and told so far not count any more. The disk and the server keep theirs.
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

    // MARK: Not met

    /// Tells or throws what is not met.
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

    /// What was recorded, for a person: names, and of the events in question the attributes too.
    private func account(about name: String?) -> String {
        let most = 40
        let events = events
        guard let first = events.first else { return "Nothing was recorded." }
        let known = Set(events.map(\.name))
        let near = name.flatMap { known.contains($0) ? nil : Suggestion.question(about: $0, among: known) }
        let lines = events.suffix(most).map { event in
            let time = event.timestamp.milliseconds - first.timestamp.milliseconds
            return "  +\(time) ms  \(name == nil || event.name == name ? event.description : event.name)"
        }
        let title = events.count > most ? "The last \(most) of \(events.count) events:" : "Recorded, in order:"
        return ([near.map { $0.prefix(1).uppercased() + $0.dropFirst() }, title].compactMap { $0 } + lines)
            .joined(separator: "\n")
    }
}
