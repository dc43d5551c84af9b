#if Collector && os(Linux)
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

/// Real processes that really crash.
@Suite("Crash", .serialized)
struct CrashTests {
    /// How the app ends, the signal that it dies of, what the message holds, and what the stack holds.
    struct Row: Sendable, CustomTestStringConvertible {
        var ending: String
        var signal: Int32
        var message: String
        var function: String

        init(_ ending: String, _ signal: Int32, _ message: String, _ function: String) {
            self.ending = ending
            self.signal = signal
            self.message = message
            self.function = function
        }

        var testDescription: String { ending }
    }

    #if arch(arm64)
    static let trap = SIGTRAP
    #else
    static let trap = SIGILL
    #endif

    private static let rows = [
        Row("trap", trap, "Fatal error: the coffee is cold", "trapInCheckout() -> ()"),
        Row("unwrap", trap, "Unexpectedly found nil while unwrapping an Optional value", "unwrapNothing("),
        Row("bounds", trap, "Index out of range", "readPastTheEnd("),
        Row("null", SIGSEGV, "SIGSEGV at 0x10 (no memory there)", "dereferenceNull("),
        Row("abort", SIGABRT, "SIGABRT", "abortInCheckout() -> ()"),
        Row("division", SIGFPE, "SIGFPE", "Ending.reach("),
        Row("bus", SIGBUS, "(past the end of the file)", "readPastTheFile("),
        Row("overflow", SIGSEGV, "SIGSEGV at 0x", "overflowStack("),
        Row("thread", trap, "Fatal error: the thread is cold", "trapOnThread() -> ()"),
        Row("recording", trap, "Fatal error: no more names", "failInsideRecord() -> ()"),
        Row("handler", SIGABRT, "SIGABRT", "breakHandler() -> ()"),
    ]

    @Test(
        "is recorded by the next launch with the state at the crash, and the process ends with its signal",
        arguments: rows
    )
    func recorded(row: Row) async throws {
        try await App.use { app in
            let start = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
            // A stack that has overflowed has no room for a handler that does not ask for another.
            // One that was raised goes by when its handler returns, and the app goes on.
            let hasEarlier = !["overflow", "division"].contains(row.ending)
            let end = try await app.run(row.ending, earlierHandler: hasEarlier ? "reporter" : nil)
            #expect(end == App.End(signal: row.signal, status: 0, output: hasEarlier ? "earlier handler\n" : ""))
            let events = try await app.deliver()
            let index = try #require(events.firstIndex { $0.name == "_app_exception" })
            let crash = events[index]
            let message = try #require(crash.attribute("_exception_message")?.string)
            let stack = try #require(crash.attribute("_exception_stack")?.string)
            #expect(message.contains(row.message), "\(message)")
            #expect(stack.contains(row.function), "\(stack)")
            #expect(stack.contains("Ending.reach(") || row.ending == "thread", "\(stack)")
            #expect(stack.contains("main") || row.ending == "thread", "\(stack)")
            #expect(stack.utf8.count <= 65_535)

            // As things stood at the crash.
            let before = try #require(events.first { $0.name == "before" })
            #expect(
                events[..<index].map(\.name) == [
                    "_first_open", "_app_start", "_session_start", "_profile_set", "_screen_view", "_screen_view",
                    "before",
                ]
            )
            #expect(events[(index + 1)...].map(\.name) == ["_app_start"])
            for name in [
                "_session_id", "_session_number", "_session_start_timestamp", "_screen_name", "_screen_unique_id",
            ] {
                #expect(crash.attribute(name) == before.attribute(name), "\(name)")
            }
            #expect(crash.attribute("_screen_name")?.string == "Checkout")
            #expect(crash.attribute("channel")?.string == "shelf")
            #expect(crash.attribute("gone") == nil)
            #expect(crash["user"] == before["user"])
            #expect(crash["unique_id"] == before["unique_id"])
            let time = try #require(crash["timestamp"]?.integer)
            #expect(time >= start.milliseconds)
            #expect(time >= before["timestamp"]?.integer ?? .max)
            let duration = try #require(crash.attribute("_session_duration")?.integer)
            let sessionStart = try #require(crash.attribute("_session_start_timestamp")?.integer)
            #expect(abs(duration - (time - sessionStart)) <= 2)
            #expect(Set(crash["attributes"]?.members?.map(\.name) ?? []).count == crash["attributes"]?.members?.count)

            // Reported once.
            #expect(!app.files.contains { $0.hasSuffix("crash") })
            let again = try await app.deliver()
            #expect(again.filter { $0.name == "_app_exception" }.count == 1)
        }
    }

    /// Handlers that resolve faults, combined with the end of the app after them.
    private static let resolvedRows = ["mend", "context", "jump"].flatMap { kind -> [(String, Row?)] in
        [
            (kind, nil),
            (kind, Row("resolvedAbort", SIGABRT, "SIGABRT", "abortInCheckout() -> ()")),
            (kind, Row("resolvedTrap", trap, "Fatal error: the coffee is cold", "trapInCheckout() -> ()")),
            (kind, Row("resolvedNull", SIGSEGV, "SIGSEGV at 0x10 (no memory there)", "dereferenceNull(")),
        ]
    }

    @Test("is not a fault that an earlier handler resolves, but the true crash after it", arguments: resolvedRows)
    func resolved(kind: String, row: Row?) async throws {
        try await App.use { app in
            let end = try await app.run(row?.ending ?? "resolvedKill", earlierHandler: kind)
            #expect(end == App.End(signal: row?.signal ?? SIGKILL, status: 0, output: "resolved 403\n"))
            let crashes = try await app.deliver().filter { $0.name == "_app_exception" }
            #expect(crashes.count == (row == nil ? 0 : 1))
            guard let row, let crash = crashes.first else { return }
            #expect(crash.attribute("_exception_message")?.string?.contains(row.message) == true, "\(crash)")
            #expect(crash.attribute("_exception_stack")?.string?.contains(row.function) == true, "\(crash)")
        }
    }

    @Test("is not a fault that a crash reporter resolves, if SIGABRT is ignored since the SDK was started again")
    func ignoredAbort() async throws {
        try await App.use { app in
            let end = try await app.run("restartedKill", earlierHandler: "reportJump")
            #expect(end == App.End(signal: SIGKILL, status: 0, output: "resolved 403\n"))
            #expect(try await app.deliver().contains { $0.name == "_app_exception" } == false)
        }
    }

    /// Kind of the earlier handler, and the end of the process.
    private static let unresolvedRows = [
        ("mend", App.End(signal: SIGSEGV, status: 0, output: "")),
        ("raise", App.End(signal: SIGSEGV, status: 0, output: "")),
        ("abort", App.End(signal: SIGABRT, status: 0, output: "")),
        // A fault of another thread is resolved meanwhile.
        ("reportExit", App.End(signal: 0, status: 3, output: "")),
    ]

    @Test("is recorded as the original fault if the earlier handler does not resolve it", arguments: unresolvedRows)
    func unresolved(kind: String, expected: App.End) async throws {
        try await App.use { app in
            let end = try await app.run("null", earlierHandler: kind)
            #expect(end == expected)
            let crashes = try await app.deliver().filter { $0.name == "_app_exception" }
            #expect(crashes.count == 1)
            let crash = try #require(crashes.first)
            #expect(crash.attribute("_exception_message")?.string?.contains("SIGSEGV at 0x10") == true, "\(crash)")
            #expect(crash.attribute("_exception_stack")?.string?.contains("dereferenceNull(") == true, "\(crash)")
        }
    }

    @Test("is not recorded if disabled", arguments: ["untracked", "disabled"])
    func unrecorded(ending: String) async throws {
        try await App.use { app in
            let end = try await app.run(ending)
            #expect(end.signal == Self.trap)
            let events = try await app.deliver()
            #expect(events.contains { $0.name == "_app_exception" } == false)
            #expect(!app.files.contains { $0.hasSuffix("crash") })
        }
    }

    @Test("of a child of fork is the child's own, and the child ends with it")
    func forked() async throws {
        try await App.use { app in
            let end = try await app.run("fork")
            #expect(end == App.End(signal: 0, status: 0, output: "child died of \(SIGSEGV)\n"))
            let events = try await app.deliver()
            #expect(events.filter { ["_app_exception", "_app_end"].contains($0.name) }.map(\.name) == ["_app_end"])
        }
    }

    @Test("in the background does not count as activity")
    func background() async throws {
        try await App.use { app in
            #expect(try await app.run("background").signal == Self.trap)
            let events = try await app.deliver()
            let ends = events.filter { ["_app_exception", "_app_end"].contains($0.name) }
            #expect(ends.map(\.name) == ["_app_end", "_app_exception"])
        }
    }

    @Test("leaves no files when the process ends gracefully, or is killed")
    func others() async throws {
        try await App.use { app in
            #expect(try await app.run("orderly") == App.End(signal: 0, status: 0, output: ""))
            #expect(!app.files.contains { $0.hasSuffix("crash") })
            let waiting = try app.start("wait")
            #expect(try waiting.line() == "ready\n")
            #expect(app.files.contains("runs/1/crash"))
            waiting.send(SIGKILL)
            #expect(try await waiting.end().signal == SIGKILL)
            #expect(app.files.contains("runs/1/crash"))
            #expect(try await app.deliver().contains { $0.name == "_app_exception" } == false)
            #expect(!app.files.contains { $0.hasSuffix("crash") })
        }
    }

    @Test("of one process among several is recorded by the next launch, without touching the others' files")
    func several() async throws {
        try await App.use { app in
            let living = try app.start("wait")
            #expect(try living.line() == "ready\n")
            let dying = try app.start("wait")
            #expect(try dying.line() == "ready\n")
            dying.send(SIGSEGV)
            #expect(try await dying.end().signal == SIGSEGV)
            let events = try await app.deliver()
            #expect(events.filter { $0.name == "_app_exception" }.count == 1)
            #expect(app.files.filter { $0.hasSuffix("/crash") } == ["runs/1/crash"])
            try living.goOn()
            #expect(try await living.end().signal == 0)
            #expect(app.files.filter { $0.hasSuffix("/crash") } == [])
        }
    }
}
#endif
