import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import clickstream_cli

@Suite("Progress line")
struct ProgressLineTests {
    @Test(
        "has the share, the rate, and the time left once it can be estimated",
        arguments: [
            (310_000, 0.5, 1_000, "50 %, 310000 lines/s, 1 s left"),
            (8_200, nil, 2_000, "8200 lines, 4100 lines/s"),
            (2, 0.25, 2_000, "25 %, 1 line/s, 6 s left"),
            (20, 0.5, 60_000, "50 %, 20 lines/min, 1 min left"),
            (1, 0.23, 200_000, "23 %, 18 lines/h, 11 min 10 s left"),
            (8, 0.001, 42_604, "0 %, 11 lines/min, 11 h 49 min left"),
            (0, 0, 5_000, "0 %"), (0, 0.02, 5_000, "2 %, 4 min 5 s left"),
            // Too little is done.
            (50, 0.009, 1_000, "0 %, 50 lines/s"), (50, 1e-6, 20_000, "0 %, 2 lines/s"),
            (100, 1, 1_000, "100 %, 100 lines/s"), (100, 1.5, 1_000, "100 %, 100 lines/s"),
        ] as [(Int, Double?, Int64, String)]
    )
    func text(done: Int, share: Double?, milliseconds: Int64, text: String) {
        #expect(ProgressLine.text(done, "line", share: share, after: milliseconds) == text)
    }

    @Test("is shown after the first second, five times a second at most, and removed at the end")
    func interval() async {
        let time = VirtualTime(start: Timestamp(milliseconds: 0))
        let shown = Locked<[String]>([])
        let progress = ProgressLine("event", of: 100, time: time) { line in shown.withLock { $0.append(line) } }
        for _ in 0..<14 {
            await time.advance(milliseconds: 100)
            progress.advance()
        }
        progress.end()
        #expect(
            shown.withLock { $0 } == [
                "10 %, 10 events/s, 9 s left", "12 %, 10 events/s, 9 s left", "14 %, 10 events/s, 9 s left", "",
            ]
        )
    }

    @Test("leaves no line if it was not shown")
    func short() {
        let shown = Locked<[String]>([])
        let time = VirtualTime(start: Timestamp(milliseconds: 0))
        let progress = ProgressLine("event", of: nil, time: time) { line in shown.withLock { $0.append(line) } }
        progress.advance()
        progress.end()
        #expect(shown.withLock { $0 } == [])
    }

    @Test(
        "of generate ends with the number of events or the time, whichever is first",
        arguments: [
            (500, 1_000, 10_000, nil, "500 events, 50 events/s, 10 s left"),
            (500, 1_000, 10_000, 12_000, "500 events, 50 events/s, 2 s left"),
            (1, nil, 40_000, nil, "1 event, 1 event/min"),
        ] as [(Int, Int?, Int64, Int64?, String)]
    )
    func generate(recorded: Int, events: Int?, milliseconds: Int64, longest: Int64?, text: String) {
        #expect(GenerateProgress.line(recorded, of: events, after: milliseconds, of: longest) == text)
    }
}
