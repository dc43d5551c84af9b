import ClickstreamCore
import Testing

@testable import ClickstreamReplay

@Suite("Order of steps")
struct StepOrderTests {
    @Test(
        "is accepted while a process is running",
        arguments: [
            "launch", "launch, kill", "launch, kill, wait: 1s, clock: +1h, network: offline, launch",
            "launch, terminate, launch, crash: m, launch, record: a",
            "launch, repeat: { times: 5, steps: [ kill, wait: 1s, launch ] }, flush",
            "launch, kill, repeat: { times: 9, steps: [ launch, kill ] }",
            "repeat: { times: 2, steps: [ launch, kill ] }",
            "launch, kill, repeat: { times: 3, steps: [ wait: 1s, repeat: { times: 2, steps: [ launch, kill ] } ] }",
            "launch, kill, repeat: { times: 1, steps: [ launch ] }, record: a",
            "launch, repeat: { times: 0, steps: [ launch ] }",
            "launch, repeat: { times: 1000000, steps: [ { repeat: { times: 999, steps: [ disable ] } } ] }",
        ]
    )
    func accepted(steps: String) {
        #expect(ScriptReaderTests.complaints("clickstream: 1\nsteps: [ \(steps) ]") == [])
    }

    @Test(
        "is checked as if the steps were run",
        arguments: [
            ("foreground", ["2:10: error: 'foreground' before the first 'launch'; start the steps with 'launch'"]),
            ("wait: 1s, launch", ["2:10: error: 'wait' before the first 'launch'; start the steps with 'launch'"]),
            (
                "launch, flush, launch",
                ["2:25: error: 'launch' while a process is running; end it first with 'terminate', 'kill' or 'crash'"]
            ),
            (
                "launch, terminate, wait: 1s, record: a, screen: b, launch, kill, user_id: c",
                [
                    "2:39: error: 'record' after 'terminate' has ended the process; only wait, clock and network are allowed "
                        + "before the next 'launch'",
                    "2:75: error: 'user_id' after 'kill' has ended the process; only wait, clock and network are allowed "
                        + "before the next 'launch'",
                ]
            ),
            (
                "launch, crash: m, terminate",
                [
                    "2:28: error: 'terminate' after 'crash' has ended the process; only wait, clock and network are allowed before the next 'launch'"
                ]
            ),
            (
                "launch, kill, repeat: { times: 2, steps: [ launch ] }",
                [
                    "2:53: error: 'launch' while a process is running when repeated; end it first with 'terminate', 'kill' or 'crash'"
                ]
            ),
            (
                "launch, repeat: { times: 2, steps: [ flush, kill ] }",
                [
                    "2:47: error: 'flush' after 'kill' has ended the process when repeated; only wait, clock and network are allowed before the next 'launch'"
                ]
            ),
            (
                "launch, repeat: { times: 1, steps: [ flush, kill ] }, flush",
                [
                    "2:64: error: 'flush' after 'kill' has ended the process; only wait, clock and network are allowed before the next 'launch'"
                ]
            ),
            (
                "launch, repeat: { times: 1000000, steps: [ repeat: { times: 1001, steps: [ disable ] } ] }",
                ["2:18: error: the script has more than 1000000000 steps to run"]
            ),
            (
                "launch, repeat: { times: 11, steps: [ wait: 36500d ] }",
                ["2:18: error: the script lasts more than 1000 years"]
            ),
        ]
    )
    func refused(steps: String, expected: [String]) {
        let complaints = ScriptReaderTests.complaints("clickstream: 1\nsteps: [ \(steps) ]")
        #expect(complaints == expected.map { "test.yaml:" + $0 })
    }

    @Test("costs nothing however deeply repetitions are nested")
    func nested() {
        var steps = "disable"
        for _ in 0..<20 { steps = "{ repeat: { times: 2, steps: [ \(steps), enable ] } }" }
        #expect(ScriptReaderTests.complaints("clickstream: 1\nsteps: [ launch, \(steps) ]") == [])
    }
}
