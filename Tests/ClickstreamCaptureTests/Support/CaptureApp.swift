import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import FormatFixtures

/// App with automatic capture on a simulated device: disk, clock and servers outlive its processes.
final class CaptureApp: Sendable {
    /// The server of a format.
    static func endpoint(_ format: CapturedFormat) -> String { "http://\(format).test/events" }

    let time = VirtualTime(start: Timestamp(milliseconds: 1_700_000_000_000))
    let disk = MemoryFileSystem()
    let ids = SeededIDs(seed: 1)
    let server: ScriptedServer
    private let notices = Locked<[Notice]>([])

    init(handler: (@Sendable (UploadRequest) -> ScriptedServer.Reply?)? = nil) {
        server = ScriptedServer(time: time, handler: handler)
    }

    /// Launches a process with all formats and all types of events. Automatic flushes are off.
    func launch(
        _ autoEvents: [AutoEventType] = AutoEventType.all,
        configure: (inout ClickstreamClient.Configuration) -> Void = { _ in },
        capture: (inout CaptureConfiguration) -> Void = { _ in }
    ) throws -> (client: ClickstreamClient, capture: Capture) {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Self.endpoint(.clickstream))
        configuration.sendInterval = .zero
        configuration.compressesEvents = false
        configure(&configuration)
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(
                platform: "Linux",
                osVersion: "6.1",
                app: ClickstreamClient.Device.App(version: "1.0")
            ),
            storage: "/data",
            dependencies: ClickstreamClient.Dependencies(time: time, ids: ids, files: disk, transport: server),
            observe: { notice in self.notices.withLock { $0.append(notice) } }
        )
        var settings = CaptureConfiguration(autoEvents: autoEvents)
        for fixture in FormatFixture.all { fixture.configure(&settings, Self.endpoint(fixture.format)) }
        capture(&settings)
        return (client, Capture(client: client, configuration: settings))
    }

    /// The JSON of all recorded events of a format, in order.
    func events(_ format: FormatName) -> [JSONValue] {
        notices.withLock { notices in
            notices.compactMap { notice in
                switch notice {
                case .recorded(_, _, let line, _) where format == .clickstream: try? JSONReader.parse(line)
                case .captured(format, let line): try? JSONReader.parse(line)
                default: nil
                }
            }
        }
    }

    /// The names of all recorded events of a format, or the numbers that it has in their place.
    func names(_ format: FormatName) -> [String] {
        let fixture = FormatFixture.all.first { $0.name == format.rawValue }
        return events(format).map { event in (fixture?.name(of: event) ?? event["event_type"]?.string) ?? "?" }
    }

    /// The events that the server of a format has received, in order.
    func received(_ format: CapturedFormat) throws -> [JSONValue] {
        try server.requests.filter { $0.url.hasPrefix(Self.endpoint(format)) }
            .flatMap { format.events(of: try JSONReader.parse($0.body)) }
    }

    /// The texts of warnings, and the reasons of losses.
    var warnings: [String] {
        notices.withLock { notices in
            notices.compactMap { notice in
                switch notice {
                case .warning(let warning): warning.message
                case .unstored, .evicted: notice.description
                default: nil
                }
            }
        }
    }
}
