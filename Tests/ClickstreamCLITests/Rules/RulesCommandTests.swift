import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

@Suite("rules, explain and options of all commands")
struct RulesCommandTests {
    @Test("prints the table of rules in every form")
    func rules() async throws {
        try await Workplace.use { workplace in
            for (format, text) in [("human", Rules.human()), ("markdown", Rules.markdown), ("json", Rules.json)] {
                let run = try await workplace.run("rules", "--format", format)
                #expect(run.status == 0)
                #expect(run.output == text + "\n")
                #expect(run.errors == "")
            }
        }
    }

    @Test("explains a code, and lists the existing ones")
    func explain() async throws {
        try await Workplace.use { workplace in
            let known = try await workplace.run("explain", "2003")
            #expect(known.status == 0)
            #expect(known.output == (Rules.explain("2003") ?? "?") + "\n")
            let unknown = try await workplace.run("explain", "9999")
            #expect(unknown.status == 64)
            #expect(unknown.output == "")
            #expect(unknown.errors == "error: unknown error code '9999'; 'clickstream-cli rules' lists all codes\n")
        }
    }

    @Test(
        "reports that its results cannot be written: status 74",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: [["rules"], ["explain", "2003"]]
    )
    func fullDisk(arguments: [String]) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.start(arguments, output: "/dev/full").finish()
            #expect(run.status == 74)
            #expect(run.errors.hasPrefix("error: cannot write to standard output: No space left"), "\(run.errors)")
        }
    }

    @Test("prints version and help on standard output")
    func help() async throws {
        try await Workplace.use { workplace in
            let version = try await workplace.run("--version")
            #expect(version.status == 0)
            #expect(version.output == SDK.version + "\n")
            let help = try await workplace.run("replay", "--help")
            #expect(help.status == 0)
            #expect(help.output.contains("--dry-run"))
            #expect(workplace.contents(of: "state") == [])
        }
    }
}
