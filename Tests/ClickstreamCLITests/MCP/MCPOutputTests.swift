import Foundation
import Glibc
import Testing

@testable import clickstream_cli

@Suite("Output of the Model Context Protocol")
struct MCPOutputTests {
    @Test("does not wait for a client that reads nothing, and passes all lines once it reads", .timeLimit(.minutes(1)))
    func blocked() async throws {
        let pipe = Pipe()
        let output = MCPOutput(ResultStream(descriptor: pipe.fileHandleForWriting.fileDescriptor)) { _ in }
        // Far more than a pipe holds.
        let long = String(repeating: "x", count: 1_000_000)
        output.write(Array(long.utf8))
        output.write(Array("end".utf8))
        let drain = Task { try await output.drain() }
        drain.cancel()
        await #expect(throws: CancellationError.self) { try await drain.value }
        let expected = Data("\(long)\nend\n".utf8)
        var received = Data()
        while received.count < expected.count,
            let piece = try pipe.fileHandleForReading.read(upToCount: expected.count - received.count), !piece.isEmpty
        {
            received += piece
        }
        #expect(received == expected)
        output.wait()
        try await output.drain()
    }

    @Test("reports a failure at once, and at its end")
    func failure() async throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        let (failures, failure) = AsyncStream<Void>.makeStream()
        let output = MCPOutput(ResultStream(descriptor: descriptor)) { _ in failure.yield() }
        output.write(Array("{}".utf8))
        for await _ in failures { break }
        await #expect(throws: CommandFailure.self) { try await output.drain() }
    }
}
