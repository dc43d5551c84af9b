#if Collector && os(Linux)
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

/// Real processes that lack what a process usually has, or that fork.
@Suite("Process with limited resources", .serialized)
struct HardshipTests {
    // MARK: Fork

    @Test("a child of fork that records is rejected, and its parent's events are complete and sent once")
    func childRecords() async throws {
        try await App.use { app in
            let end = try await app.run("childRecords", redirection: "2>\"$1/said\"")
            #expect(end == App.End(signal: 0, status: 0, output: "child 0\n"))
            let names = try await app.names()
            #expect(try await app.collector.summary().duplicates == 0)
            #expect(names.counts == ["before": 10, "during": 500, "after": 500].merging(Names.launch) { $1 })
            #expect(try app.ledger().isBalanced)
            let said = try String(contentsOfFile: app.storage + "/said", encoding: .utf8).split(separator: "\n")
            #expect(said.count { $0.contains("this process is a child of fork") } == 1, "\(said)")
            _ = try await app.deliver()
            let launch: [String: Int] = ["_app_start": 1]
            let expected: [String: Int] = names.counts.merging(launch) { (left: Int, right: Int) -> Int in
                left + right
            }
            #expect(try await app.names().counts == expected)
        }
    }

    @Test("a child of fork that continues holds no lock of its parent")
    func childLives() async throws {
        try await App.use { app in
            let running = try app.start("childLives")
            let line = try running.line()
            let child = try #require(Int32(line.dropFirst("child ".count).dropLast()))
            defer { kill(child, SIGKILL) }
            #expect(try await running.end().signal == SIGKILL)
            #expect(kill(child, 0) == 0)
            let names = try await app.deliver().map(\.name)
            #expect(names.count { $0 == "before" } == 10)
        }
    }

    // MARK: Descriptors

    @Test(
        "no file of the library gets the number of a standard stream",
        arguments: ["2>&-", "<&-", "<&- 2>&-"]
    )
    func streams(redirection: String) async throws {
        try await App.use { app in
            let end = try await app.run("streams", redirection: redirection)
            #expect(end.signal == 0 && end.status == 0)
            for number in [0, 2] where redirection.contains(number == 0 ? "<" : "2>") {
                #expect(
                    end.output.contains("\(number) none") || end.output.contains("\(number) other"),
                    "\(end.output)"
                )
            }
            let counts = try await app.names().counts
            #expect(counts["before"] == 10 && counts["_clickstream_error"] == 30)
            #expect(try app.ledger().isBalanced)
        }
    }

    @Test("a file of the app with descriptor 2 is not written to")
    func ownFile() async throws {
        try await App.use { app in
            let end = try await app.run("ownFile", redirection: "2>&-")
            #expect(end.signal == 0 && end.status == 0)
            #expect(try Data(contentsOf: URL(filePath: app.storage + "/own")).isEmpty)
        }
    }

    @Test("a standard error that is a pipe without a reader, or that is not read, neither ends nor blocks the app")
    func pipes() async throws {
        for isOpen in [true, false] {
            try await App.use { app in
                var ends: [Int32] = [-1, -1]
                #expect(pipe(&ends) == 0)
                let path = "/proc/\(getpid())/fd/\(ends[1])"
                if !isOpen { close(ends[0]) }
                // Without a reader a shell could not open the pipe: it gets both ends, and gives up one.
                let redirection = isOpen ? "2>\(path)" : "2>&1 1>\"$1/out\" | exec true"
                let end = try await app.run("talkative", redirection: redirection)
                #expect(end.signal == 0 && end.status == 0)
                close(ends[1])
                if isOpen { close(ends[0]) }
                let counts = try app.stored()
                #expect(counts["before"] == 10 && counts["after"] == 2_000)
            }
        }
    }

    // MARK: Limits

    @Test(
        "without threads or descriptors events are stored, and sent once there are some",
        arguments: ["noThreads", "noDescriptors"]
    )
    func limits(hardship: String) async throws {
        try await App.use { app in
            let end = try await app.run(hardship)
            #expect(end == App.End(signal: 0, status: 0, output: "sent\n"))
            _ = try await app.deliver()
            let counts = try await app.names().counts
            #expect(counts["before"] == 10 && counts["after"] == 1_000)
        }
    }

    @Test("where no file may grow, events are sent from memory, and no write ends the process")
    func noFileSize() async throws {
        try await App.use { app in
            let end = try await app.run("noFileSize", redirection: "2>\"$1/said\"")
            #expect(end == App.End(signal: 0, status: 0, output: ""))
            #expect(try await app.names().counts["before"] == 10)
            #expect(try Data(contentsOf: URL(filePath: app.storage + "/said")).isEmpty)
        }
    }

    @Test("a crash where no file may grow any more ends the process by its own signal")
    func noFileSizeCrash() async throws {
        try await App.use { app in
            let end = try await app.run("noFileSizeCrash")
            #expect(end.signal == CrashTests.trap)
            #expect(try await app.deliver().contains { $0.name == "_app_exception" } == false)
        }
    }

    // MARK: The end

    @Test(
        "every event recorded while the process ends is stored or counted",
        arguments: ["stormExit", "stormSignal", "stormShutdown", "stormAfterShutdown"]
    )
    func storm(hardship: String) async throws {
        try await App.use { app in
            let end = try await app.run(hardship)
            #expect(end.signal == (hardship == "stormSignal" ? SIGTERM : 0))
            let bytes = try Data(contentsOf: URL(filePath: app.storage + "/counts"))
            let returned = (0..<4).reduce(0) { sum, index in
                sum + bytes.withUnsafeBytes { Int($0.load(fromByteOffset: index * 64, as: UInt64.self)) }
            }
            let ledger = try app.ledger()
            let sent = try await app.collector.summary().events
            let stored = try app.stored()["tick"] ?? 0
            let known = stored + sent + ledger.ledger[.disabled]
            #expect(returned > 100)
            #expect(known >= returned, "\(returned) returned, \(stored) stored, \(sent) sent, \(ledger.ledger)")
            #expect(ledger.isBalanced)
        }
    }

    @Test("a signal during recording and sending cancels no request: no event is sent again")
    func stormAndSlowServer() async throws {
        try await App.use { app in
            app.collector.inject([CollectorFault(.latency(.milliseconds(1_200)), times: 2)])
            let end = try await app.run("stormSignal")
            #expect(end.signal == SIGTERM)
            #expect(try await app.collector.summary().events > 0)
            _ = try await app.deliver()
            #expect(try await app.collector.summary().duplicates == 0)
        }
    }
}

/// Events by their names.
private typealias Names = [String]

extension [String] {
    /// Events recorded by the launch of a fresh installation.
    fileprivate static let launch = ["_first_open": 1, "_app_start": 1, "_session_start": 1]

    fileprivate var counts: [String: Int] { reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}

extension App {
    /// The names of the events that the collector has, each event once.
    fileprivate func names() async throws -> [String] {
        let events = try await collector.events(EventFilter(limit: 10_000)).events
        return try events.map { try JSONReader.parse(Array($0.json.utf8)).name }
    }

    fileprivate func ledger() throws -> (ledger: Ledger, pendingEvents: Int, isBalanced: Bool) {
        let folder = try StoreFolder(LocalFileSystem(), existing: storage + "/shop")
        let (ledger, pending) = try folder.ledger()
        return (ledger, pending, ledger.recorded == ledger.settled + pending)
    }

    /// The events in the files of the store, by their names.
    fileprivate func stored() throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for file in files where file.hasSuffix(".events") {
            let text = try String(contentsOfFile: "\(storage)/shop/\(file)", encoding: .utf8)
            for line in text.split(separator: "\n") {
                guard let start = line.firstIndex(of: "{") else { continue }
                counts[try JSONReader.parse(Array(line[start...].utf8)).name, default: 0] += 1
            }
        }
        return counts
    }
}
#endif
