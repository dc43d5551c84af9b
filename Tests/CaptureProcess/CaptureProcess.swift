import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import FormatFixtures

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// App with automatic capture in all formats, to be killed: it reports input as fast as it can.
///
/// `CaptureProcess FOLDER SEED INBOX DOWN END`: for each stored event it prints a line once the event would survive: its
/// format and id. A request is appended to the file `INBOX` in the same form, as a server would store it. The server of
/// the format `DOWN` is unavailable. With `END` 1 the process reports one click, sends what is pending, and ends.
@main
struct CaptureProcess {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let seed = UInt64(arguments[2]) else {
            return print("CaptureProcess FOLDER SEED INBOX DOWN END")
        }
        let inbox = try Inbox(path: arguments[3], down: arguments[4])
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "http://clickstream.test/collect")
        configuration.sendInterval = .zero
        configuration.compressesEvents = false
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: arguments[1],
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: inbox
            ),
            observe: { notice in
                switch notice {
                case .recorded(_, let id, _, _): say("clickstream \(id)")
                case .captured(let format, let line):
                    if let id = identifier(of: line, in: CapturedFormat(rawValue: format.rawValue)) {
                        say("\(format) \(id)")
                    }
                case .warning(let warning): say("warning \(warning)")
                default: break
                }
            }
        )
        var settings = CaptureConfiguration(autoEvents: AutoEventType.all)
        for fixture in FormatFixture.all { fixture.configure(&settings, "http://\(fixture).test/") }
        let capture = Capture(client: client, configuration: settings)
        let view = Capture.Element(
            id: InstanceID(7),
            className: "View",
            type: .button,
            content: .text("Buy"),
            responds: true
        )
        let path = Capture.ElementPath(page: InstanceID(1), links: [Capture.ElementPath.Link(view, ordinal: 0)])
        if arguments[5] == "1" {
            capture.click(path)
            _ = await client.flush()
            return client.terminate()
        }
        await use(client, capture, path, seed: seed)
    }

    /// Input without end.
    private static func use(
        _ client: ClickstreamClient,
        _ capture: Capture,
        _ path: Capture.ElementPath,
        seed: UInt64
    ) async {
        var dice = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func roll(_ sides: UInt64) -> UInt64 {
            dice ^= dice << 13
            dice ^= dice >> 7
            dice ^= dice << 17
            return dice % sides
        }
        var offset = 0.0
        while true {
            switch roll(12) {
            case 0: client.foreground()
            case 1: client.background()
            case 2: capture.appear(Capture.Page(id: InstanceID(1 + roll(3)), className: "Page\(roll(3))"))
            case 3: client.setUserID("user\(roll(4))")
            case 4: _ = await client.flush()
            case 5: capture.variable(DynamicVariable(key: "k", value: .integer(Int64(roll(100)))))
            case 6:
                offset += Double(roll(50))
                let axis = Capture.ScrollPosition.Axis(offset: offset, visible: 400, content: 1_000_000)
                capture.scroll(path, to: Capture.ScrollPosition(horizontal: axis, vertical: axis))
            case 7, 8:
                capture.touch(Capture.Touch(.down, at: Capture.Point(x: 0, y: 0))) { _ in path }
                capture.touch(Capture.Touch(.up, at: Capture.Point(x: 0, y: Double(roll(200))))) { _ in path }
            default: capture.click(path)
            }
        }
    }

    /// The identifier of an event in a format.
    private static func identifier(of json: [UInt8], in format: CapturedFormat?) -> String? {
        guard let format, let event = try? JSONReader.parse(json) else { return nil }  // the library writes no other
        return event[format.id]?.string
    }

    private static func say(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        bytes.withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Servers in a file: a request is stored by one append.
private final class Inbox: ClickstreamClient.Transport {
    private let file: any AppendableFile
    private let down: String

    init(path: String, down: String) throws {
        file = try LocalFileSystem().open(path)
        self.down = down
    }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        // A request to no format's server, or a body that cannot be read, is stored as no event: the test misses it.
        guard let format = CapturedFormat.allCases.first(where: { request.url.contains("//\($0).") }) else {
            return UploadResponse(status: 404)
        }
        if format.rawValue == down { return UploadResponse(status: 503) }
        let events = (try? JSONReader.parse(request.body)).map { format.events(of: $0) } ?? []
        let lines = events.map { "\(format) \($0[format.id]?.string ?? "?")\n" }.joined()
        var failure: FileError?
        Array(lines.utf8).withUnsafeBytes { bytes in
            do throws(FileError) {
                try file.append(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw .cut("\(failure)") }
        return UploadResponse(status: 200)
    }
}
