#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

@testable import clickstream_cli

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("flush")
struct FlushCommandTests {
    /// Records so many events in the store `s`.
    private func record(_ count: Int, in workplace: Workplace) async throws {
        let lines = (0..<count).map { "{\"name\":\"n\($0)\"}\n" }.joined()
        let run = try await workplace.run("record", "-", "--storage", "s", input: lines)
        #expect(run.status == 0 && run.lines.count == count, "\(run.errors)")
    }

    private func report(_ run: Finished) throws -> JSONValue {
        try JSONReader.parse(Array(run.output.utf8))
    }

    @Test("sends all pending events once, and reports them")
    func sends() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await record(3, in: workplace)
                let run = try await workplace.run("flush", "--storage", "s", "--endpoint", collector.endpoint)
                #expect(run.status == 0, "\(run.errors)")
                #expect(run.errors == "")
                let report = try report(run)
                #expect(report["sent"]?.integer == 3)
                #expect(report["attempts"]?.integer == 1)
                #expect((report["bytes"]?.integer ?? 0) > 0)
                #expect(["retained", "rejected", "set_aside", "in_use"].map { report[$0]?.integer } == [0, 0, 0, 0])
                #expect(report["last_error"]?.isNull == true)
                let again = try await workplace.run(
                    "flush",
                    "--storage",
                    "s",
                    "--endpoint",
                    collector.endpoint,
                    "--format",
                    "human"
                )
                #expect(again.status == 0)
                #expect(
                    again.output
                        == "0 events sent in 0 requests to \(collector.endpoint), 0 bytes for 0 bytes of JSON\n"
                )
                let summary = try await collector.summary()
                #expect((summary.events, summary.duplicates, summary.badEvents) == (3, 0, 0))
            }
        }
    }

    @Test(
        "keeps the events if a web page comes in place of the server's response",
        arguments: [
            ("200 OK", "Content-Type: text/html", true), ("200 OK", "content-type:TEXT/HTML; charset=utf-8", true),
            ("201 Created", "CONTENT-TYPE: text/html;charset=utf-8", true),
            ("204 No Content", "Content-Type: Text/Html", true),
            ("200 OK", "Content-Type: application/json", false), ("200 OK", "Content-Type: text/plain", false),
            ("200 OK", "X-Request-ID: 1", false), ("204 No Content", "X-Request-ID: 1", false),
        ]
    )
    func webPage(status: String, header: String, isPage: Bool) async throws {
        let server = FixedServer { _ in "\(status)\r\n\(header)\r\nContent-Length: 0\r\n\r\n" }
        defer { server.stop() }
        try await Workplace.use { workplace in
            try await record(2, in: workplace)
            let endpoint = "http://\(server.authority)/collect"
            let run = try await workplace.run("flush", "--storage", "s", "--endpoint", endpoint)
            #expect(run.status == (isPage ? 69 : 0), "\(run.errors)")
            let report = try report(run)
            #expect(report["sent"]?.integer == (isPage ? 0 : 2))
            #expect(report["retained"]?.integer == (isPage ? 2 : 0))
            let cause = "the response is a web page (\(status.prefix(3)), text/html), as of a captive portal or a proxy"
            #expect(report["last_error"]?.string?.hasPrefix(cause) == (isPage ? true : nil))
            let message = "error: 2 events of clickstream_cli not delivered to \(endpoint): \(cause): "
            #expect(run.errors.hasPrefix(message) == isPage, "\(run.errors)")
        }
    }

    @Test("sends the events of a killed process, and leaves those of a running one")
    func processes() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let app = try LivingApp(in: workplace)
                app.record("a", "b")
                let killed = try workplace.start(["record", "-", "--storage", "s"], input: .pipe)
                try killed.write("{\"name\":\"c\"}\n{\"name\":\"d\"}\n")
                #expect(try await killed.wait { killed.outputSoFar.filter { $0 == "\n" }.count == 2 })
                killed.send(SIGKILL)
                _ = try await killed.finish()
                let arguments = ["flush", "--storage", "s", "--endpoint", collector.endpoint]
                let first = try await workplace.run(arguments)
                #expect(first.status == 75, "\(first.errors)")
                #expect(["sent", "retained", "in_use"].map { try? report(first)[$0]?.integer } == [2, 2, 2])
                #expect(
                    first.errors.hasPrefix(
                        "error: 2 events of clickstream_cli not delivered to \(collector.endpoint): they belong to "
                            + "running processes"
                    ),
                    "\(first.errors)"
                )
                let second = try await workplace.run(arguments + ["--deadline", "300ms"])
                #expect(second.status == 124, "\(second.errors)")
                app.end()
                #expect(try report(try await workplace.run(arguments))["sent"]?.integer == 2)
                let summary = try await collector.summary()
                #expect((summary.events, summary.duplicates) == (4, 0))
            }
        }
    }

    @Test(
        "reports an inaccessible store as forbidden, not as missing: status 77",
        .enabled(if: Nobody.isPermitted)
    )
    func forbidden() async throws {
        try await Workplace.use { workplace in
            try await record(1, in: workplace)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workplace.folder.path)
            for arguments in [
                ["flush", "--endpoint", "http://127.0.0.1:1/c"], ["queue", "stats"], ["queue", "export"],
            ] {
                let (status, errors) = try Nobody.run(arguments + ["--storage", workplace.path("s")], in: workplace)
                #expect(status == 77, "\(errors)")
                #expect(errors.contains("Permission denied"), "\(errors)")
            }
        }
    }

    @Test("does not report success while another flush is running; with a deadline it waits for that one")
    func another() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let silent = SilentServer()
                try await record(2, in: workplace)
                let first = try workplace.start(["flush", "--storage", "s", "--endpoint", silent.endpoint])
                let manifest = workplace.path("s/clickstream_cli/runs/1/delivery")
                #expect(
                    try await first.wait {
                        guard let text = try? String(contentsOfFile: manifest, encoding: .utf8) else { return false }
                        return text.split(separator: "\n").contains { $0.split(separator: " ").count == 11 }
                    }
                )
                let arguments = ["flush", "--storage", "s", "--endpoint", collector.endpoint]
                let second = try await workplace.run(arguments)
                #expect(second.status == 75, "\(second.errors)")
                #expect(["sent", "retained", "in_use"].map { try? report(second)[$0]?.integer } == [0, 2, 2])
                let third = try workplace.start(arguments + ["--deadline", "60s"])
                first.send(SIGTERM)
                #expect(try await first.finish().status == 143)
                let end = try await third.finish()
                #expect(end.status == 0, "\(end.errors)")
                #expect(["sent", "retained", "in_use"].map { try? report(end)[$0]?.integer } == [2, 0, 0])
                let summary = try await collector.summary()
                #expect((summary.events, summary.duplicates) == (2, 0))
            }
        }
    }

    @Test("reports a foreign folder as such, not as missing: status 73")
    func foreign() async throws {
        try await Workplace.use { workplace in
            try await record(1, in: workplace)
            try FileManager.default.removeItem(atPath: workplace.path("s/clickstream_cli/clickstream-store"))
            try workplace.write("", to: "file")
            for (storage, reason) in [
                ("s", "and no clickstream-store file"),
                ("file", "it is not a folder"),
            ] {
                for arguments in [
                    ["flush", "--endpoint", "http://127.0.0.1:1/c"], ["queue", "stats"], ["queue", "repair"],
                    ["record", "tap"],
                ] {
                    let run = try await workplace.run(arguments + ["--storage", storage])
                    #expect(run.status == 73, "\(arguments): \(run.errors)")
                    #expect(run.errors.contains(reason), "\(arguments): \(run.errors)")
                }
                #expect(try await workplace.run("doctor", "--storage", storage).status == 1)
            }
        }
    }

    @Test("warns of dead letters, with their location")
    func setAside() async throws {
        try await Workplace.use { workplace in
            // To both together, then to the first alone; the second is taken.
            let tooLarge = CollectorConfiguration(faults: [CollectorFault(.status(413), times: 2)])
            try await Collector.use(tooLarge) { collector in
                try await record(2, in: workplace)
                let run = try await workplace.run("flush", "--storage", "s", "--endpoint", collector.endpoint)
                #expect(try report(run)["set_aside"]?.integer == 1)
                #expect(run.errors.contains("'clickstream-cli queue dead show'"), "\(run.errors)")
            }
        }
    }

    @Test("sends the events of a record command that waits for input, which continues in the same session")
    func waiting() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let run = try workplace.start(["record", "-", "--storage", "s"], input: .pipe)
                let arguments = ["flush", "--storage", "s", "--endpoint", collector.endpoint]
                for count in 1...2 {
                    try run.write("{\"name\":\"tap\"}\n")
                    #expect(try await run.wait { run.outputSoFar.filter { $0 == "\n" }.count == count })
                    // It lets go of its run folder a second later.
                    var sent: Int64 = 0
                    for _ in 0..<100 where sent == 0 {
                        sent = try report(try await workplace.run(arguments))["sent"]?.integer ?? 0
                    }
                    #expect(sent == 1)
                }
                try run.endInput()
                #expect(try await run.finish().status == 0)
                let sessions = try await collector.sessions()
                #expect(sessions.sessions.map(\.number) == [1])
                let summary = try await collector.summary()
                #expect((summary.events, summary.duplicates) == (2, 0))
            }
        }
    }

    @Test(
        "keeps events that the server rejects, and indicates the remedy by its status",
        arguments: [
            ("503", 75, "the server responded with 503"), ("302", 78, "redirects"), ("403", 78, "denies access"),
            ("reset-before", 69, "ended early"),
        ]
    )
    func refused(fault: String, status: Int32, reason: String) async throws {
        try await Workplace.use { workplace in
            let faults = [CollectorFault(text: fault)].compactMap { $0 }
            try await Collector.use(CollectorConfiguration(faults: faults)) { collector in
                try await record(2, in: workplace)
                let arguments = ["flush", "--storage", "s", "--endpoint", collector.endpoint]
                let run = try await workplace.run(arguments)
                #expect(run.status == status)
                #expect(try report(run)["retained"]?.integer == 2)
                #expect(try report(run)["last_error"]?.string?.contains(reason) == true, "\(run.output)")
                #expect(
                    run.errors.contains(
                        "error: 2 events of clickstream_cli not delivered to \(collector.endpoint): "
                    )
                )
                #expect(run.errors.contains("; kept in s/clickstream_cli: "))
                collector.inject([])
                #expect(try await workplace.run(arguments).status == 0)
                #expect(try await collector.summary().events == 2)
            }
        }
    }

    @Test("exits with 69 if no server listens, also after retries until the deadline")
    func unreachable() async throws {
        try await Workplace.use { workplace in
            let collector = try await Collector.start()
            let closed = collector.endpoint
            await collector.stop()
            try await record(1, in: workplace)
            for deadline in [[], ["--deadline", "3s"]] {
                let run = try await workplace.run(["flush", "--storage", "s", "--endpoint", closed] + deadline)
                #expect(run.status == 69, "\(run.errors)")
                #expect(try report(run)["retained"]?.integer == 1)
            }
        }
    }

    #if os(Linux)
    @Test("reports the cause if no address of the server answers before the deadline")
    func dead() async throws {
        try await Workplace.use { workplace in
            let server = DeadServer()
            defer { server.stop() }
            let authority = server.authority
            let endpoint = "http://\(authority)/collect"
            try await record(1, in: workplace)
            let run = try await workplace.run(
                ["flush", "--storage", "s", "--endpoint", endpoint, "--deadline", "3s"]
            )
            #expect(run.status == 69)
            // Followed by "the deadline has passed" if it passes while the command waits for the next attempt.
            let cause = "no connection: \(authority): Connection timed out"
            #expect(try report(run)["last_error"]?.string?.hasPrefix(cause) == true, "\(run.output)")
            #expect(
                run.errors.hasPrefix("error: 1 event of clickstream_cli not delivered to \(endpoint): \(cause); "),
                "\(run.errors)"
            )
        }
    }
    #endif

    @Test("awaits the reply to a request that began before the deadline")
    func slowServer() async throws {
        try await Workplace.use { workplace in
            let slow = CollectorConfiguration(faults: [CollectorFault(.latency(.milliseconds(1_500)), times: 1)])
            try await Collector.use(slow) { collector in
                try await record(2, in: workplace)
                let run = try await workplace.run(
                    ["flush", "--storage", "s", "--endpoint", collector.endpoint, "--deadline", "1s"]
                )
                #expect(run.status == 0, "\(run.errors)")
                #expect(["sent", "retained"].map { try? report(run)[$0]?.integer } == [2, 0])
                let summary = try await collector.summary()
                #expect((summary.events, summary.duplicates) == (2, 0))
            }
        }
    }

    @Test("exits with 124 if there is no reply to a request in progress at the deadline, and keeps the events")
    func deadline() async throws {
        try await Workplace.use { workplace in
            let server = SilentServer()
            try await record(1, in: workplace)
            let run = try await workplace.run(
                ["flush", "--storage", "s", "--endpoint", server.endpoint, "--deadline", "200ms"],
                environment: ["CLICKSTREAM_REQUEST_TIMEOUT": "500"]
            )
            #expect(run.status == 124, "\(run.errors)")
            #expect(try report(run)["retained"]?.integer == 1)
        }
    }

    @Test(
        "stops on a signal, with its status, and reports the kept events",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)]
    )
    func stop(signal: Int32, status: Int32) async throws {
        try await Workplace.use { workplace in
            let server = SilentServer()
            try await record(2, in: workplace)
            let run = try workplace.start(["flush", "--storage", "s", "--endpoint", server.endpoint])
            // The books are written before a request is made.
            let manifest = workplace.path("s/clickstream_cli/runs/1/delivery")
            #expect(
                try await run.wait {
                    guard let text = try? String(contentsOfFile: manifest, encoding: .utf8) else { return false }
                    return text.split(separator: "\n").contains { $0.split(separator: " ").count == 11 }
                }
            )
            run.send(signal)
            let end = try await run.finish()
            #expect(end.status == status)
            #expect(try report(end)["retained"]?.integer == 2)
            #expect(try report(end)["last_error"]?.string == "stopped by a signal")
        }
    }

    @Test("requires a valid endpoint, and reports its source")
    func endpoint() async throws {
        try await Workplace.use { workplace in
            try await record(1, in: workplace)
            let none = try await workplace.run("flush", "--storage", "s")
            #expect(none.status == 78)
            #expect(
                none.errors.hasPrefix("error: cannot flush: no endpoint is configured for app clickstream_cli; ")
            )
            let bad = try await workplace.run(
                ["flush", "--storage", "s"],
                environment: ["CLICKSTREAM_ENDPOINT": "ftp://example.com"]
            )
            #expect(bad.status == 78)
            #expect(
                bad.errors.hasPrefix("error: CLICKSTREAM_ENDPOINT 'ftp://example.com': the endpoint's scheme 'ftp'"),
                "\(bad.errors)"
            )
        }
    }

    @Test("does nothing without a store, creates none, and names the existing ones")
    func missing() async throws {
        try await Workplace.use { workplace in
            try await record(1, in: workplace)
            let run = try await workplace.run(
                "flush",
                "--storage",
                "s",
                "--app-id",
                "shop",
                "--endpoint",
                "http://127.0.0.1:9/collect"
            )
            #expect(run.status == 0)
            #expect(try report(run)["sent"]?.integer == 0)
            #expect(
                run.errors == "warning: no store of app shop in s; found stores of clickstream_cli: "
                    + "check --app-id and --storage\n"
            )
            #expect(!workplace.contents(of: "s").contains("shop"))
        }
    }

    @Test(
        "exits by the last failure, and by the deadline only if nothing else failed",
        arguments: [
            (nil, false, 75), (nil, true, 124), (.status(503), true, 75), (.status(429), false, 75),
            (.everythingRefused(.status(400)), false, 75), (.redirected(status: 301, location: nil), true, 78),
            (.unauthorized(status: 401), false, 78), (.unauthorized(status: 403), true, 78),
            (.deadlinePassed(after: nil), true, 124), (.deadlinePassed(after: .status(503)), true, 75),
            (.deadlinePassed(after: .unauthorized(status: 403)), true, 78),
            (.deadlinePassed(after: .transport(.refused("closed"))), true, 69),
            (.deadlinePassed(after: .transport(.timedOut)), true, 124), (.transport(.timedOut), false, 69),
            (.webPage(status: 200), false, 69), (.webPage(status: 200), true, 69),
            (.deadlinePassed(after: .webPage(status: 204)), true, 69), (.transport(.cut("early")), false, 69),
            (.storeInUse, false, 75), (.storeInUse, true, 124),
        ] as [(FlushError?, Bool, Int32)]
    )
    func status(error: FlushError?, deadlineHasPassed: Bool, status: Int32) {
        #expect(FlushRun.status(after: error, deadlineHasPassed: deadlineHasPassed).rawValue == status)
    }
}

/// Runs the command line as a user who owns nothing, where the test may do that: as root, on Linux.
private enum Nobody {
    private static let tool = "/usr/bin/setpriv"
    static let isPermitted = geteuid() == 0 && access(tool, X_OK) == 0

    static func run(_ arguments: [String], in workplace: Workplace) throws -> (status: Int32, errors: String) {
        // The program is where others may not go, perhaps: they get one of their own.
        let program = workplace.path("program")
        if !FileManager.default.fileExists(atPath: program) {
            try FileManager.default.copyItem(atPath: Workplace.executable.path, toPath: program)
        }
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = ["--reuid=65534", "--regid=65534", "--clear-groups", program] + arguments
        process.currentDirectoryURL = URL(filePath: "/")
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
#endif
