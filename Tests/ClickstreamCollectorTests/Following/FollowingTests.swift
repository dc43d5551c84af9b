#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import ClickstreamCollector

@Suite("A follower of the store", .timeLimit(.minutes(10)))
struct FollowingTests {
    /// Follower that stores its requests, and refuses those chosen by the test.
    private actor Notebook: Follower {
        struct Refusal: Error {}

        nonisolated let name = "notebook"
        private(set) var taken: [String] = []
        private(set) var isClosed = false
        private var refusals: Int
        private var reader: (count: Int, filled: CheckedContinuation<Void, Never>)?

        init(refusals: Int = 0) {
            self.refusals = refusals
        }

        func take(_ requests: [CollectedRequest]) throws {
            if refusals > 0 {
                refusals -= 1
                throw Refusal()
            }
            taken += requests.map { "\($0.id) \($0.data ?? "")" }
            if let reader, taken.count >= reader.count {
                self.reader = nil
                reader.filled.resume()
            }
        }

        /// Suspends until so many requests were taken.
        func holds(_ count: Int) async {
            if taken.count >= count { return }
            await withCheckedContinuation { reader = (count, $0) }
        }

        func close() { isClosed = true }
    }

    private let time = virtualTime()

    private func upload(_ number: Int, bytes: Int = 3) -> Upload {
        UploadDecoder().decode(.post([UInt8](repeating: UInt8(ascii: "b"), count: bytes), id: "r\(number)"))
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
        let following = Following(notebook, store: store, arrivals: arrivals, time: time)
        for number in 3..<9 {
            try await append(number..<number + 1, to: store, bytes: bytes)
            arrivals.notify()
        }
        arrivals.end()
        try await append(9..<12, to: store, bytes: bytes)
        await following.stop(milliseconds: 60_000)
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
            let following = Following(notebook, store: store, arrivals: arrivals, time: time)
            if refusals > 0 {
                await time.timers(after: Following.pause)
                await time.advance(milliseconds: Following.pause)
            }
            arrivals.end()
            await following.stop(milliseconds: 60_000)
            let numbers: Range<Int> = round * 5..<round * 5 + 5
            let expected: [String] = numbers.map { (number: Int) -> String in "r\(number) bbb" }
            #expect(await notebook.taken == expected)
        }
        try store.close()
    }

    @Test("gets no more time than given to receive the rest at shutdown")
    func timeout() async throws {
        let store = try Store(path: nil)
        let arrivals = ArrivalNotifier()
        let notebook = Notebook(refusals: .max)
        try await append(0..<1, to: store)
        let following = Following(notebook, store: store, arrivals: arrivals, time: time)
        arrivals.end()
        async let stopped: Void = following.stop(milliseconds: 60_000)
        await time.timers(after: 60_000)
        await time.advance(milliseconds: 60_000)
        await stopped
        #expect(await notebook.taken == [])
        #expect(await notebook.isClosed)
        try store.close()
    }

    @Test("receives requests after a reset, and none from before")
    func reset() async throws {
        let store = try Store(path: nil)
        let arrivals = ArrivalNotifier()
        let notebook = Notebook()
        try await append(0..<5, to: store)
        let following = Following(notebook, store: store, arrivals: arrivals, time: time)
        await notebook.holds(5)
        try await store.reset()
        try await append(5..<7, to: store)
        arrivals.notify()
        arrivals.end()
        await following.stop(milliseconds: 60_000)
        #expect(await notebook.taken == (0..<7).map { "r\($0) bbb" })
        try store.close()
    }
}
#endif
