import ClickstreamCore
import ClickstreamReplay
import ClickstreamSimulation
import Foundation
import Testing

/// A script that was played through the real library, as `clickstream-cli replay --dry-run` does it.
struct Replay: Sendable {
    /// Start of every script of the fixtures, the default.
    static let start = Timestamp(CivilTime(year: 2024, month: 1, day: 1))

    /// The recorded events, in order, one JSON object each.
    var lines: [String] = []
    /// Warnings of the library; empty in a healthy run.
    var warnings: [String] = []

    /// Plays the script at `path`.
    init(of path: URL) async throws {
        let bytes = try Array(Data(contentsOf: path))
        let script = try ScriptReader.read(bytes, file: path.lastPathComponent)
        let heard = Locked((lines: [String](), warnings: [String]()))
        var replayer = Replayer(
            script,
            setup: Replayer.Setup(
                host: ClickstreamClient.Device(platform: "Linux"),
                files: MemoryFileSystem(),
                storage: "/replay",
                deliveryTime: VirtualTime(start: Replay.start),
                start: Replay.start,
                observe: { notice in
                    heard.withLock { heard in
                        switch notice {
                        case .recorded(_, _, let line, _): heard.lines.append(String(decoding: line, as: UTF8.self))
                        case .warning(let warning): heard.warnings.append(warning.message)
                        case .unstored(let name, _, let reason): heard.warnings.append("\(name) lost: \(reason)")
                        case .captured, .rejected, .sessionDecided, .uploaded, .retained, .deliveryRefused, .setAside,
                            .evicted:
                            break
                        }
                    }
                }
            )
        )
        try await replayer.run()
        replayer.end()
        (lines, warnings) = heard.withLock { $0 }
    }

    /// The folder that holds the package.
    static var package: URL {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder
    }

    /// The scripts of a folder of the package, by name.
    static func scripts(in folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: package.appending(path: folder).path)
        // A folder that cannot be read has no scripts; a test checks their number.
        return (names ?? []).filter { $0.hasSuffix(".yaml") }.sorted()
    }
}
