import Foundation
import TestSupport
import Testing

@testable import ClickstreamCore

/// Real processes, really killed.
@Suite("Processes killed at random times")
struct KillTests {
    /// One line that a process or its server wrote: an event.
    private struct Line: Hashable {
        var id: String
        var name: String
        var session: Int
        var sessionID: String

        init?(_ text: Substring) {
            let words = text.split(separator: " ")
            guard words.count == 4, let number = Int(words[2]) else { return nil }
            (id, name, session, sessionID) = (String(words[0]), String(words[1]), number, String(words[3]))
        }
    }

    private static let rounds = TestLength.count(8, full: 24, soak: 1_000)

    @Test(
        "never repeat a session number, record one first open, and lose no acknowledged event"
    )
    func kills() throws {
        let folder = try ProcessFolder()
        let seed = UInt64.random(in: 0..<1_000_000)
        print("KillTests: the moments of the kills come from the seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var clock: Int64 = 0
        var acknowledged: [Line] = []
        var killed = 0
        while killed < Self.rounds {
            // Now and then two at once.
            let count = min(Self.rounds - killed, Int.random(in: 0..<4, using: &random) == 0 ? 2 : 1)
            var processes: [(process: Process, output: String)] = []
            for number in killed..<killed + count {
                let arguments = [folder.path("store"), "\(clock)", "\(number + 1)", folder.path("inbox")]
                let output = "output-\(number)"
                processes.append((try folder.start("StoreProcess", arguments, output: output), output))
            }
            // Some die in the launch already, some later.
            usleep(UInt32.random(in: 2_000...60_000, using: &random))
            for (process, _) in processes { kill(process.processIdentifier, SIGKILL) }
            for (process, output) in processes {
                process.waitUntilExit()
                #expect(process.terminationReason == .uncaughtSignal)
                let text = folder.text(of: output)
                acknowledged += folder.lines(of: output).compactMap { Line($0) }
                #expect(
                    !text.contains("warning"),
                    "\(text.split(separator: "\n").first { $0.hasPrefix("warning") } ?? "")"
                )
                try FileManager.default.removeItem(atPath: folder.path(output))
                killed += 1
            }
            clock += Int64.random(in: 0..<120_000, using: &random)
            // Each process's clock has jumped on: the next one starts later than any of them.
            clock += 10_000_000
        }
        try check(acknowledged, in: folder)
    }

    private func check(_ acknowledged: [Line], in processes: borrowing ProcessFolder) throws {
        let folder = try StoreFolder(LocalFileSystem(), root: processes.path("store"), appID: "shop")
        var kept: [Line] = []
        for run in try folder.runs() {
            let path = folder.path(ofRun: run)
            for name in try LocalFileSystem().names(in: path) where name.hasSuffix(".events") {
                let bytes = try LocalFileSystem().contents(of: "\(path)/\(name)") ?? []
                for line in bytes.split(separator: UInt8(ascii: "\n")) {
                    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
                    guard words.count == 4, let event = Self.line(Array(words[3])) else { continue }
                    kept.append(event)
                }
            }
        }
        let arrived = processes.text(of: "inbox").split(separator: "\n").compactMap { Line($0) }
        let all = Set(kept).union(arrived)
        print(
            "\(Self.rounds) kills: \(acknowledged.count) events acknowledged, \(Set(arrived).count) delivered, "
                + "\(Set(kept).subtracting(arrived).count) pending, "
                + "\(Set(all.map(\.session)).count) sessions"
        )
        #expect(Set(acknowledged).subtracting(all) == [])
        #expect(all.count { $0.name == "_first_open" } == 1)
        #expect(Dictionary(grouping: all, by: \.id).values.allSatisfy { $0.count == 1 })
        for (number, events) in Dictionary(grouping: all, by: \.session) {
            #expect(Set(events.map(\.sessionID)).count == 1, "session \(number)")
            #expect(events.count { $0.name == "_session_start" } == 1, "session \(number)")
        }
        #expect(all.count > Self.rounds)
    }

    private static func line(_ json: [UInt8]) -> Line? {
        guard let event = try? JSONReader.parse(json),  // a torn record is not of interest here
            let id = event["event_id"]?.string, let name = event["event_type"]?.string,
            let number = event["attributes"]?["_session_number"]?.integer,
            let session = event["attributes"]?["_session_id"]?.string
        else { return nil }
        return Line("\(id) \(name) \(number) \(session)")
    }
}
