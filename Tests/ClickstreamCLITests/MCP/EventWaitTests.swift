import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import clickstream_cli

@Suite("Wait for an event")
struct EventWaitTests {
    /// Store of a collector that tests change while a wait reads it.
    private final class FakeStore: Sendable {
        private struct State: Sendable {
            var last: Int64 = 0
            /// Numbers of the events that match.
            var matching: [Int64] = []
            var isLost = false
            var targets: [String] = []
            var silences: [Int64?] = []
        }

        private let state = Locked(State())

        var targets: [String] { state.withLock { $0.targets } }
        var silences: [Int64?] { state.withLock { $0.silences } }

        func add(matching: Bool) {
            state.withLock { state in
                state.last += 1
                if matching { state.matching.append(state.last) }
            }
        }

        func lose(_ isLost: Bool) { state.withLock { $0.isLost = isLost } }

        func replace() {
            state.withLock { state in
                state.last = 0
                state.matching = []
            }
        }

        func read(
            _ path: String,
            _ parameters: [(name: String, value: String)],
            _ silence: Int64?
        ) throws -> [UInt8] {
            let cursor = parameters.last { $0.name == "cursor" }.flatMap { Int64($0.value) } ?? 0
            let target = path + (parameters.isEmpty ? "" : "?" + EventQuery.query(parameters))
            return try state.withLock { state in
                state.targets.append(target)
                state.silences.append(silence)
                if state.isLost { throw CommandFailure(.serverUnavailable, "lost") }
                if path == "/api/summary" { return Array(#"{"last_seq":\#(state.last)}"#.utf8) }
                let found = state.matching.first { $0 > cursor }.map { #"{"seq":\#($0)}"# } ?? ""
                return Array(#"{"events":[\#(found)],"next":null}"#.utf8)
            }
        }
    }

    private let time = VirtualTime(start: Timestamp(milliseconds: 1_000))
    private let store = FakeStore()

    private func context(_ report: @escaping @Sendable (MCPProgress) -> Void = { _ in }) -> MCPContext {
        MCPContext(time: time) { [store] in try store.read($0, $1, $2) }.reporting(report)
    }

    private static func wait(includesStored: Bool = false, seconds: Int64 = 2) -> EventWait {
        EventWait(
            parameters: [(name: "name", value: "buy")],
            includesStored: includesStored,
            timeout: 1_000 * seconds
        )
    }

    /// Changes the store while the wait is suspended, and advances the clock to the next round.
    private func round(_ change: () -> Void = {}) async {
        await time.timers(after: 250)
        change()
        await time.advance(milliseconds: 250)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("returns the next matching event, not an earlier one")
    func next() async throws {
        store.add(matching: true)
        let context = context()
        async let result = Self.wait().run(in: context)
        await round { store.add(matching: false) }
        await round()
        await round { store.add(matching: true) }
        let text = Self.text(try await result)
        #expect(text == #"{"event":{"seq":3},"received":true,"waited_ms":750}"#)
        let list = "/api/events?name=buy&limit=1&cursor="
        let summary = "/api/summary"
        // A round without a new event reads no list.
        #expect(store.targets == [summary, summary, summary, list + "1", summary, summary, list + "2"])
    }

    @Test("returns a stored event at once if those are included")
    func stored() async throws {
        store.add(matching: false)
        store.add(matching: true)
        let result = try await Self.wait(includesStored: true).run(in: context())
        #expect(Self.text(result) == #"{"event":{"seq":2},"received":true,"waited_ms":0}"#)
    }

    @Test("ends at the timeout without an event, and reports its progress each second")
    func timeout() async throws {
        let reports = Locked<[MCPProgress]>([])
        let context = context { progress in reports.withLock { $0.append(progress) } }
        async let result = Self.wait().run(in: context)
        for _ in 0..<8 { await round() }
        let text = Self.text(try await result)
        #expect(text == #"{"event":null,"received":false,"waited_ms":2000}"#)
        #expect(
            reports.withLock { $0 } == [MCPProgress(seconds: 1, total: 2, message: "waiting for an event")]
        )
    }

    @Test("waits for a silent collector for the rest of its time, or a round at least")
    func silence() async throws {
        let context = context()
        async let result = Self.wait(seconds: 1).run(in: context)
        for _ in 0..<4 { await round() }
        _ = try await result
        #expect(store.silences == [1_000, 1_000, 750, 500, 250, 250])
    }

    @Test("outlasts the loss and the replacement of the collector")
    func loss() async throws {
        for _ in 0..<5 { store.add(matching: true) }
        let context = context()
        async let result = Self.wait().run(in: context)
        await round { store.lose(true) }
        await round {
            store.replace()
            store.add(matching: true)
            store.lose(false)
        }
        let text = Self.text(try await result)
        #expect(text == #"{"event":{"seq":1},"received":true,"waited_ms":500}"#)
    }

    @Test("reports a collector that is missing at the start, or at the end", arguments: [true, false])
    func missing(atStart: Bool) async throws {
        store.lose(atStart)
        let context = context()
        async let result = Self.wait(includesStored: atStart).run(in: context)
        if !atStart {
            await round { store.lose(true) }
            for _ in 0..<7 { await round() }
        }
        do {
            _ = try await result
            Issue.record("no failure")
        } catch let failure as CommandFailure {
            #expect(failure.message == "lost")
        }
    }
}
