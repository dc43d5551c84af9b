import Foundation
import Testing

@Suite("replay with invalid input")
struct UsageTests {
    @Test(
        "rejects invalid usage with status 64, and explains the correct one",
        arguments: [
            (["--endpoint", "ftp://example.com/collect"], "use http or https"),
            (["--endpoint", "garbage"], "start it with http:// or https://"),
            (["--endpoint", "http://"], "has no host"),
            (["--endpoint", "http://127.0.0.1:0x50/"], "--endpoint"),
            (["--dry-run", "--endpoint", "http://127.0.0.1/"], "--dry-run sends nothing"),
            (["--dryrun"], "unknown option"),
            (["--update"], "--update needs --expect FILE"),
            (["--users", "0"], "--users must be an integer from 1"),
            (["--users", "many"], "--users"),
            (["--speed", "fast"], "--speed"),
            (["--speed", "0x"], "--speed"),
            (["--speed", "1e300x"], "--speed"),
            (["--seed", "-1"], "--seed"),
            (["--format", "xml"], "--format"),
            (["--storage", ""], "--storage is empty; name a folder, or leave it out"),
            (["--expect", "", "--update"], "--expect is empty; name a file, or leave it out"),
            (["-", "-"], "standard input can be read only once"),
        ]
    )
    func usage(arguments: [String], message: String) async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let run = try await workplace.run(["replay", script] + arguments)
            #expect(run.status == 64)
            #expect(run.output == "")
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("requires a script")
    func noScript() async throws {
        try await Workplace.use { workplace in
            let noScript = try await workplace.run("replay", "--dry-run")
            let noCommand = try await workplace.run("replai")
            #expect([noScript.status, noCommand.status] == [64, 64])
        }
    }

    @Test("reads a script from standard input, and from a pipe")
    func pipes() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let file = try await workplace.run("replay", script, "--dry-run")
            #expect(file.status == 0)
            #expect(try await workplace.run("replay", "-", "--dry-run", input: Scripts.shop) == file)
            let command = "cat '\(script)' | '\(Workplace.executable.path)' replay /dev/stdin --dry-run"
            #expect(try await workplace.start(command: ["sh", "-c", command]).finish() == file)
            let bad = try await workplace.run("replay", "-", "--dry-run", input: "clickstream: 1\nsteps: [ lanch ]\n")
            #expect(bad.status == 65)
            #expect(bad.errors.hasPrefix("standard input:2:10: error: unknown step 'lanch'"), "\(bad.errors)")
        }
    }

    @Test(
        "reports that standard input is closed",
        arguments: ["record - --storage s", "queue import - --storage s", "validate -", "replay - --dry-run"]
    )
    func closedInput(command: String) async throws {
        try await Workplace.use { workplace in
            let line = "exec '\(Workplace.executable.path)' \(command) <&-"
            let run = try await workplace.start(command: ["sh", "-c", line]).finish()
            #expect(run.status == 66)
            #expect(run.errors == "error: cannot read standard input: Bad file descriptor; check the file\n")
        }
    }

    @Test("stops reading an endless input after the maximum script size")
    func endless() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run("replay", "/dev/zero", "--dry-run")
            #expect(run.status == 65)
            #expect(run.errors.contains("the script is longer than"), "\(run.errors)")
        }
    }

    @Test("reports a missing script with status 66")
    func missing() async throws {
        try await Workplace.use { workplace in
            let missing = try await workplace.run("replay", "nowhere.yaml", "--dry-run")
            #expect(missing.status == 66)
            #expect(missing.output == "")
            #expect(missing.errors == "error: cannot read nowhere.yaml: no such file; check the name\n")
            let folder = try await workplace.run("replay", "tmp", "--dry-run")
            #expect(folder.status == 66)
            #expect(folder.errors == "error: cannot read tmp: it is a folder; name a script in it\n")
        }
    }

    @Test("validates every script before the first one runs, with line, column and suggestion")
    func scriptErrors() async throws {
        try await Workplace.use { workplace in
            try workplace.write(Scripts.shop, to: "good.yaml")
            try workplace.write("clickstream: 1\nsteps:\n  - launch\n  - screan: Home\n", to: "bad.yaml")
            try workplace.write("{ \"clickstream\": 1,\n  \"steps\": [ \"lunch\" ] }", to: "worse.json")
            let run = try await workplace.run(
                "replay",
                "good.yaml",
                "bad.yaml",
                "worse.json",
                "--storage",
                "store",
                "--dry-run"
            )
            #expect(run.status == 65)
            #expect(run.output == "")
            #expect(
                run.errors == """
                    bad.yaml:4:5: error: unknown step 'screan'; did you mean 'screen'?
                    worse.json:2:14: error: unknown step 'lunch'; did you mean 'launch'?

                    """
            )
            #expect(workplace.contents(of: "store") == [])
        }
    }

    @Test(
        "rejects an input that is not a script with status 65",
        arguments: ["", "\u{0}", "- launch\n", "clickstream: 2\nsteps: [ launch ]\n", "clickstream: 1\n", "{", "a: [b"]
    )
    func noScriptAtAll(text: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run("replay", workplace.write(text, to: "x.yaml"), "--dry-run")
            #expect(run.status == 65)
            #expect(run.output == "")
            #expect(run.errors.contains("x.yaml:"), "\(run.errors)")
            #expect(run.errors.contains(": error: "), "\(run.errors)")
        }
    }

    @Test("rejects an invalid configured endpoint with status 65")
    func configuredEndpoint() async throws {
        try await Workplace.use { workplace in
            let text = "clickstream: 1\nconfig: { endpoint: \"ftp://example.com\" }\nsteps: [ launch ]\n"
            let run = try await workplace.run("replay", workplace.write(text, to: "x.yaml"))
            #expect(run.status == 65)
            #expect(run.output == "")
            #expect(
                run.errors.contains("x.yaml:2:21: error: 'endpoint': the endpoint's scheme 'ftp'"),
                "\(run.errors)"
            )
        }
    }
}
