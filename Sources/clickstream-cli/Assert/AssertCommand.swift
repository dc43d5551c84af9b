#if Tools
import ArgumentParser
import ClickstreamCore

/// `assert`: whether a running collector holds what is expected.
struct AssertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assert",
        abstract: "Checks, or waits, that a running collector holds what is expected; for CI.",
        discussion: """
            Without --within it looks once, at what is there. With it, it waits until everything holds, and fails at once \
            when something came too often. Where nothing has to come (only --at-most, NAME:0, --no-errors, \
            --no-duplicates), it looks for the whole time. Exits with 0 when all holds, with 1 when not, with 69 when no \
            collector answers.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Argument(
        help: ArgumentHelp(
            "The collector's URL; $CLICKSTREAM_COLLECTOR or http://127.0.0.1:9090 without it.",
            valueName: "url"
        ),
        completion: .list(["http://127.0.0.1:9090"])
    )
    var collector: String?

    /// The collector that the argument names. It is parsed here, so that a misspelt option is reported as one.
    func address() throws -> CollectorAddress? { try collector.map(CollectorAddress.argument) }

    @OptionGroup
    var expected: ExpectationOptions

    @Flag(help: "No event may break a rule, and no request be unreadable.")
    var noErrors = false

    @Option(help: "Look at this session alone.")
    var session: String?

    @Option(help: "Look at this user alone, by user id or unique id.")
    var user: String?

    @Option(help: "Look at what came since then alone: a date, or how long ago, such as 10m.")
    var since: SinceOption?

    @Option(help: ArgumentHelp("How long to wait, such as 10s.", valueName: "duration"))
    var within: DurationOption?

    @Option(help: "How to write the report: human (default on a terminal), ndjson, json.")
    var format: OutputFormat?

    func validate() throws {
        if try expectations().isEmpty {
            throw ValidationError("no expectation given; use --event NAME, --no-errors or --no-duplicates")
        }
        if expected.noDuplicates, session != nil || user != nil {
            throw ValidationError(
                "--no-duplicates cannot be combined with --session or --user: duplicates are not counted by session or user"
            )
        }
    }

    func run() async throws {
        let command = self
        try await StopSignal.command {
            try await AssertRun(command, CollectorAddress.resolved(command.address())).run()
        }
    }

    func expectations() throws -> Expectations {
        Expectations(
            try expected.expectations(),
            allowsErrors: !noErrors,
            allowsDuplicates: !expected.noDuplicates
        )
    }
}
#endif
