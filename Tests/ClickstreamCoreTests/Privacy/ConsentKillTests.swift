import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCore

/// Real processes that record, send, withdraw consent and give it again on one store, and are killed at random times.
@Suite("Decisions on consent of several processes that are killed")
struct ConsentKillTests {
    private static let rounds = TestLength.count(1, full: 4, soak: 50)
    private static let killsPerRound = TestLength.count(6, full: 20)
    /// The number of steps in which a process withdraws consent.
    private static let withdrawingSteps = 150

    @Test("lose nothing that is granted, keep the order of each, and send nothing of before a withdrawal after it")
    func kills() async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("ConsentKillTests: the moments of the kills come from the seed \(seed)")
        var random = SplitMix(seed: seed)
        var totals = (acknowledged: 0, withdrawals: 0, requests: 0, owed: 0)
        for round in 0..<Self.rounds {
            let folder = try ProcessFolder()
            let store = folder.path("store")
            let path = folder.path("journal")
            try Self.play(store, path, count: 2 + round % 2, &random)
            var text = try String(contentsOfFile: path, encoding: .utf8)
            try await Self.finish(store, &text)
            let journal = ConsentJournal(text)
            let comment = Comment(rawValue: "round \(round), seed \(seed)")
            #expect(journal.lateRequests == [], comment)
            #expect(journal.misplacedEvents == [], comment)
            #expect(journal.lostEvents == [], comment)
            totals.acknowledged += journal.acknowledgedEvents
            totals.withdrawals += journal.withdrawals
            totals.requests += journal.requests
            totals.owed += journal.owedEvents.count
        }
        print(
            "\(Self.rounds) rounds of \(Self.killsPerRound) kills: \(totals.withdrawals) withdrawals, \(totals.acknowledged) events "
                + "acknowledged, \(totals.owed) of them owed at the end, \(totals.requests) requests"
        )
        // On a busy machine a short run may end before it has begun.
        if Self.rounds > 1 { #expect(totals.withdrawals > 0 && totals.owed > 0 && totals.requests > 0) }
    }

    /// Runs `count` processes at the same time. Each that is killed is replaced; the last ones withdraw nothing.
    private static func play(_ store: String, _ journal: String, count: Int, _ random: inout SplitMix) throws {
        var number = 0
        func start(steps: Int) throws -> (name: String, process: Process) {
            number += 1
            let arguments = [store, "\(steps)", "\(number)", journal, "consent"]
            return ("p\(number)", try TestProgram.start("StoreProcess", arguments))
        }
        func end(_ running: (name: String, process: Process)) throws {
            kill(running.process.processIdentifier, SIGKILL)
            running.process.waitUntilExit()
            #expect(running.process.terminationReason == .uncaughtSignal)
            // The process writes no more: an action that it had begun has ended.
            let file = try LocalFileSystem().open(journal)
            defer { file.close() }
            try Array("\nkilled \(running.name) .".utf8).withUnsafeBytes { try file.append($0) }
        }
        var running = try (0..<count).map { _ in try start(steps: withdrawingSteps) }
        for index in 0..<killsPerRound {
            usleep(UInt32.random(in: 20_000...150_000, using: &random))
            let victim = Int.random(in: 0..<count, using: &random)
            try end(running[victim])
            running[victim] = try start(steps: index < killsPerRound - count ? withdrawingSteps : 0)
        }
        for index in running.indices {
            try end(running[index])
            running[index] = try start(steps: 0)
        }
        usleep(300_000)
        for process in running { try end(process) }
    }

    /// Gives consent, delivers the rest, and adds the requests to the journal.
    private static func finish(_ store: String, _ journal: inout String) async throws {
        let time = VirtualTime(start: Timestamp(CivilTime(year: 2024, month: 1, day: 1)))
        let server = ScriptedServer(time: time)
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Phone.endpoint)
        configuration.sendInterval = .zero
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: store,
            dependencies: ClickstreamClient.Dependencies(
                time: time,
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: server
            )
        )
        journal += "\nlaunching final ."
        client.setConsent(.granted, for: .analytics)
        #expect(await client.flush().isComplete)
        client.kill()
        for upload in server.uploads {
            let taps = try upload.recordedEvents.filter { $0.name == "tap" }.map { event in
                let attributes = try JSONReader.parse(event.json)["attributes"]
                return "\(attributes?["writer"]?.string ?? ""):\(attributes?["number"]?.integer ?? -1)"
            }
            journal += "\nrequest final \(taps.joined(separator: ",")) ."
        }
        let state = try #require(try LocalFileSystem().contents(of: store + "/shop/state"))
        #expect(!String(decoding: state, as: UTF8.self).contains("withdrawn"))
    }

    // MARK: The oracle

    @Test(
        "are judged by a journal that finds late, misplaced and lost events",
        arguments: [
            // A request that the other process had begun is allowed, a second one is not.
            ("recorded b b:0|withdrawing a|withdrawn a|request b b:0", 0, 0, 0),
            ("recorded b b:0|withdrawing a|withdrawn a|request b b:0|request b b:0", 1, 0, 0),
            ("recorded b b:0|withdrawing a|withdrawn a|launching c|request c b:0", 1, 0, 0),
            // Not of before, or a withdrawal that a kill has interrupted.
            ("withdrawing a|recorded b b:0|withdrawn a|request b b:0|request b b:0", 0, 0, 0),
            ("recorded b b:0|withdrawing a|killed a|request b b:0|request b b:0", 0, 0, 0),
            // A repeated event counts where it arrived first.
            ("request a a:0,a:1|request a a:0,a:1,a:2", 0, 0, 0),
            ("request a a:1|request c a:0", 0, 1, 0),
            // Owed after a grant that the writer has applied.
            ("withdrawing a|withdrawn a|granting a|granted a|recorded a a:0", 0, 0, 1),
            ("withdrawing a|withdrawn a|granting a|granted a|recorded b b:0", 0, 0, 0),
            ("withdrawing a|killed a|granting c|granted c|flushing b|flushed b|recorded b b:0", 0, 0, 1),
            ("granting c|withdrawing a|granted c|withdrawn a|recorded c c:0", 0, 0, 0),
        ] as [(String, Int, Int, Int)]
    )
    func oracle(steps: String, late: Int, misplaced: Int, lost: Int) {
        let launches = ["a", "b"].map { "launching \($0) ." }
        let lines = launches + steps.split(separator: "|").map { "\($0) ." } + ["request b b:9"]
        let journal = ConsentJournal(lines.joined(separator: "\n"))
        #expect(journal.lateRequests.count == late)
        #expect(journal.misplacedEvents.count == misplaced)
        #expect(journal.lostEvents.count == lost)
    }
}
