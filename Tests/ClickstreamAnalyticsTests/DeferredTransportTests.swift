import ClickstreamCore
import Testing

@testable import ClickstreamAnalytics

@Suite("DeferredTransport")
struct DeferredTransportTests {
    /// Answers with what number it is, and how many requests it had.
    private final class Answers: ClickstreamClient.Transport {
        private let number: Int
        private let requests = Locked(0)

        init(number: Int) {
            self.number = number
        }

        func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
            guard request.url != "refused" else { throw .refused("as asked") }
            let count = requests.withLock { count in
                count += 1
                return count
            }
            return UploadResponse(status: number * 100 + count)
        }
    }

    private final class Maker: Sendable {
        let made = Locked(0)

        func transport() -> any ClickstreamClient.Transport {
            made.withLock { made in
                made += 1
                return Answers(number: made)
            }
        }
    }

    private static func request(_ url: String) -> UploadRequest { UploadRequest(url: url, headers: [], body: []) }

    @Test("creates its transport with the first request, and only once")
    func once() async throws {
        let maker = Maker()
        let transport = DeferredTransport { maker.transport() }
        #expect(maker.made.withLock { $0 } == 0)
        for status in [101, 102] { #expect(try await transport.send(Self.request("a")).status == status) }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await transport.send(Self.request("a")).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == Array(103...110))
        #expect(maker.made.withLock { $0 } == 1)
    }

    @Test("forwards failures")
    func failure() async {
        let transport = DeferredTransport { Answers(number: 1) }
        await #expect(throws: TransportError.refused("as asked")) { try await transport.send(Self.request("refused")) }
    }
}
