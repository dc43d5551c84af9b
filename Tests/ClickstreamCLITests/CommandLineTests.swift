#if Audit && Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

@testable import clickstream_cli

@Suite("Command line")
struct CommandLineTests {
    /// A text in UTF-16, as a Windows shell writes it and as other programs do.
    enum UTF16Text: CaseIterable {
        case markedLittleEndian, markedBigEndian, littleEndian, bigEndian

        func bytes(of text: String) -> [UInt8] {
            let mark = self == .markedLittleEndian || self == .markedBigEndian ? "\u{FEFF}" : ""
            let isLittle = self == .markedLittleEndian || self == .littleEndian
            return (mark + text).utf16.flatMap { unit -> [UInt8] in
                let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
                return isLittle ? bytes : bytes.reversed()
            }
        }
    }

    @Test(
        "refuses text in UTF-16 with one error, whatever reads it",
        arguments: [
            ("{\"name\":\"a\"}\r\n{\"name\":\"b\"}\r\n", ["validate", "FILE"]),
            ("{\"name\":\"a\"}\r\n{\"name\":\"b\"}\r\n", ["validate", "-"]),
            ("[{\"event_type\":\"click\"}]\n[]\n", ["validate", "FILE", "--form", "pulse"]),
            ("{\"name\":\"a\"}\n{\"name\":\"b\"}\n", ["record", "-", "--storage", "s"]),
            ("\r\n{\"name\":\"a\"}\r\n{\"name\":\"b\"}\r\n", ["validate", "FILE"]),
            ("\n{\"name\":\"a\"}\n{\"name\":\"b\"}\n", ["validate", "-"]),
            ("\n\n{\"name\":\"a\"}\n{\"name\":\"b\"}\n", ["record", "-", "--storage", "s"]),
            ("\n{\"event_id\":\"a\"}\n{\"event_id\":\"b\"}\n", ["queue", "import", "-", "--storage", "s"]),
            ("\n{\"name\":\"a\"}\n{\"name\":\"b\"}\n", ["plan", "infer", "FILE"]),
            ("{\"event_id\":\"a\"}\n{\"event_id\":\"b\"}\n", ["queue", "import", "FILE", "--storage", "s"]),
            ("{\"event_id\":\"a\"}\n{\"event_id\":\"b\"}\n", ["queue", "import", "-", "--storage", "s"]),
            ("{\"name\":\"a\"}\n{\"name\":\"b\"}\n", ["plan", "infer", "FILE"]),
            ("clickstream-plan: 1\nevents: {}\n", ["plan", "check", "FILE"]),
            ("clickstream-plan: 1\nevents: {}\n", ["plan", "check", "-"]),
            ("clickstream-plan: 1\nevents: {}\n", ["validate", "/dev/null", "--plan", "FILE"]),
            ("clickstream: 1\nsteps: [launch]\n", ["replay", "FILE", "--dry-run"]),
            ("{\"a\":1}\n", ["replay", "day.yaml", "--dry-run", "--expect", "FILE"]),
            (
                "SELECT 1;\nSELECT 2;\n",
                ["audit", "a.sqlite", "--create", "--activity", "a", "--dry-run", "--script", "FILE"]
            ),
        ] as [(String, [String])],
        UTF16Text.allCases
    )
    func utf16(_ input: (String, [String]), _ encoding: UTF16Text) async throws {
        let (text, arguments) = input
        try await Workplace.use { workplace in
            try workplace.write("clickstream: 1\nconfig: { appId: shop }\nsteps: [launch]\n", to: "day.yaml")
            let file = workplace.path("input.txt")
            try Data(encoding.bytes(of: text)).write(to: URL(filePath: file))
            let readsInput = arguments.contains("-")
            let command = [Workplace.executable.path] + arguments.map { $0 == "FILE" ? file : $0 }
            let redirected = ["sh", "-c", #"input=$1; shift; exec "$@" < "$input""#, "sh", file] + command
            let run = try await workplace.start(command: redirected).finish()
            #expect(run.status == 65)
            #expect(
                run.errors
                    == "error: cannot read \(readsInput ? "standard input" : file): the text is UTF-16, not UTF-8; convert "
                    + "it with 'iconv -f UTF-16 -t UTF-8', or write it in PowerShell with 'Out-File -Encoding utf8'\n"
            )
        }
    }

    @Test(
        "names the cause of a usage error first, then the probable intention",
        arguments: [
            (["reply", "x"], "unknown command 'reply'; did you mean 'replay'?"),
            (["help", "qeue"], "unknown command 'qeue'; did you mean 'queue'?"),
            (["queue", "sats"], "unknown command 'queue sats'; did you mean 'queue stats'?"),
            (["queue", "dead", "perge"], "unknown command 'queue dead perge'; did you mean 'queue dead purge'?"),
            (["--color", "never", "tial"], "unknown command 'tial'; did you mean 'tail'?"),
            (
                ["collect", "pytest", "-q"],
                "unexpected argument 'pytest'; put -- before the command to run: clickstream-cli collect -- pytest -q"
            ),
            (
                ["collect", "--port", "0", "make", "test"],
                "unexpected argument 'make'; put -- before the command to run: "
                    + "clickstream-cli collect --port 0 -- make test"
            ),
            (["flush", "--deadline", "5"], "--deadline needs a unit, such as 5s or 5m"),
            (["generate", "--duration=5"], "--duration needs a unit, such as 5s or 5m"),
            (
                ["collect", "--latency", "2w"],
                "--latency has the unknown unit 'w'; use ms, s, m, h or d, such as 5s or 1h30m"
            ),
            (
                ["collect", "--fail", "503:2"],
                "--fail 503:2: the rate must be between 0 and 1; for the first 2 requests write 503:1:2"
            ),
            (
                ["assert", "--event", "x:-1"],
                "invalid count '-1'; use NAME:2, NAME:2+ or NAME:2..5. If the event is really called 'x:-1', write x:-1:1+"
            ),
            (["generate", "--rate", "fast"], "--rate needs events per time, such as 100/s, 30/m or 10/h, or max"),
            (["replay", "a.yaml", "--users", "ten"], "--users: 'ten' is not a valid number"),
            (["collect", "--port", " 8x\n"], "--port: '8x' is not a valid number"),
            (["tail", "--status", "okay"], "--status: 'okay' is not a valid value; use 'good' or 'bad'"),
            (["tail", "--limit"], "--limit needs a value"),
            (["replay"], "missing argument <scripts> ..."),
            (["replay", "--frobnicate"], "unknown option '--frobnicate'"),
            (["tail", "--limt", "3"], "unknown option '--limt'; did you mean '--limit'?"),
            (
                ["tail", "--form", "pulse", "--form=audit"],
                "--form pulse and --form=audit cannot be combined; give --form once"
            ),
            (["tail", "-n", "3", "--limit", "4"], "-n 3 and --limit 4 cannot be combined; give --limit once"),
            (["tail", "-n5", "-n6"], "-n5 and -n6 cannot be combined; give -n once"),
            (["tail", "-n-3"], "--limit must be an integer from 0, not -3"),
            (["generate", "--events", "-1"], "--events must be an integer from 1, not -1"),
            (["generate", "--seed", "-1"], "--seed: '-1' is not a valid number"),
            (["tail", "-n", "-3"], "--limit must be an integer from 0, not -3"),
            (["tail", "--name", "-5"], "--name needs a value; for a negative number write --name=-5"),
            (
                ["audit", "a.sqlite", "--activty", "x", "--", "SELECT 1"],
                "unknown option '--activty'; did you mean '--activity'?"
            ),
            (["replay", "--dryrun"], "unknown option '--dryrun'; did you mean '--dry-run'?"),
            (["replay", "-5"], "unknown option '-5'"),
            (["tail", "-fx"], "unknown option '-x'"),
            (["plan", "--bogus"], "unknown option '--bogus'"),
            (["tail", "--follow=yes"], "the option '--follow' does not take any value, but 'yes' was specified"),
            (["tail", "-q=", "a", "b"], "the option '-q' does not take any value, but '' was specified"),
            (["tail", "--name=", "--follow"], "--name needs a value"),
            (["tail", "--limit", "--", "3"], "--limit needs a value"),
            (["queue", "--color", "gray"], "--color: 'gray' is not a valid value; use 'auto', 'always' or 'never'"),
            (["--color=gray", "tail"], "--color: 'gray' is not a valid value; use 'auto', 'always' or 'never'"),
            (["tail", "--frobnicate", "--status=okay"], "--status: 'okay' is not a valid value; use 'good' or 'bad'"),
            (["plan", "diff", "a"], "missing argument <new>"),
            (["audit", "a.sqlite", "--", "SELECT 1"], "missing argument --activity <activity>"),
            (
                ["audit", "a.sqlite", "--activity", "x", "SELECT 1"],
                "no statements given; use --script FILE, or -- and SQL"
            ),
            (["tail", "http://127.0.0.1:1", "--", "b"], "unexpected argument 'b'"),
            (["flush", "a", "b"], "2 unexpected arguments: 'a', 'b'"),
            (
                ["generate", "--form", "audit"],
                "--form: 'audit' needs a database, which a simulated app has not; 'clickstream-cli audit' records audit events"
            ),
            (["tail", "-q", "-v"], "--quiet and --verbose cannot be combined; leave out one of them"),
            (["explain", "2030"], "unknown error code '2030'; did you mean '2003'?"),
            (
                ["tail", "--form", "audit", "--user", "carl"],
                "--form audit cannot be combined with --user, by which only clickstream events are found; the user of an audit event is one of its metadata, which --format json prints"
            ),
            (
                [
                    "assert", "--form", "pulse", "--event", "click", "--app-id", "shop", "--screen", "Home", "--name",
                    "a",
                ],
                "--form pulse cannot be combined with --app-id or --screen, by which only clickstream events are found"
            ),
            (["tail", "--app-version", ""], "--app-version is empty; name a version, or leave it out"),
            (["assert", "--no-errors", "--session", ""], "--session is empty; name a session, or leave it out"),
            (
                ["tail", "--since", "2026-01-02", "--until", "2026-01-01"],
                "--until 2026-01-01T00:00:00.000Z is not after --since 2026-01-02T00:00:00.000Z: events are received at or after --since, and before --until"
            ),
            (
                ["tail", "--follow", "--until", "1h"],
                "--follow cannot be combined with --until: it prints new events until it is stopped"
            ),
            (
                ["tail", "--until", "tomorrow"],
                "--until needs a date such as 2026-11-21T08:00:00Z, milliseconds since 1970, or an age such as 10m"
            ),
            (
                ["tail", "--platform", "a", "--platform=b"],
                "--platform a and --platform=b cannot be combined; give --platform once"
            ),
            (
                ["assert", "--no-duplicates", "--app-id", "a", "--status", "bad"],
                "--no-duplicates cannot be combined with --app-id or --status: duplicates are counted by the time of their arrival only; use --since and --until"
            ),
            (
                ["assert", "--no-errors", "--status", "good"],
                "--no-errors cannot be combined with --status: it checks that no event is bad"
            ),
            (
                ["assert", "--no-errors", "--code", "plan_rang"],
                "unknown error code 'plan_rang'; did you mean 'plan_range'?"
            ),
            (["tail", "--code", "2030"], "unknown error code '2030'; did you mean '2003'?"),
            (["explain", "etl_futur"], "unknown error code 'etl_futur'; did you mean 'etl_future'?"),
            (["explain", "not-json"], "unknown error code 'not-json'; did you mean 'not_json'?"),
            (
                ["collect", "--path", "collect"],
                "--path collect: the path must begin with '/' and not be '/' alone, such as /collect"
            ),
            (["collect", "--host", "999.1.1.1", "--port", "0"], "no such host: 999.1.1.1"),
        ] as [([String], String)]
    )
    func errors(arguments: [String], message: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(arguments)
            #expect(run.errors.split(separator: "\n").first == "error: \(message)"[...])
            #expect(run.status == (arguments.contains("--host") ? 69 : 64))
            #expect(run.output == "")
        }
    }

    @Test("offers only formats in help that it accepts", arguments: ["replay", "generate"])
    func offeredForms(command: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(command, "--help")
            #expect(run.output.contains("--form") && !run.output.contains("audit"), "\(run.output)")
        }
    }

    @Test("takes an option before the command as a default, and repeated options with several values")
    func repeatedOptions() async throws {
        try await Workplace.use { workplace in
            let twice = try await workplace.run("--color", "never", "explain", "2003", "--color", "always")
            #expect(twice.status == 0, "\(twice.errors)")
            let group = try await workplace.run("queue", "--color", "never", "--color", "always")
            #expect(group.status == 0, "\(group.errors)")
            let forms = CapturedFormat.ofCapture.flatMap { ["--form", $0.rawValue] }
            let dryRun = ["generate", "--dry-run", "--events", "20"]
            let several = try await workplace.run(dryRun + forms)
            #expect(several.status == 0, "\(several.errors)")
        }
    }

    /// Options with a number, a duration or a size, in groups that are valid together.
    private static let numbers: [[String]] = [
        ["collect", "--port", "0", "--batch-size", "3", "--once", "2", "--seed", "7", "--fail", "503:0.3"],
        ["collect", "--timeout", "3s", "--latency", "2ms", "--max-age", "72h", "--max-store-bytes", "5MB"],
        ["generate", "--rate", "100/s", "--duration", "3s", "--events", "5", "--users", "2", "--seed", "7"],
        ["generate", "--invalid", "0.5", "--duplicate", "0.25", "--rate", "max"],
        ["tail", "--limit", "3", "--since", "10m"], ["tail", "--since", "1732176000000"], ["tail", "--until", "10m"],
        ["replay", "a.yaml", "--speed", "60x", "--seed", "7", "--users", "2"], ["replay", "a.yaml", "--speed", "max"],
        ["assert", "--no-errors", "--within", "10s", "--since", "2026-11-21T08:00:00Z"],
        ["flush", "--deadline", "3s"], ["queue", "ls", "--limit", "3"], ["bench", "--events", "10"],
    ]

    @Test(
        "ignores white space at the ends of numbers, durations and sizes",
        arguments: numbers,
        ["\n", " \r\n", "\u{A0}"]
    )
    func paddedNumbers(arguments: [String], space: String) async throws {
        try await Workplace.use { workplace in
            var padded = arguments
            for index in arguments.indices.dropFirst() where arguments[index - 1].hasPrefix("--") {
                if !arguments[index].hasPrefix("--") { padded[index] = " \(arguments[index])\(space)" }
            }
            // Values are parsed before an unknown option is reported.
            let run = try await workplace.run(padded + ["--frobnicate"])
            #expect(run.errors.hasPrefix("error: unknown option '--frobnicate'\n"), "\(run.errors)")
        }
    }

    @Test("names the folder in which no temporary store can be created", arguments: ["/nope", "/nope\n", " /nope/ "])
    func temporaryStore(folder: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["collect", "--port", "0"], environment: ["TMPDIR": folder])
            #expect(
                run
                    == Finished(
                        status: 73,
                        output: "",
                        errors:
                            "error: cannot create a temporary store: TMPDIR (/nope) does not exist; set TMPDIR or pass "
                            + "--store FILE\n"
                    )
            )
        }
    }

    @Test("prints fewer lines on standard error with --quiet, more with --verbose, also before the command")
    func verbosity() async throws {
        try await Workplace.use { workplace in
            for arguments in [["validate", "-", "-q"], ["--quiet", "validate", "-"]] {
                #expect(try await workplace.run(arguments, input: "").errors == "")
            }
            let verbose = try await workplace.run([
                "flush", "-v", "--endpoint", "http://127.0.0.1:9/collect", "--storage", "s",
            ])
            #expect(verbose.errors.contains("info: storage: s"), "\(verbose.errors)")
        }
    }

    @Test("removes everything created by bench, and nothing else")
    func benchStorage() async throws {
        try await Workplace.use { workplace in
            try FileManager.default.createDirectory(atPath: workplace.path("kept"), withIntermediateDirectories: true)
            for storage in ["made/for/bench", "kept"] {
                let run = try await workplace.run("bench", "--events", "50", "--storage", workplace.path(storage))
                #expect(run.status == 0, "\(run.errors)")
            }
            #expect(!workplace.contents(of: "").contains { $0.hasPrefix("made") })
            #expect(workplace.contents(of: "kept") == [])
            #expect(FileManager.default.fileExists(atPath: workplace.path("kept")))
        }
    }

    @Test("reports no bytes sent when the connection was refused")
    func refusedConnection() async throws {
        try await Workplace.use { workplace in
            _ = try await workplace.run("record", "tap", "--storage", "s")
            // Port 1 of loopback: nothing listens there.
            let run = try await workplace.run("flush", "--storage", "s", "--endpoint", "http://127.0.0.1:1/collect")
            #expect(run.status == 69)
            let report = try JSONReader.parse(Array(run.output.utf8))
            #expect(["attempts", "bytes", "raw_bytes", "retained"].map { report[$0]?.integer } == [1, 0, 0, 1])
        }
    }
}

@Suite("Command line at a terminal", .enabled(if: Terminal.isAvailable))
struct TerminalTests {
    private static let line = "{\"name\":\"1bad\"}\n\u{4}"

    @Test(
        "colors results on a terminal with color support, unless disabled",
        arguments: [
            ([], [:], true), (["--color", "never"], [:], false), ([], ["NO_COLOR": "1"], false),
            ([], ["NO_COLOR": ""], true), ([], ["TERM": "dumb"], false),
            (["--color", "always"], ["NO_COLOR": "1", "TERM": "dumb"], true),
        ] as [([String], [String: String], Bool)]
    )
    func colour(options: [String], environment: [String: String], isColoured: Bool) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.runAtTerminal(
                ["validate", "-"] + options,
                typing: Self.line,
                environment: environment
            )
            #expect(run.status == 1)
            #expect(run.output.contains("\u{1B}[33m") == isColoured, "\(run.output)")
        }
    }

    @Test("colors results in a file with --color always")
    func alwaysColoured() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                ["validate", "-", "--format", "human", "--color", "always"],
                input: "{\"name\":\"1bad\"}\n"
            )
            #expect(run.output.contains("\u{1B}[33m"))
        }
    }

    @Test("fits a report to the terminal's width", arguments: [60, 80, 200])
    func width(columns: Int) async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(
                "clickstream: 1\nsteps:\n  - launch\n  - foreground\n  - record: \(String(repeating: "n", count: 50))\n",
                to: "a.yaml"
            )
            let run = try await workplace.runAtTerminal(["replay", script], columns: columns)
            #expect(run.status == 0, "\(run.output)")
            // A warning on the long name comes before the report; the terminal wraps it.
            let report = run.screen.map { Self.plain($0) }.drop { $0 != "Replay" }
            #expect(report.contains("Requests"), "\(run.output)")
            #expect(report.allSatisfy { $0.count <= columns }, "\(run.output)")
        }
    }

    @Test("wraps explanations at the width of the terminal", arguments: [["explain", "2003"], ["doctor"], ["rules"]])
    func wrapped(arguments: [String]) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.runAtTerminal(arguments, columns: 90)
            // A long path is not broken.
            let tooLong = run.screen.map { Self.plain($0) }.filter { line in
                line.count > 90 && line.split(separator: " ").allSatisfy { $0.count < 40 }
            }
            #expect(tooLong == [])
            #expect(run.screen.count > 5)
        }
    }

    /// The text without colours.
    private static func plain(_ text: String) -> String {
        text.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    }

    @Test("shows events as the collector receives them")
    func arrivals() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.runAtTerminal(["collect", "--port", "0", "--timeout", "300ms"])
            #expect(run.screen.first?.hasPrefix("Endpoint:  http://127.0.0.1:") == true, "\(run.output)")
            #expect(!run.output.contains("Network:"))
            let open = try await workplace.runAtTerminal(
                ["collect", "--port", "0", "--host", "0.0.0.0", "--timeout", "300ms"]
            )
            #expect(open.output.contains("Network:   http://") || LocalNetwork.address == nil, "\(open.output)")
        }
    }
}
#endif
