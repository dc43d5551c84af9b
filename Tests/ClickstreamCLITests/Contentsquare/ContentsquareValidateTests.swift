import ClickstreamCore
import FormatFixtures
import Testing

@Suite("validate --form contentsquare")
struct ContentsquareValidateTests {
    @Test("checks single events and batches, line by line")
    func validate() async throws {
        try await Workplace.use { workplace in
            let (fixture, time) = (FormatFixture.contentsquare, SystemTime().now().wall.milliseconds - 1_000)
            let (first, second) = (fixture.event(1, at: time), fixture.event(2, at: time))
            let lines = [first, fixture.body([first, second]), fixture.body([fixture.flawedEvent(1, at: time)])]
            try workplace.write(lines.joined(separator: "\n"), to: "cs.ndjson")
            let run = try await workplace.run("validate", "cs.ndjson", "--form", "contentsquare", "--format", "human")
            #expect(run.status == 1)
            #expect(run.output.contains("cs.ndjson:3: error: \"tvv\" is 99; a flick has at least 100 dp/s"))
            #expect(run.output.contains("3 events: 1 error in 1 event"), "\(run.output)")
            let explained = try await workplace.run("explain", "contentsquare_gesture_class")
            #expect(explained.status == 0 && explained.output.contains("Gesture class"))
        }
    }
}
