import ArgumentParser
import ClickstreamCore

/// `report`: answers to questions about the events of a collector.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract:
            "Counts events, computes funnels, and shows what a person did, what preceded a crash or who changed a row.",
        discussion: """
            Reads a running collector (--url), or the SQLite file of a store (--store), which may be in use. The JSON of count \
            and funnel is that of the collector's /api/report. Exits with 69 if no collector responds, with 66 if there is no \
            such file.
            """,
        subcommands: [
            ReportCountCommand.self, ReportFunnelCommand.self, ReportUserCommand.self, ReportCrashesCommand.self,
            ReportRowCommand.self,
        ]
    )
}

/// The options of all reports.
struct ReportOptions: ParsableArguments {
    @OptionGroup
    var source: SourceOptions

    @Option(help: "Format of the results: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @OptionGroup(title: "Output options")
    var output: OutputOptions
}
