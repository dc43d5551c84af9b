#if Collector
import ClickstreamCore
import Foundation
import Testing

@Suite("replay --form contentsquare --batches")
struct ContentsquareBatchTests {
    @Test("has the script's clock as the time of sending")
    func time() async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(CaptureFormTests.script, to: "a.yaml")
            let run = try await workplace.run("replay", path, "--dry-run", "--form", "contentsquare", "--batches")
            let last = try JSONReader.parse(Array(try #require(run.lines.last).utf8))
            // The script's clock at its end.
            #expect(last["now"]?.integer == 1_704_067_201_080)
        }
    }

    @Test("has at most the configured number of events in a batch, and one session")
    func batchSize() async throws {
        try await Workplace.use { workplace in
            let text = """
                clickstream: 1
                config: { contentsquare: { projectId: 8, batchSize: 3 } }
                steps:
                  - launch
                  - repeat: { times: 4, steps: [ { screen: A }, { screen: B } ] }
                  - background
                  - wait: 31m
                  - foreground
                  - screen: A
                """
            let path = try workplace.write(text, to: "a.yaml")
            let run = try await workplace.run("replay", path, "--dry-run", "--form", "contentsquare", "--batches")
            #expect(run.status == 0)
            let sessions = try run.lines.map { line in
                try #require(JSONReader.parse(Array(line.utf8))["pl"]?.array).map { $0["sn"]?.integer }
            }
            #expect(sessions.allSatisfy { $0.count <= 3 && Set($0).count == 1 })
            #expect(sessions.flatMap(\.self) == Array(repeating: 1, count: 11) + [2, 2, 2])
        }
    }
}
#endif
