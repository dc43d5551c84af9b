import ClickstreamCapture
import ClickstreamCore
import ClickstreamReplay
import ClickstreamSimulation
import Foundation

/// A script that was played through the real library, with all formats, as `clickstream-cli replay --dry-run` does it.
struct ScriptReplay: Sendable {
    /// The wall clock at the first step of a script without `start`.
    static let start = Timestamp(CivilTime(year: 2024, month: 1, day: 1))

    /// Events of each format in the order of their recording.
    var events: [FormatName: [String]] = [:]
    /// Request bodies of each format, if events were delivered.
    var batches: [FormatName: [String]] = [:]
    /// Warnings and losses; empty in a healthy run.
    var warnings: [String] = []

    /// - Parameter delivers: true to deliver events on the script's clock.
    init(_ script: Script, delivers: Bool = false, capturesAlways: Bool = false) async throws {
        let heard = Locked(self)
        let server = Server { format, body in heard.withLock { $0.batches[format, default: []].append(body) } }
        var setup = Replayer.Setup(
            host: ClickstreamClient.Device(platform: "Linux"),
            files: MemoryFileSystem(),
            storage: "/replay",
            transport: delivers ? server : nil,
            deliveryTime: VirtualTime(start: Self.start),
            endpoint: delivers ? Server.address(.clickstream) : nil,
            start: Self.start,
            observe: { notice in
                heard.withLock { heard in
                    switch notice {
                    case .recorded(_, _, let line, let violations):
                        heard.events[.clickstream, default: []].append(String(decoding: line, as: UTF8.self))
                        heard.warnings += violations.map { "\($0)" }
                    case .captured(let format, let line):
                        heard.events[format, default: []].append(String(decoding: line, as: UTF8.self))
                    case .warning(let warning): heard.warnings.append(warning.message)
                    case .unstored(let name, _, let reason): heard.warnings.append("\(name) lost: \(reason)")
                    case .retained, .deliveryRefused, .setAside, .evicted: heard.warnings.append("\(notice)")
                    case .rejected, .sessionDecided, .uploaded: break
                    }
                }
            }
        )
        setup.formats = .all { Server.address($0) }
        setup.capturesAlways = capturesAlways
        setup.deliversOnScriptTime = true
        setup.isUncompressed = true
        var replayer = Replayer(script, setup: setup)
        try await replayer.run()
        let remainder = try await replayer.finish(timeout: 10_000)
        replayer.end()
        self = heard.withLock { $0 }
        if !remainder.isEmpty { warnings.append("\(remainder.events) events are left") }
    }

    /// Plays a script of the package.
    init(of path: String, delivers: Bool = false) async throws {
        let url = Self.package.appending(path: path)
        let script = try ScriptReader.read(Array(Data(contentsOf: url)), file: url.lastPathComponent)
        try await self.init(script, delivers: delivers)
    }

    /// The folder that holds the package.
    static var package: URL {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder
    }

    /// Accepts every request.
    private struct Server: ClickstreamClient.Transport {
        let receive: @Sendable (FormatName, String) -> Void

        static func address(_ format: FormatName) -> String { "http://replay.test/\(format)" }

        func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
            let form = request.url.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
            receive(FormatName(rawValue: form), String(decoding: request.body, as: UTF8.self))
            return UploadResponse(status: 200)
        }
    }
}
