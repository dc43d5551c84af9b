import ClickstreamCore
import ClickstreamReplay
import Foundation
import TestSupport
import Testing

/// Random histories, through the library and through the second opinion.
///
/// Each is a script of its own: what is found wrong is shrunk and printed as one, for `clickstream-cli replay`.
@Suite("Random histories")
struct RandomHistoriesTests {
    @Test("produce the events that the independent model predicts, and violate no invariant")
    func agreement() async throws {
        let seeds = TestLength.seeds(200, full: 5_000, soak: 1_000_000)
        let (first, count) = (seeds.lowerBound, seeds.count)
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
        // A generator without events would agree with any client; a history that is repeated alone may have none.
        #expect(played >= 5 * count || count == 1)
    }

    /// Shows the shortest script that is still wrong, what the library records and what is wrong with it.
    private static func report(_ script: Script) async throws {
        let shrunk = try await Trial.shrunk(script) { try await !Trial(of: $0).findings.isEmpty }
        let trial = try await Trial(of: shrunk)
        var text = "history \(script.seed), shrunk to \(shrunk.steps.count) steps\n\n\(shrunk.yaml)\n"
        for (position, events) in trial.recorded.enumerated() {
            for event in events {
                text += "step \(position + 1): \(event["event_type"] ?? event) \(event["attributes"] ?? event)\n"
            }
        }
        Issue.record("\(text)\n\(trial.findings.joined(separator: "\n"))")
    }

    @Test("agree on a sampled event in a history in which nothing is recorded")
    func nothingRecorded() async throws {
        let trial = try await Trial(of: RandomHistory.script(number: 306_341))
        #expect(trial.recorded.joined().isEmpty)
        #expect(trial.findings == [])
    }

    @Test("agree on a profile that changed while recording was disabled and then closed by consent")
    func profileOfTwoRefusals() async throws {
        let trial = try await Trial(of: RandomHistory.script(number: 56_406))
        #expect(trial.findings == [])
    }

    // MARK: The comparison itself must be able to fail

    @Test(
        "fail if an event is missing, duplicated, late, or different",
        arguments: TestLength.sample([UInt64](1...6), short: 3)
    )
    func changed(number: UInt64) async throws {
        let script = RandomHistory.script(number: number)
        let trial = try await Trial(of: script)
        let (recorded, undone) = (trial.recorded, trial.undone)
        #expect(Trial.findings(in: recorded, of: script, undone: undone) == [])
        for (step, events) in recorded.enumerated() {
            for (position, event) in events.enumerated() {
                func isFound(_ change: (inout [JSONValue]) -> Void) -> Bool {
                    var other = recorded
                    change(&other[step])
                    return !Trial.findings(in: other, of: script, undone: undone).isEmpty
                }
                #expect(isFound { $0.remove(at: position) }, "\(event)")
                #expect(isFound { $0.insert(event, at: position) }, "\(event)")
                for field in ["event_type", "timestamp", "unique_id", "event_id"]
                where field != "event_id" || position > 0 {
                    let other = field == "event_id" ? events[0][field] : Self.another(event[field])
                    #expect(isFound { $0[position] = event.replacing(field, with: other) }, "\(field) of \(event)")
                }
                for list in ["attributes", "user"] {
                    for member in event[list]?.members ?? [] where member.name != "_error_message" {
                        let value = Self.another(member.value)
                        for change in [value, nil] {
                            let changed = event[list]?.replacing(member.name, with: change)
                            #expect(
                                isFound { $0[position] = event.replacing(list, with: changed) },
                                "\(member.name) of \(event)"
                            )
                        }
                    }
                }
            }
        }
    }

    private static func another(_ value: JSONValue?) -> JSONValue {
        switch value?.kind {
        case .number(let number): JSONValue(.number(JSONNumber(integer: (number.integer ?? 0) + 1)))
        case .boolean(let flag): JSONValue(.boolean(!flag))
        case .string(let text): JSONValue(.string(text + "1"))
        default: JSONValue(.null)
        }
    }

    @Test("are reduced to the essential steps")
    func shrinking() async throws {
        let script = Script(
            seed: 1,
            steps: [
                Step(.launch(LaunchFacts())), Step(.foreground), Step(.wait(77_000)), Step(.kill), Step(.wait(5)),
                Step(.launch(LaunchFacts())), Step(.disable), Step(.enable), Step(.wait(12)), Step(.background),
            ]
        )
        let shrunk = await Trial.shrunk(script) { candidate in
            let waited = candidate.steps.reduce(Int64(0)) { sum, step in
                if case .wait(let milliseconds) = step.action { sum + milliseconds } else { sum }
            }
            return waited >= 1_000 && candidate.steps.contains(Step(.background))
        }
        #expect(shrunk.steps == [Step(.launch(LaunchFacts())), Step(.wait(1_000)), Step(.background)])
    }

    @Test("are printed as scripts that are read back unchanged")
    func printing() throws {
        for number in 1...TestLength.count(100, full: 300) {
            let script = RandomHistory.script(number: UInt64(number))
            #expect(try ScriptReader.read(Array(script.yaml.utf8), file: "history.yaml") == script)
        }
    }
}

extension JSONValue {
    /// The object with another value for a name, or without it.
    fileprivate func replacing(_ name: String, with value: JSONValue?) -> JSONValue {
        JSONValue(
            .object(
                (members ?? []).compactMap { member in
                    member.name == name ? value.map { JSONMember(name, $0) } : member
                }
            )
        )
    }
}
