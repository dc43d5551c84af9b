import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCore

/// Real processes, killed in the middle of a withdrawal.
@Suite("A withdrawal of consent in a process that is killed")
struct WithdrawalKillTests {
    private static let rounds = TestLength.count(6, full: 24, soak: 1_000)

    /// Outcome of a round.
    private enum Outcome: String {
        /// Killed before the decision was stored: all events are kept.
        case undecided = "before the decision"
        /// Killed while the events were removed: the next launch removed the rest.
        case interrupted = "in the removal"
        case complete = "after it"
    }

    @Test("is as if it had not begun, or complete after the next launch: no event is left, in any format")
    func kills() async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("WithdrawalKillTests: the moments of the kills come from the seed \(seed)")
        var random = SplitMix(seed: seed)
        var outcomes: [Outcome: Int] = [:]
        // The time that a withdrawal takes, in microseconds, as measured by the rounds that complete it.
        var duration: UInt32 = 5_000
        for round in 0..<Self.rounds {
            let outcome = try await play(round, delay: UInt32.random(in: 0...duration, using: &random))
            outcomes[outcome, default: 0] += 1
            duration = outcome == .complete ? max(300, duration - duration / 8) : duration + duration / 8
        }
        let counts = outcomes.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        print("\(Self.rounds) kills: \(counts.joined(separator: ", "))")
        // Of few kills, none may fall into the removal.
        if Self.rounds >= 200 { #expect(outcomes[.interrupted, default: 0] >= Self.rounds / 20) }
    }

    private func play(_ round: Int, delay: UInt32) async throws -> Outcome {
        let folder = try ProcessFolder()
        let store = folder.path("store")
        let output = Pipe()
        let arguments = [store, "0", "\(round * 17)", folder.path("inbox"), "withdraw"]
        let process = try TestProgram.start("StoreProcess", arguments, output: output)
        // Events that are recorded are printed too.
        var text = ""
        while !text.contains("ready") {
            let bytes = output.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "the process ended: \(text.suffix(200))")
            text += String(decoding: bytes, as: UTF8.self)
        }
        usleep(delay)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let left = try Self.files(in: store)

        let server = ScriptedServer(time: VirtualTime(start: Timestamp(milliseconds: 1_704_067_200_000)))
        let client = try Self.client(store, server)
        defer { client.kill() }
        let isDecided = client.consent(for: .analytics) == .denied
        let later = try Self.files(in: store)
        if isDecided {
            #expect(later == [])
            #expect(await client.flush().sent == 0)
            #expect(server.requests.isEmpty)
        } else {
            #expect(!left.isEmpty)
        }
        for format in [nil, FormatName(rawValue: "second")] {
            let folder = try StoreFolder(LocalFileSystem(), existing: store + "/shop")
            let (ledger, pending) = try (format.map { folder.folder(existing: $0) } ?? folder).ledger()
            #expect(ledger.recorded == ledger.settled + pending)
            if isDecided { #expect(pending == 0) }
        }
        return !isDecided ? .undecided : left.isEmpty ? .complete : .interrupted
    }

    private static func client(_ store: String, _ server: ScriptedServer) throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "http://inbox.test/collect")
        configuration.sendInterval = .zero
        return try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: store,
            dependencies: ClickstreamClient.Dependencies(
                time: VirtualTime(start: Timestamp(milliseconds: 1_704_067_200_000)),
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: server
            )
        )
    }

    /// The event files of all formats.
    private static func files(in store: String) throws -> [String] {
        let files = LocalFileSystem()
        let folder = try StoreFolder(files, existing: store + "/shop")
        return try folder.withdrawalList().runs.flatMap { run in
            try files.names(in: "\(store)/shop/\(run)").filter { $0.hasSuffix(".events") }
        }
    }
}
