import ClickstreamCore
import ClickstreamReplay
import ClickstreamSimulation
import Testing

/// A replayer that a task of its own can end.
private final class RunningReplay {
    var replayer: Replayer

    init(_ replayer: consuming Replayer) {
        self.replayer = replayer
    }
}

@Suite("End of a replay")
struct ReplayerTests {
    /// The clock of the network; the script has its own.
    private let network = VirtualTime(start: Replay.start)

    private func replayer(_ text: String, _ server: ScriptedServer) throws -> Replayer {
        Replayer(
            try ScriptReader.read(Array(text.utf8), file: "a.yaml"),
            setup: Replayer.Setup(
                host: ClickstreamClient.Device(platform: "Linux"),
                files: MemoryFileSystem(),
                storage: "/replay",
                transport: server,
                deliveryTime: network,
                endpoint: "http://collector.test/collect",
                start: Replay.start,
                observe: { _ in }
            )
        )
    }

    @Test("waits for the request in flight, and sends nothing twice", arguments: [true, false])
    func waits(isOrderly: Bool) async throws {
        let server = ScriptedServer(time: network, script: [.status(503), .hold(.status(200))])
        let replay = RunningReplay(try replayer("clickstream: 1\nsteps: [ launch, { record: a }, flush ]\n", server))
        try await replay.replayer.run()
        await network.advance(milliseconds: 1_000)
        await server.requestWaits()
        // Begins before the reply.
        let report = Task.immediate {
            if isOrderly { try await replay.replayer.play([Step(.terminate)]) }
            return try await replay.replayer.finish(timeout: 10_000)
        }
        server.release()
        #expect(try await report.value.isEmpty)
        // The first was answered with 503; with the second everything has been sent but the end.
        #expect(server.requests.count == (isOrderly ? 3 : 2))
        #expect(server.requests.first?.body == server.requests.dropFirst().first?.body)
    }

    @Test("comes ten seconds after the server's last success, however many are tried")
    func silence() async throws {
        let server = ScriptedServer(time: network, defaultReply: .timeOut)
        let report = Task {
            var replayer = try replayer("clickstream: 1\nsteps: [ launch, { record: a }, flush ]\n", server)
            try await replayer.run()
            return try await replayer.finish(timeout: 10_000)
        }
        await server.requestWaits()
        let timeout = server.attempts.first?.requestTimeout ?? .zero
        await network.advance(milliseconds: timeout.wholeMilliseconds)
        let remainder = try await report.value
        #expect(remainder.events == 4)
        #expect(remainder.reason == .silence(milliseconds: 10_000))
        #expect(server.attempts.count == 1)
    }

    @Test(
        "comes at once after repetitions of nothing",
        .timeLimit(.minutes(10)),
        arguments: [
            "repeat: { times: 1000000000, steps: [] }",
            "repeat: { times: 1000000000, steps: [ { repeat: { times: 1000000000, steps: [] } } ] }",
            "repeat: { times: 1000000000, steps: [ { repeat: { times: 0, steps: [ flush ] } } ] }",
            "repeat: { times: 3, steps: [ { repeat: { times: 1000000000, steps: [] } }, { record: b } ] }",
        ]
    )
    func emptyRepetition(step: String) async throws {
        let server = ScriptedServer(time: network, defaultReply: .timeOut)
        let text = "clickstream: 1\nsteps: [ launch, { \(step) }, { record: a } ]\n"
        var replayer = try self.replayer(text, server)
        // Fails by the time limit.
        try await replayer.run()
        replayer.end()
    }
}
