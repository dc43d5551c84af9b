#if Audit && Collector
import ClickstreamJudges
import Foundation
import TestSupport
import Testing

@testable import clickstream_cli

/// The same for zsh and fish: `.ci/completions`.
@Suite("Completion scripts")
struct CompletionTests {
    /// Completes a line as the real bash does, through the function that the script registers.
    private static let driver = """
        source ./completion.bash
        line="$1"
        read -ra COMP_WORDS <<< "$line"
        [[ "$line" == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="$line"; COMP_POINT=${#line}; COMPREPLY=()
        # The function ends with the status of its last test.
        "$(complete -p clickstream-cli | sed 's/.*-F \\([^ ]*\\).*/\\1/')" clickstream-cli \\
            "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" || true
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    private static let lines: [(String, [String])] = [
        ("clickstream-cli repl", ["replay"]),
        ("clickstream-cli replay ", ["a.yaml", "b.json", "folder"]),
        ("clickstream-cli replay --form ", CapturedFormat.replayed),
        ("clickstream-cli validate e", ["events.ndjson"]),
        ("clickstream-cli queue import e", ["events.ndjson"]),
        ("clickstream-cli flush --config b", ["b.json"]),
        ("clickstream-cli flush --storage f", ["folder"]),
        ("clickstream-cli bench --storage ", ["folder"]),
        ("clickstream-cli collect --archive f", ["folder"]),
        ("clickstream-cli collect --store e", ["events.ndjson"]),
        ("clickstream-cli report fu", ["funnel"]), ("clickstream-cli report count --store e", ["events.ndjson"]),
        ("clickstream-cli report ro", ["row"]), ("clickstream-cli plan cov", ["coverage"]),
        ("clickstream-cli report row orders 17 --format ", ["human", "json", "ndjson"]),
        ("clickstream-cli report count --by s", ["screen", "session", "status"]),
        ("clickstream-cli report funnel a --per ", ["session", "user"]),
        ("clickstream-cli explain etl_f", ["etl_future"]),
        ("clickstream-cli tail --color ", ["always", "auto", "never"]),
        ("clickstream-cli tail --form ", CapturedFormat.allCases.map(\.rawValue)),
        ("clickstream-cli assert --form ", CapturedFormat.allCases.map(\.rawValue)),
        ("clickstream-cli queue ls --form a", ["audit"]), ("clickstream-cli aud", ["audit"]),
        ("clickstream-cli audit --script f", ["folder"]),
    ]

    @Test("are refused for an unknown shell, wherever the option is")
    func unknownShell() async throws {
        try await Workplace.use { workplace in
            for words in [["--generate-completion-script", "tcsh"], ["tail", "--generate-completion-script=tcsh"]] {
                let run = try await workplace.run(words)
                #expect(run.status == 64)
                #expect(run.errors.contains("'tcsh'") && !run.errors.contains("unknown option"), "\(run.errors)")
            }
        }
    }

    @Test("complete files, folders, commands and codes in bash", arguments: TestLength.sample(lines, short: 7))
    func bash(line: String, expected: [String]) async throws {
        try await Workplace.use { workplace in
            let script = try await workplace.run("--generate-completion-script", "bash")
            #expect(script.status == 0)
            try workplace.write(script.output, to: "completion.bash")
            try workplace.write(Self.driver, to: "driver.bash")
            for name in ["a.yaml", "b.json", "events.ndjson"] { try workplace.write("", to: name) }
            let folder = workplace.path("folder")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let run = try await workplace.start(command: ["bash", "driver.bash", line]).finish()
            let words: [String] = run.lines.map { (line: Substring) -> String in
                let word: Substring = line.hasSuffix("/") ? line.dropLast() : line
                return String(word)
            }
            // The test's own folders are in the same directory.
            let own: Set<String> = ["tmp", "state"]
            let offered: Set<String> = Set(words).subtracting(own).filter { (word: String) -> Bool in
                if word.hasPrefix("completion") || word.hasPrefix("driver") { return false }
                return !word.hasSuffix(".out") && !word.hasSuffix(".err")
            }
            #expect(offered == Set(expected), "\(line): \(run.output)\(run.errors)")
        }
    }
}
#endif
