import ClickstreamJudges
import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

/// A device with an app on it: the disk, the clock and the network outlive the app's processes.
final class Phone: Sendable {
    static let endpoint = "http://collector.test/collect"

    let time = VirtualTime(start: Timestamp(CivilTime(year: 2024, month: 1, day: 1)))
    let disk: MemoryFileSystem
    let ids: SeededIDs
    let server: ScriptedServer
    /// All notices of the library, in order.
    let log = NoticeLog()

    init(
        disk: MemoryFileSystem = MemoryFileSystem(),
        seed: UInt64 = 1,
        replies: [ScriptedServer.Reply] = [],
        handler: (@Sendable (UploadRequest) -> ScriptedServer.Reply?)? = nil
    ) {
        self.disk = disk
        ids = SeededIDs(seed: seed)
        server = ScriptedServer(time: time, script: replies, handler: handler)
    }

    /// Begins the launch of a process and stops it where it has read the state, with the state's lock, until `body` returns;
    /// then goes on, and adds its notices to the log.
    func launchStopped(_ configuration: ClickstreamClient.Configuration, while body: () throws -> Void) throws {
        let stopped = try EventStore.opened(
            files: disk,
            root: "/data",
            destination: Destination(configuration),
            limits: QueueLimits(configuration),
            goesToMemory: false
        )
        try body()
        var resumed = Recorder(
            configuration: configuration,
            device: ClickstreamClient.Device(
                platform: "Linux",
                osVersion: "6.1",
                app: ClickstreamClient.Device.App(version: "1.0")
            ),
            ids: ids,
            store: stopped,
            launches: true,
            observesLines: true,
            crashes: nil,
            at: time.now()
        )
        for notice in resumed.access.takeNotices() { log.add(notice) }
    }

    /// Launches a new process of the app. Automatic flushes are off unless `configure` enables them.
    /// - Parameter files: the disk as this process finds it; `nil` for the phone's.
    func launch(
        files: (any FileSystem)? = nil,
        sends: Bool = true,
        observes: Bool = true,
        readsAhead: Bool = true,
        crashes: (any CrashCapture)? = nil,
        source: (any DeviceSource)? = nil,
        configure: (inout ClickstreamClient.Configuration) -> Void = { _ in },
        device: (inout ClickstreamClient.Device) -> Void = { _ in }
    ) throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Self.endpoint)
        configuration.sendInterval = .zero
        configure(&configuration)
        var facts = ClickstreamClient.Device(
            platform: "Linux",
            osVersion: "6.1",
            app: ClickstreamClient.Device.App(version: "1.0")
        )
        device(&facts)
        let log = log
        let observe: @Sendable (Notice) -> Void = { log.add($0) }
        var dependencies = ClickstreamClient.Dependencies(
            time: time,
            ids: ids,
            files: files ?? disk,
            transport: sends ? server : nil
        )
        dependencies.readsAhead = readsAhead
        dependencies.crashes = crashes
        dependencies.device = source
        return try ClickstreamClient(
            configuration: configuration,
            device: facts,
            storage: "/data",
            dependencies: dependencies,
            observe: observes ? observe : nil
        )
    }

    /// A process beside the app that only delivers.
    func sender() throws -> ClickstreamClient { try outsider(sends: true) }

    /// A process beside the app, such as the command line: it launches nothing, and records or delivers.
    func outsider(sends: Bool = false, runAfter last: Int? = nil) throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Self.endpoint)
        configuration.sendInterval = .zero
        let transport: (any ClickstreamClient.Transport)? = sends ? server : nil
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: "/data",
            dependencies: ClickstreamClient.Dependencies(time: time, ids: ids, files: disk, transport: transport)
        )
        return try ClickstreamClient(in: world, as: sends ? .delivery : .recording(runAfter: last))
    }

    /// Runs what is due now, and waits until it ends or waits for the clock.
    func settle() async {
        await time.advance(milliseconds: 0)
    }

    /// Does `work` while the clock moves from timer to timer, each time when everything is suspended.
    func moving<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async throws -> Result {
        let result = Locked<Result?>(nil)
        // Not a timer's work: the clock moves on while it waits for something else.
        let task = Task.detached(executorPreference: time.executor) {
            let value = await work()
            result.withLock { $0 = value }
        }
        await settle()
        for _ in 0..<10_000 where result.withLock({ $0 == nil }) {
            guard let next = time.millisecondsToNextTimer else { break }
            await time.advance(milliseconds: next)
        }
        let value = try #require(result.withLock { $0 }, "the work does not end")
        await task.value
        return value
    }

    /// The file of that name in the app's store.
    static func path(_ name: String) -> String { "/data/shop/\(name)" }

    /// The records of all segments, in order: sequence number and event.
    func records() -> [(sequence: Int, event: RecordedEvent)] {
        disk.paths.filter { $0.hasSuffix(".events") }.flatMap { path in
            (disk[path] ?? []).split(separator: UInt8(ascii: "\n")).map { line in
                let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
                let sequence = Int(String(decoding: words[1], as: UTF8.self)) ?? 0
                return (sequence, RecordedEvent(Array(words[3])))
            }
        }
    }
}

/// An event's JSON, read.
struct RecordedEvent: Sendable, Hashable {
    var text: String

    init(_ json: some Sequence<UInt8>) {
        text = String(decoding: Array(json), as: UTF8.self)
    }

    var json: [UInt8] { Array(text.utf8) }

    private var value: JSONValue {
        // What cannot be read has no name and no attributes, and no test expects that.
        (try? JSONReader.parse(json)) ?? JSONValue(.null)
    }

    var name: String { value["event_type"]?.string ?? "" }
    var id: String { value["event_id"]?.string ?? "" }

    subscript(attribute: String) -> JSONValue.Kind? { value["attributes"]?[attribute]?.kind }

    /// The value of an attribute that is an integer; `nil` for any other.
    func integer(_ attribute: String) -> Int64? { value["attributes"]?[attribute]?.integer }

    var session: Int64? { integer("_session_number") }
}

extension RecordedEvent: CustomTestStringConvertible {
    var testDescription: String { "\(name) \(id.prefix(4))" }
}

/// Notices received by an observer, in order.
final class NoticeLog: Sendable {
    private let notices = AwaitedState<[Notice]>([])

    func add(_ notice: Notice) {
        notices.withLock { $0.append(notice) }
    }

    var all: [Notice] { notices.withLock { $0 } }

    /// Returns the notices since the last call.
    func take() -> [Notice] {
        notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }

    /// Suspends until there is a notice.
    func hasNotice() async {
        await notices.until { !$0.isEmpty }
    }

    var events: [RecordedEvent] { all.events }
}

extension [Notice] {
    var events: [RecordedEvent] {
        compactMap { if case .recorded(_, _, let line, _) = $0 { RecordedEvent(line) } else { nil } }
    }

    var warnings: [String] {
        compactMap { notice in
            switch notice {
            case .warning(let warning): warning.message
            case .deliveryRefused: notice.description
            default: nil
            }
        }
    }

    /// The codes of the warnings.
    var codes: [Notice.Warning.Code] {
        compactMap { if case .warning(let warning) = $0 { warning.code } else { nil } }
    }

    var unstored: [String] {
        compactMap { if case .unstored(let name, _, _) = $0 { name } else { nil } }
    }

    /// Each notice in a word or two.
    var outline: [String] {
        map { notice in
            switch notice {
            case .recorded(let name, _, _, _): "recorded \(name)"
            case .captured(let format, _): "captured \(format)"
            case .unstored(let name, _, _): "unstored \(name)"
            case .rejected(let violations): "rejected \(violations.map { "\($0.code)" }.joined(separator: " "))"
            case .sessionDecided(let number, let isNew, _): "session \(number) \(isNew ? "new" : "goes on")"
            case .uploaded(let events, _, _): "uploaded \(events)"
            case .retained(let events, _): "retained \(events)"
            case .setAside(let events, _): "set aside \(events)"
            case .evicted(let events, _): "evicted \(events)"
            case .deliveryRefused, .warning: "warning"
            }
        }
    }
}

extension ClickstreamClient {
    /// Records taps of different sizes, so that they fill several batches.
    func recordTaps(_ count: Int) {
        for number in 0..<count { record("tap", attributes: ["number": number, "text": "\(number * 7_919)"]) }
    }
}

extension ScriptedServer {
    /// The requests that arrived, as a server reads them.
    var uploads: [ReceivedUpload] { requests.map { ReceivedUpload(target: $0.url, body: $0.body) } }
    /// All events that arrived, request after request.
    var events: [RecordedEvent] { uploads.flatMap(\.recordedEvents) }
}

extension ReceivedUpload {
    /// The events that its body holds; none when it cannot be read.
    var recordedEvents: [RecordedEvent] {
        guard case .events(let events) = content else { return [] }
        return events.lines.map { RecordedEvent($0) }
    }
}
