#if canImport(Glibc)
import Foundation
import Glibc
import Testing

/// Signals while a command does not suspend.
@Suite("Stop signals")
struct StopSignalTests {
    @Test("stop a command that occupies the only processor", .timeLimit(.minutes(10)))
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

    @Test(
        "stop a command before a process writes to its named pipe, which it reads to the end otherwise",
        .timeLimit(.minutes(10)),
        arguments: [["queue", "import"], ["plan", "check"]]
    )
    func namedPipe(command: [String]) async throws {
        try await Workplace.use { workplace in
            let pipe = workplace.path("input.fifo")
            #expect(mkfifo(pipe, 0o600) == 0)
            let stopped = try workplace.start(command + [pipe])
            #expect(try await stopped.wait { stopped.listensToSignals })
            stopped.send(SIGTERM)
            #expect(try await stopped.finish().status == 143)

            let read = try workplace.start(command + [pipe])
            let writer = try await workplace.start(command: ["sh", "-c", "printf 'no: \n' > '\(pipe)'"]).finish()
            #expect(writer.status == 0)
            let end = try await read.finish()
            #expect(end.status == 65 && end.errors.contains("input.fifo:1:"), "\(end.errors)")
        }
    }
}
#endif
