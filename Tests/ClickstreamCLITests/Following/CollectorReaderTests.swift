import Testing

@testable import clickstream_cli

@Suite("Reader of a collector")
struct CollectorReaderTests {
    @Test("reports a response of more than the maximum size instead of its beginning")
    func longResponse() async throws {
        let body = "{\"events\":[]}"
        let server = FixedServer { _ in "200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }
        defer { server.stop() }
        let address = try #require(CollectorAddress("http://\(server.authority)"))
        var reader = CollectorReader(source: .collector(address), query: EventQuery())
        reader.maxBodyBytes = body.utf8.count
        #expect(try await reader.body("/api/events", []) == Array(body.utf8))
        reader.maxBodyBytes -= 1
        let short = reader
        let failure = await #expect(throws: CommandFailure.self) { try await short.body("/api/events", []) }
        #expect(failure?.status == .inputOutput)
        #expect(failure?.message.hasSuffix("select fewer events") == true)
    }
}
