import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

/// Random histories, through the library and through the second opinion.
///
/// `CLICKSTREAM_HISTORIES` says how many, `CLICKSTREAM_FIRST_HISTORY` with which number they begin; `make soak` plays a
/// million. Each is a script of its own: what is found wrong is shrunk and printed as one, for `clickstream-cli replay`.
@Suite("Random histories")
struct RandomHistoriesTests {
    #if DEBUG
    private static let defaultCount = 1_000
    #else
    private static let defaultCount = 20_000
    #endif

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test("give the events that the second opinion predicts, and break nothing that must always hold")
    func agreement() async throws {
        let first = Self.setting("CLICKSTREAM_FIRST_HISTORY") ?? 1
        let count = Self.setting("CLICKSTREAM_HISTORIES") ?? Self.defaultCount
        let workers = min(count, max(2, ProcessInfo.processInfo.activeProcessorCount))
        let played = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var events = 0
                    for number in stride(from: first + worker, to: first + count, by: workers) {
                        let script = RandomHistory.script(number: UInt64(number))
                        let trial = try await Trial(of: script)
                        events += trial.recorded.reduce(0) { $0 + $1.count }
                        guard trial.findings.isEmpty else {
                            try await Self.report(script)
                            return events
                        }
                    }
                    return events
                }
            }
            return try await group.reduce(0, +)
        }
        // A generator that makes up nothing would agree with anything.
        #expect(played >= 5 * count)
    }

    /// Shows the shortest script that is still wrong, what the library records and what is wrong with it.
    private static func report(_ script: Script) async throws {
        let shrunk = try await Trial.shrunk(script)
        let trial = try await Trial(of: shrunk)
        var text = "history \(script.seed), shrunk to \(shrunk.steps.count) steps\n\n\(shrunk.yaml)\n"
        for (place, events) in trial.recorded.enumerated() {
            for event in events {
                text += "step \(place + 1): \(event["event_type"] ?? event) \(event["attributes"] ?? event)\n"
            }
        }
        Issue.record("\(text)\n\(trial.findings.joined(separator: "\n"))")
    }
}
