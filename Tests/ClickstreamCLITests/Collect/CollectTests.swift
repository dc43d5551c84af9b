#if Collector
import ArgumentParser
import ClickstreamCollector
import Foundation
import Testing

@testable import clickstream_cli

/// The command `collect`, run as a process.
@Suite("collect")
struct CollectTests {
    private struct Announcement: Decodable {
        var url: String
        var endpoint: String
        var port: Int
    }

    private static let script = """
        clickstream: 1
        config: { appId: shop }
        steps: [launch, { record: tap }, { repeat: { times: 3, steps: [ { record: more } ] } }]
        """

    /// Starts `collect` on a free port, and waits until it prints its address.
    private func start(
        _ workplace: Workplace,
        _ arguments: String...
    ) async throws -> (running: Running, announcement: Announcement) {
        let output = workplace.path("collect.out")
        let running = try workplace.start(["collect", "--port", "0"] + arguments, output: output)
        _ = try await running.wait { (try? String(contentsOfFile: output, encoding: .utf8))?.contains("\n") == true }
        let line = try workplace.text(of: "collect.out").prefix { $0 != "\n" }
        return (running, try JSONDecoder().decode(Announcement.self, from: Data(line.utf8)))
    }

    private func summary(_ workplace: Workplace) throws -> [String: Int] {
        let lines = try workplace.text(of: "collect.out").split(separator: "\n")
        return try JSONDecoder().decode([String: Int].self, from: Data(lines[1].utf8))
    }

    @Test("reports its address, accepts events of another process, and ends cleanly on SIGTERM")
    func session() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let (running, announcement) = try await start(workplace, "--store", "collected.sqlite")
            #expect(announcement.endpoint == "http://127.0.0.1:\(announcement.port)/collect")
            let replay = try await workplace.run("replay", script, "--endpoint", announcement.endpoint)
            #expect(replay.status == 0, "\(replay.errors)")
            running.send(SIGTERM)
            let ended = try await running.finish()
            #expect(ended.status == 143)
            #expect(try summary(workplace)["events"] == 7)

            let (again, _) = try await start(workplace, "--store", "collected.sqlite", "--once", "7")
            #expect(try await again.finish().status == 0)
        }
    }

    @Test("ends by itself after enough events")
    func once() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let (running, announcement) = try await start(workplace, "--once", "7", "--timeout", "60s")
            #expect(try await workplace.run("replay", script, "--endpoint", announcement.endpoint).status == 0)
            #expect(try await running.finish().status == 0)
            #expect(try summary(workplace)["events"] == 7)
        }
    }

    @Test("ends with 124 after too few events in time, with 0 without expectations")
    func timeout() async throws {
        try await Workplace.use { workplace in
            let late = try await workplace.run("collect", "--port", "0", "--once", "1", "--timeout", "50ms")
            #expect(late.status == 124)
            #expect(late.errors.contains("no events received within 50 ms"))
        }
    }

    @Test("stops a command on timeout, and runs it with all signals unblocked and no inherited sockets")
    func slowCommand() async throws {
        try await Workplace.use { workplace in
            let command = "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls -l /proc/$$/fd; exec sleep 600"
            let began = ContinuousClock.now
            let slow = try await workplace.run(
                "collect",
                "--port",
                "0",
                "--timeout",
                "500ms",
                "--",
                "sh",
                "-c",
                command
            )
            #expect(slow.status == 124)
            #expect(slow.errors.contains("the command did not end within 500 ms and was stopped"))
            #expect(ContinuousClock.now - began < .seconds(100))
            let masks = slow.output.split(separator: "\n").filter { $0.hasPrefix("Sig") }.map { line in
                // The last two signals are reserved by the C library.
                (UInt64(line.suffix(16), radix: 16) ?? .max) & 0x7FFF_FFFF
            }
            #expect(masks == [0, 0])
            // The port is free as soon as the collector ends, whatever the command leaves running.
            #expect(slow.output.contains(" 0 -> ") && !slow.output.contains("socket:"))
            #expect(try await workplace.run("collect", "--port", "0", "--timeout", "50ms").status == 0)
        }
    }

    @Test("runs a command with the endpoint in its environment, and ends with its status")
    func command() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let sent = try await workplace.run(
                "collect",
                "--port",
                "0",
                "--no-errors",
                "--",
                "sh",
                "-c",
                "'\(Workplace.executable.path)' replay '\(script)' --endpoint \"$CLICKSTREAM_ENDPOINT\" > replay.out"
            )
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(sent.lines.last?.contains("\"events\":7") == true)
            #expect(try await workplace.run("collect", "--port", "0", "--", "sh", "-c", "exit 7").status == 7)
            let missing = try await workplace.run("collect", "--port", "0", "--", "no-such-command")
            #expect(missing.status == 127)
        }
    }

    @Test(
        "allows the host names of the environment, and refuses what is none",
        arguments: [
            ("127.1", 0, ""), (" build.lan , 127.1\n", 0, ""), (",127.1,", 0, ""),
            ("", 78, "does not answer under the host name '127.1'"),
            ("build.lan", 78, "does not answer under the host name '127.1'"),
            ("127.1:9090", 78, "CLICKSTREAM_ALLOW_HOST must be names without a port"),
            ("build.lan,http://127.1", 78, "such as collector, not 'http://127.1'"),
            ("a b", 78, "not 'a b'"), ("a\nb", 78, "not 'a\\u000ab'"), ("*.lan", 78, "not '*.lan'"),
        ] as [(String, Int32, String)]
    )
    func hostNames(_ names: String, _ status: Int32, _ said: String) async throws {
        try await Workplace.use { workplace in
            let tail = "'\(Workplace.executable.path)' tail http://127.1:${CLICKSTREAM_COLLECTOR##*:}"
            let run = try await workplace.run(
                ["collect", "--port", "0", "--", "sh", "-c", tail],
                environment: ["CLICKSTREAM_ALLOW_HOST": names]
            )
            #expect(run.status == status, "\(run.errors)")
            #expect(run.errors.contains(said) || said.isEmpty, "\(run.errors)")
        }
    }

    @Test(
        "checks the command's events against the expectations, and gives precedence to the command's own failure",
        arguments: [
            (["--expect", "more:3", "--expect", "tap"], "true", 0, "ok      more: expected exactly 3, received 3"),
            (["--expect", "more:2"], "true", 1, "FAILED  more: expected exactly 2, received 3"),
            (["--expect", "more:2"], "exit 7", 7, "FAILED  more: expected exactly 2, received 3"),
            (["--event", "mroe"], "true", 1, "did you mean 'more' (3 received)?"),
            (
                ["--expect", "tap", "--where", "attributes.none == 1"], "true", 1,
                "tap received with no attributes.none"
            ),
            (["--no-duplicates"], "true", 0, "ok      no duplicates"),
        ] as [([String], String, Int32, String)]
    )
    func expectations(options: [String], last: String, status: Int32, said: String) async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let send =
                "'\(Workplace.executable.path)' replay '\(script)' --endpoint \"$CLICKSTREAM_ENDPOINT\" > replay.out"
            let run = try await workplace.run(
                ["collect", "--port", "0"] + options + ["--", "sh", "-c", "\(send); \(last)"]
            )
            #expect(run.status == status, "\(run.errors)")
            #expect(run.errors.contains(said), "\(run.errors)")
            #expect(run.lines.last?.contains("\"events\":7") == true)
        }
    }

    @Test("ends with 1 after an unexpected event with an error")
    func noErrors() async throws {
        try await Workplace.use { workplace in
            let bad =
                "clickstream: 1\nconfig: { appId: shop }\nsteps: [launch, { record: { name: tap, attributes: { 1a: 1 } } }]"
            let script = try workplace.write(bad, to: "bad.yaml")
            let run = try await workplace.run(
                "collect",
                "--port",
                "0",
                "--no-errors",
                "--",
                "sh",
                "-c",
                "'\(Workplace.executable.path)' replay '\(script)' --endpoint \"$CLICKSTREAM_ENDPOINT\" > replay.out"
            )
            #expect(run.status == 1)
            #expect(run.errors.contains("no errors: 1 invalid event"))
            #expect(run.errors.contains("2002 Attribute name invalid, in tap"), "\(run.errors)")
        }
    }

    @Test("stops the processes started by a slow command, too")
    func slowDescendant() async throws {
        try await Workplace.use { workplace in
            let pipe = workplace.path("child.fifo")
            #expect(mkfifo(pipe, 0o600) == 0)
            let run = try await workplace.run(
                [
                    "collect", "--port", "0", "--timeout", "2s", "--", "sh", "-c",
                    "(trap 'echo stopped > child.fifo; exit' TERM; sleep 60 & wait) & wait",
                ]
            )
            #expect(run.status == 124)
            #expect(await Self.firstBytes(of: pipe) == "stopped\n")
        }
    }

    /// The first bytes written to a named pipe; `nil` after two minutes without a writer.
    private static func firstBytes(of pipe: String) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                // Open for both, so that opening does not block.
                var waiting = pollfd(fd: open(pipe, O_RDWR), events: Int16(POLLIN), revents: 0)
                defer { close(waiting.fd) }
                var bytes = [UInt8](repeating: 0, count: 64)
                let count = poll(&waiting, 1, 120_000) == 1 ? read(waiting.fd, &bytes, bytes.count) : 0
                continuation.resume(returning: count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil)
            }
        }
    }

    @Test("injects faults as requested, and loses no event")
    func faults() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let (running, announcement) = try await start(
                workplace,
                "--fail",
                "503:1:1",
                "--fail",
                "reset-after:1:1",
                "--retry-after",
                "0",
                "--latency",
                "5ms"
            )
            let replay = try await workplace.run("replay", script, "--endpoint", announcement.endpoint)
            #expect(replay.status == 0, "\(replay.errors)")
            running.send(SIGINT)
            #expect(try await running.finish().status == 130)
            #expect(try summary(workplace)["events"] == 7)
        }
    }

    @Test("stops the command and removes the temporary store when the terminal is closed, and respects nohup")
    func hangUp() async throws {
        try await Workplace.use { workplace in
            let output = workplace.path("out.txt")
            let running = try workplace.start(
                [
                    "collect", "--port", "0", "--", "sh", "-c",
                    "echo started; trap 'echo stopped > child.txt; exit 0' TERM; sleep 60 & wait",
                ],
                output: output
            )
            _ = try await running.wait {
                (try? String(contentsOfFile: output, encoding: .utf8))?.contains("started") == true
            }
            running.send(SIGHUP)
            #expect(try await running.finish().status == 129)
            #expect(try workplace.text(of: "child.txt") == "stopped\n")

            let program = Workplace.executable.path
            let shell = try workplace.start(command: [
                "sh", "-c",
                "trap '' HUP; '\(program)' collect --port 0 --timeout 2s & sleep 1; kill -HUP $!; wait $!; echo $? > status",
            ])
            _ = try await shell.finish()
            #expect(try workplace.text(of: "status") == "0\n")
        }
    }

    @Test("reports that its archive is not writable, keeps its content, and ends with 74", arguments: [true, false])
    func brokenArchive(isTemporary: Bool) async throws {
        try await Workplace.use { workplace in
            let folder = workplace.path("archive")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let script = try workplace.write(Self.script, to: "day.yaml")
            // A file where the folder of the year would be made, in every year that this may be.
            for year in 2024...2040 { _ = try workplace.write("", to: "archive/year=\(year)") }
            let options = ["--archive", folder] + (isTemporary ? [] : ["--store", "kept.sqlite"])
            let output = workplace.path("collect.out")
            let running = try workplace.start(["collect", "--port", "0"] + options, output: output)
            _ = try await running.wait {
                (try? String(contentsOfFile: output, encoding: .utf8))?.contains("\n") == true
            }
            let line = try workplace.text(of: "collect.out").prefix { $0 != "\n" }
            let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
            #expect(try await workplace.run("replay", script, "--endpoint", announcement.endpoint).status == 0)
            running.send(SIGTERM)
            let ended = try await running.finish()
            #expect(ended.status == 74)
            #expect(ended.errors.contains("error: cannot archive 1 request in \(folder) ("), "\(ended.errors)")
            #expect(try summary(workplace)["events"] == 7)
            let path =
                isTemporary ? ended.errors.split(separator: " ").first { $0.hasSuffix(".sqlite") } : "kept.sqlite"
            let store = String(try #require(path))

            let (again, _) = try await start(
                workplace,
                "--store",
                store,
                "--archive",
                workplace.path("other"),
                "--once",
                "7"
            )
            #expect(try await again.finish().status == 0)
            if isTemporary { try FileManager.default.removeItem(atPath: (store as NSString).deletingLastPathComponent) }
        }
    }

    @Test("counts at its end every answered request, also under load")
    func lastCount() async throws {
        try await Workplace.use { workplace in
            let (running, announcement) = try await start(workplace)
            let answered = await withTaskGroup(of: Int.self) { group in
                for sender in 0..<4 {
                    group.addTask {
                        var answered = 0
                        for number in 0..<10_000 {
                            let text = "[{\"event_id\":\"\(sender)-\(number)\",\"timestamp\":1}]"
                            guard (try? await WireEvents.post(text, to: announcement.endpoint)) == 200 else { break }
                            answered += 1
                            if sender == 0, number == 50 { running.send(SIGTERM) }
                        }
                        return answered
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(try await running.finish().status == 143)
            // A request whose answer was on its way when its connection ended may be counted beside these.
            let counted = try #require(try summary(workplace)["requests"])
            #expect((answered...answered + 4).contains(counted))
        }
    }

    @Test("escapes control characters of a store's schema and of its own arguments in its output")
    func escapes() async throws {
        try await Workplace.use { workplace in
            let store = workplace.path("evil.sqlite")
            let sqlite = try workplace.start(command: [
                "python3", "-c",
                """
                import sqlite3,sys
                d=sqlite3.connect(sys.argv[1]); d.execute('PRAGMA application_id = 1131181939')
                d.execute('CREATE TABLE "\\x1b[31mred" (a)'); d.execute('PRAGMA user_version = 3'); d.commit()
                d.execute('PRAGMA writable_schema = ON')
                d.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE \\x1b[31mred ('"); d.commit()
                """, store,
            ])
            #expect(try await sqlite.finish().status == 0)
            for arguments in [["--store", store], ["--store", "no/\u{1B}[31m/such"], ["--path", "\u{1B}[31m"]] {
                let run = try await workplace.run(["collect", "--port", "0"] + arguments)
                #expect(run.status != 0)
                #expect(!run.errors.unicodeScalars.contains("\u{1B}"), "\(run.errors.debugDescription)")
            }
        }
    }

    @Test("ends normally if its last line is not read")
    func readerLeaves() async throws {
        try await Workplace.use { workplace in
            let program = Workplace.executable.path
            let shell = try workplace.start(command: [
                "sh", "-c", "('\(program)' collect --port 0 --timeout 1s; echo $? > status) | head -n 1 > first",
            ])
            #expect(try await shell.finish().errors == "")
            #expect(try workplace.text(of: "first").contains("\"endpoint\""))
            #expect(try workplace.text(of: "status") == "0\n")
        }
    }

    @Test("accepts any number of origins")
    func origins() throws {
        let arguments = ["--cors-origin", "https://a.example", "--cors-origin", " https://*.b.example\n"]
        #expect(try CollectCommand.parse([]).collectorConfiguration.corsOrigins == [])
        #expect(
            try CollectCommand.parse(arguments).collectorConfiguration.corsOrigins
                == ["https://a.example", "https://*.b.example"]
        )
    }

    @Test(
        "rejects contradictory options",
        arguments: [
            (["--fail", "abc"], 64, "abc"), (["--once", "0"], 64, "--once"), (["--timeout", "3"], 64, "--timeout"),
            (["--retry-after", "3"], 64, "--retry-after"),
            (["--fail", "503", "--retry-after", "x"], 64, "--retry-after"),
            (["--fail", "503", "--retry-after", "-1"], 64, "--retry-after"),
            (["--port", "70000"], 64, "port"),
            (["--once", "1", "--", "true"], 64, "--once cannot be combined"), (["--app-id", ""], 64, "--app-id"),
            (["--auth-cookie", ""], 64, "--auth-cookie"),
            (["--cors-origin", "*", "--cors-origin", "^https://a\\.example$"], 64, "such as https://a.example,"),
            (["--store", "no/such/folder.sqlite"], 73, "folder"),
        ] as [([String], Int32, String)]
    )
    func errors(arguments: [String], status: Int32, word: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["collect"] + arguments)
            #expect(run.status == status)
            #expect(run.errors.contains(word), "\(run.errors)")
        }
    }
}
#endif
