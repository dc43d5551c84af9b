import ClickstreamCore
import ClickstreamJudges
import ClickstreamServer
import ClickstreamSimulation

/// A web site whose server records events of visitors: the disk, the clock and the network outlive its processes.
final class Site: Sendable {
    static let endpoint = "http://collector.test/collect"

    let time = VirtualTime(start: Timestamp(milliseconds: 1_704_067_200_000))
    let disk = MemoryFileSystem()
    let ids = SeededIDs(seed: 1)
    let server: ScriptedServer
    private let notices = Locked<[Notice]>([])

    init() {
        server = ScriptedServer(time: time)
    }

    /// Starts a process of the server. Automatic flushes are off unless `configure` enables them.
    func start(
        sessions: SessionTable? = nil,
        shards: Int? = 2,
        configure: (inout ClickstreamClient.Configuration) -> Void = { _ in }
    ) throws -> ServerEvents {
        try ServerEvents(in: world(configure), sessions: sessions, shards: shards)
    }

    /// Launches a client of the app beside the server, as the command line does to record for visitors.
    func launch() throws -> ClickstreamClient {
        try ClickstreamClient(in: world { _ in })
    }

    private func world(_ configure: (inout ClickstreamClient.Configuration) -> Void) -> ClickstreamClient.World {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Self.endpoint)
        configuration.sendInterval = .zero
        configure(&configuration)
        return ClickstreamClient.World(
            configuration: configuration,
            device: ClickstreamClient.Device(
                platform: "Linux",
                osVersion: "6.1",
                make: "acme",
                locale: "en_US",
                zoneOffset: 3_600_000
            ),
            storage: "/data",
            dependencies: ClickstreamClient.Dependencies(time: time, ids: ids, files: disk, transport: server),
            observe: { [self] notice in notices.withLock { $0.append(notice) } }
        )
    }

    /// Returns the notices since the last call.
    func takeNotices() -> [Notice] {
        notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }

    /// The lines of the events recorded since the last call, as they will be sent.
    func takeLines() -> [String] {
        takeNotices().compactMap { notice in
            guard case .recorded(_, _, let line, _) = notice else { return nil }
            return String(decoding: line, as: UTF8.self)
        }
    }

    /// The events that arrived at the collector, in one array for each request.
    var uploads: [[RecordedEvent]] {
        server.requests.map { request in
            guard case .events(let events) = ReceivedUpload(target: request.url, body: request.body).content else {
                return []
            }
            return events.lines.compactMap { RecordedEvent(json: Array($0)) }
        }
    }
}
