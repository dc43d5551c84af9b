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

    @OptionGroup(title: "Filters")
    var filters: FilterOptions

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
        try filters.refuse(for: expected.expectations().compactMap(\.form.captured).first)
        if expected.noDuplicates, !filters.given.isEmpty {
            throw ValidationError(
                "--no-duplicates cannot be combined with \(String.list(filters.given, "or")): duplicates are counted by the "
                    + "time of their arrival only; use --since and --until"
            )
        }
        if noErrors, filters.status != nil {
            throw ValidationError("--no-errors cannot be combined with --status: it checks that no event is bad")
        }
    }

    /// True if captured events are counted or checked.
    var readsCaptured: Bool {
        get throws { try noErrors || expected.expectations().contains { $0.form != .clickstream } }
    }

    func execute() async throws -> ExitStatus {
        try filters.checkCode()
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
