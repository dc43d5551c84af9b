import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation

/// App with automatic capture on a simulated device: disk, clock and servers outlive its processes.
final class CaptureApp: Sendable {
    static let pulse = "http://pulse.test/events"
    static let contentsquare = "http://contentsquare.test/batches"
    static let clickstream = "http://clickstream.test/collect"

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
        configure: (inout Configuration) -> Void = { _ in },
        capture: (inout CaptureConfiguration) -> Void = { _ in }
    ) throws -> (client: ClickstreamClient, capture: Capture) {
        var configuration = Configuration(appID: "shop", endpoint: Self.clickstream)
        configuration.sendInterval = 0
        configuration.compressesEvents = false
        configure(&configuration)
        let client = try ClickstreamClient(
            configuration: configuration,
            device: Device(platform: "Linux", osVersion: "6.1", app: Device.App(version: "1.0")),
            storage: "/data",
            dependencies: ClickstreamClient.Dependencies(time: time, ids: ids, files: disk, transport: server),
            observe: { notice in self.notices.withLock { $0.append(notice) } }
        )
        var settings = CaptureConfiguration(
            autoEvents: autoEvents,
            pulse: PulseSettings(endpoint: Self.pulse),
            contentsquare: ContentsquareSettings(endpoint: Self.contentsquare, projectID: 8, timeZone: "Europe/Paris")
        )
        capture(&settings)
        return (client, Capture(client, settings))
    }

    /// The JSON of all recorded events of a format, in order.
    func events(_ format: String) -> [JSONValue] {
        notices.withLock { notices in
            notices.compactMap { notice in
                switch notice {
                case .recorded(_, _, let line, _) where format == "clickstream": try? JSONReader.parse(line)
                case .captured(format, let line): try? JSONReader.parse(line)
                default: nil
                }
            }
        }
    }

    /// The names of all recorded events of a format; the actions of Contentsquare events.
    func names(_ format: String) -> [String] {
        events(format).map { event in
            event["event_type"]?.string ?? event["ea"].map { "\($0.number?.integer ?? -1)" } ?? "?"
        }
    }

    /// The texts of warnings, and the reasons of losses.
    var warnings: [String] {
        notices.withLock { notices in
            notices.compactMap { notice in
                switch notice {
                case .warning(let text): text
                case .unstored, .evicted: notice.description
                default: nil
                }
            }
        }
    }
}
