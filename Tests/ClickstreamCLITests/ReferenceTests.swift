import ArgumentParser
import Foundation
import Testing

@testable import clickstream_cli

/// Docs/commands.md and the man pages, compared with the code.
@Suite("Reference of the command line")
struct ReferenceTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    /// All statuses; the last two are those of the command after `--`, as of a shell.
    private static let allStatuses = clickstream_cli.ExitStatus.allCases.map(\.rawValue) + [126, 127]

    @Test("lists every exit status, and no other")
    func statuses() throws {
        let page = try String(contentsOf: Self.root.appending(path: "Docs/commands.md"), encoding: .utf8)
        let rest = try #require(page.components(separatedBy: "### Exit statuses\n").last)
        let section = rest.components(separatedBy: "\n#")[0]
        let cells = section.split(separator: "\n").compactMap { $0.split(separator: "|").first }
        let listed = cells.flatMap { $0.split(separator: ",") }.compactMap {
            Int32($0.trimmingCharacters(in: .whitespaces))
        }
        #expect(listed.sorted() == Self.allStatuses.sorted())
        let help = CommandLineInterface.configuration.discussion.split { !$0.isNumber }.compactMap { Int32($0) }
        #expect(Set(Self.allStatuses).subtracting(help) == [])
    }

    @Test("has a man page for each command, with examples, and all statuses, variables and files in the first")
    func pages() async throws {
        try await Workplace.use { workplace in
            let script = Self.root.appending(path: "Packaging/man").path
            let made = try await workplace.start(command: [script, Workplace.executable.path, "pages"]).finish()
            #expect(made.status == 0, "\(made.errors)")
            let printing = "for page in pages/*.gz; do echo \"PAGE $page\"; gunzip -c \"$page\"; done"
            let printed = try await workplace.start(command: ["sh", "-c", printing]).finish().output
            let pages = printed.components(separatedBy: "PAGE pages/").dropFirst()
            #expect(pages.count > 30)
            for page in pages {
                #expect(page.contains("\n.SH EXIT STATUS\n"), "\(page.prefix(50))")
                #expect(page.contains("\n.SH EXAMPLES\n.nf\n"), "\(page.prefix(50))")
            }
            let first = try #require(pages.first { $0.hasPrefix("clickstream-cli.1.gz") })
            let sections = first.components(separatedBy: "\n.SH ")
            let status = try #require(sections.first { $0.hasPrefix("EXIT STATUS") })
            let numbers = status.split { !$0.isNumber }.compactMap { Int32($0) }
            #expect(Set(Self.allStatuses).subtracting(numbers) == [])
            let environment = try #require(sections.first { $0.hasPrefix("ENVIRONMENT") })
            for variable in [CollectorAddress.variable, "CLICKSTREAM_ALLOW_HOST", "NO_COLOR", "TMPDIR"] {
                #expect(environment.contains(variable))
            }
            let files = try #require(sections.first { $0.hasPrefix("FILES") })
            #expect(files.contains("XDG_STATE_HOME/clickstream"))
            #expect(files.contains("amplifyconfiguration.json"))
        }
    }
}
