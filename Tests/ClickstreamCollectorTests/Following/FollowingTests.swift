#if Tools
import ClickstreamCore
import Testing

@testable import ClickstreamCollector

@Suite("A follower of the store")
struct FollowingTests {
    /// Follower that stores its requests, and refuses those chosen by the test.
    private actor Notebook: Follower {
        struct Refusal: Error {}

        nonisolated let name = "notebook"
        private(set) var taken: [String] = []
        private(set) var isClosed = false
        private var refusals: Int

        init(refusals: Int = 0) {
            self.refusals = refusals
        }

        func take(_ requests: [CollectedRequest]) throws {
            if refusals > 0 {
                refusals -= 1
                throw Refusal()
            }
            taken += requests.map { "\($0.id) \($0.data ?? "")" }
        }

        func close() { isClosed = true }
    }

    private func upload(_ number: Int, bytes: Int = 3) -> Upload {
        let envelope = Envelope(
            id: "r\(number)",
            receivedAt: Timestamp(milliseconds: FixedTime.start),
            method: "POST",
            uri: "/collect",
            path: "/collect",
            body: [UInt8](repeating: UInt8(ascii: "b"), count: bytes),
            isContentEncoded: false
        )
        return UploadDecoder().decode(envelope)
    }

    private func append(_ numbers: Range<Int>, to store: Store, bytes: Int = 3) async throws {
        _ = try await store.append(numbers.map { upload($0, bytes: bytes) })
    }

    @Test("receives each request once and in order, including those at shutdown", arguments: [3, 1_500_000])
    func order(bytes: Int) async throws {
        let store = try Store(path: nil)
        let arrivals = ArrivalNotifier()
        let notebook = Notebook()
        try await append(0..<3, to: store, bytes: bytes)
        let following = Following(notebook, store: store, arrivals: arrivals)
        for number in 3..<9 {
            try await append(number..<number + 1, to: store, bytes: bytes)
            arrivals.tell()
        }
        arrivals.end()
        try await append(9..<12, to: store, bytes: bytes)
        await following.stop(seconds: 60)
        let body = String(repeating: "b", count: bytes)
        #expect(await notebook.taken == (0..<12).map { "r\($0) \(body)" })
        #expect(await notebook.isClosed)
        try store.close()
    }

    @Test("continues at its stored position, and receives again what it rejected")
    func resumed() async throws {
        let store = try Store(path: nil)
        for (round, refusals) in [0, 1, 0].enumerated() {
            let notebook = Notebook(refusals: refusals)
            let arrivals = ArrivalNotifier()
            try await append(round * 5..<round * 5 + 5, to: store)
            let following = Following(notebook, store: store, arrivals: arrivals)
            arrivals.end()
            await following.stop(seconds: 60)
            #expect(await notebook.taken == (round * 5..<round * 5 + 5).map { "r\($0) bbb" })
        }
        try store.close()
    }

    @Test("receives requests after a reset, and none from before")
    func reset() async throws {
        let store = try Store(path: nil)
        let arrivals = ArrivalNotifier()
        let notebook = Notebook()
        try await append(0..<5, to: store)
        let following = Following(notebook, store: store, arrivals: arrivals)
        while await notebook.taken.count < 5 { await Task.yield() }
        try await store.reset()
        try await append(5..<7, to: store)
        arrivals.tell()
        arrivals.end()
        await following.stop(seconds: 60)
        #expect(await notebook.taken == (0..<7).map { "r\($0) bbb" })
        try store.close()
    }
}
#endif
