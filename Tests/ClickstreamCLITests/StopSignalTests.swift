#if canImport(Glibc)
import Foundation
import Glibc
import Testing

/// Signals while a command does not suspend.
@Suite("Stop signals")
struct StopSignalTests {
    @Test("stop a command that occupies the only processor", .timeLimit(.minutes(2)))
    func oneProcessor() async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write("nope\n", to: "events.ndjson")
            // Zeros without a line feed, which use no space on the disk.
            #expect(truncate(path, 20 << 30) == 0)
            let processor = #"$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)"#
            let script = "exec taskset -c \(processor) '\(Workplace.executable.path)' queue import '\(path)' 2>&1"
            let run = try workplace.start(command: ["sh", "-c", script])
            #expect(try await run.wait { run.outputSoFar.contains("not JSON") })
            run.send(SIGTERM)
            #expect(try await run.finish().status == 143)
        }
    }
}
#endif
