import ClickstreamCore
import ClickstreamJudges
import FormatFixtures
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Real processes with automatic capture, really killed.
@Suite("Processes with automatic capture killed at random times")
struct CaptureKillTests {
    private static let rounds = TestLength.count(8, full: 24, soak: 1_000)

    private static let formats = CapturedFormat.recorded.map(\.rawValue)

    /// Lines of events, by format.
    private static func events(_ lines: [Substring]) -> [String: [Substring]] {
        Dictionary(grouping: lines) { String($0.prefix { $0 != " " }) }
    }

    private func start(
        _ folder: borrowing ProcessFolder,
        seed: Int,
        down: String,
        ends: Bool,
        output: String
    ) throws -> Process {
        let arguments = [folder.path("store"), "\(seed)", folder.path("inbox"), down, ends ? "1" : "0"]
        return try folder.start("CaptureProcess", arguments, output: output)
    }

    @Test("lose and repeat no event of any format, also while one server is down", arguments: formats + ["none"])
    func kills(down: String) throws {
        let folder = try ProcessFolder()
        let seed = UInt64.random(in: 0..<1_000_000)
        print("CaptureKillTests: the moments of the kills come from the seed \(seed)")
        var random = SplitMix(seed: seed)
        var outputs: [[Substring]] = []
        let rounds = max(1, Self.rounds / 4)
        for round in 0..<rounds {
            let process = try start(folder, seed: round + 1, down: down, ends: false, output: "out-\(round)")
            // Some die in the launch already, some later.
            usleep(UInt32.random(in: 2_000...60_000, using: &random))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            outputs.append(folder.lines(of: "out-\(round)"))
        }
        let acknowledged = outputs.flatMap { $0 }
        #expect(acknowledged.first { $0.hasPrefix("warning") } == nil)
        // Delivers what is left, first without the server that is down, then with all.
        for (number, server) in [down, "none"].enumerated() {
            let process = try start(folder, seed: 0, down: server, ends: true, output: "end-\(number)")
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            outputs.append(folder.lines(of: "end-\(number)"))
            let arrived = Self.events(folder.lines(of: "inbox"))
            let expected = Self.events(acknowledged)
            for format in Self.formats {
                let missing = Set(expected[format] ?? []).subtracting(arrived[format] ?? [])
                if format == server {
                    #expect(arrived[format] == nil)
                } else {
                    #expect(missing.isEmpty, "\(format), \(missing.count) missing")
                }
            }
        }
        try check(outputs, inbox: folder.lines(of: "inbox"), down: down)
    }

    /// Each event was recorded once, and arrived in the order of its process.
    private func check(_ outputs: [[Substring]], inbox: [Substring], down: String) throws {
        let arrived = Self.events(inbox)
        for format in Self.formats {
            let ids = arrived[format] ?? []
            var first: [Substring: Int] = [:]
            for (index, id) in ids.enumerated() where first[id] == nil { first[id] = index }
            print("down: \(down); \(format): \(first.count) events, \(ids.count - first.count) sent again")
            #expect(first.count > 0)
            for output in outputs {
                let own = output.filter { $0.hasPrefix("\(format) ") }
                #expect(Set(own).count == own.count)
                let indices = own.compactMap { first[$0] }
                #expect(indices == indices.sorted(), "\(format) out of order")
            }
        }
    }
}
