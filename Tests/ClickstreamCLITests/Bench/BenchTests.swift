#if Collector
import ClickstreamCore
import Testing

@Suite("bench")
struct BenchTests {
    @Test("measures with the real client, delivers everything, and leaves no files")
    func report() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run("bench", "--events", "200")
            #expect(run.status == 0, "\(run.errors)")
            let report = try JSONReader.parse(Array(run.output.utf8))
            #expect(report["events"]?.integer == 200)
            // Also the launch's own.
            #expect(report["delivered"]?.integer ?? 0 >= 200)
            for name in [
                "launch_ns", "record_ns", "record_median_ns", "record_p99_ns", "stored_bytes", "delivered_per_second",
            ] {
                #expect(report[name]?.integer ?? 0 > 0, "\(name)")
            }
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("rejects invalid usage", arguments: [["--events", "0"], ["--events", "many"]])
    func usage(arguments: [String]) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["bench"] + arguments)
            #expect((run.status, run.output) == (64, ""))
        }
    }
}
#endif
