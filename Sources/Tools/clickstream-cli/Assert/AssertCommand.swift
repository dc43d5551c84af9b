import ArgumentParser
import ClickstreamCore
import ClickstreamJudges

/// `assert`: checks the events of a running collector against expectations.
struct AssertCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "assert",
        abstract: "Checks that a running collector has received the expected events; for CI.",
        discussion: """
            Without --within, checks once what the collector has stored. With --within, waits until all expectations hold, \
            and fails at once when an event was received too often. If no expectation needs a further event (only \
            --at-most, NAME:0, --no-errors, --no-duplicates), watches for the whole time. Exits with 0 if all expectations \
            hold, with 1 if not, with 69 if no collector responds.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @OptionGroup
    var collector: CollectorArgument

    @OptionGroup
    var expected: ExpectationOptions

    @Flag(help: "Expect no event with an error and no unreadable request, in any format.")
    var noErrors = false

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(help: "Only events of this user: a user id or a unique id.")
    var user: String?

    @Option(help: "Only events received since then: a date, or an age such as 10m.")
    var since: SinceOption?

    @Option(help: ArgumentHelp("How long to wait, such as 10s.", valueName: "duration"))
    var within: DurationOption?

    @Option(help: "Format of the report: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @Option(help: "Print a report for other programs instead: junit, github (annotations), sarif.")
    var report: ReportFormat?

    func validate() throws {
        if report != nil, format != nil { throw ValidationError("--report and --format cannot be combined") }
        try expected.validateStrict(checksErrors: noErrors)
        if try expectations().isEmpty, expected.plan.path == nil {
            throw ValidationError("no expectation given; use --event NAME, --no-errors, --no-duplicates or --plan FILE")
        }
        if session != nil || user != nil, try expected.expectations().contains(where: { $0.form != .clickstream }) {
            let forms = String.list(CapturedFormat.captured.map(\.rawValue), "and")
            throw ValidationError(
                "--form \(forms) cannot be combined with --session or --user: these events have neither"
            )
        }
        if expected.noDuplicates, session != nil || user != nil {
            throw ValidationError(
                "--no-duplicates cannot be combined with --session or --user: duplicates are not counted by session or user"
            )
        }
    }

    /// True if captured events are counted or checked.
    var readsCaptured: Bool {
        get throws { try noErrors || expected.expectations().contains { $0.form != .clickstream } }
    }

    func execute() async throws -> ExitStatus {
        expected.warnOfNumberLikeTexts()
        return try await AssertRun(self, collector.address()).run()
    }

    func expectations() throws -> Expectations {
        Expectations(
            try expected.expectations(),
            allowsErrors: !noErrors,
            allowsDuplicates: !expected.noDuplicates,
            isStrict: expected.strict.isOn
        )
    }
}
