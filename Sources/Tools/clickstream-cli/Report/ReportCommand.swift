import ArgumentParser
import ClickstreamCore

/// `report`: answers to questions about the events of a collector.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Counts events and computes funnels, of a running collector or of a store's file.",
        discussion: """
            Reads a running collector (--url), or the SQLite file of a store (--store), which is only read and may be in use. \
            JSON is that of the collector's /api/report. Exits with 69 if no collector responds, with 66 if there is no such \
            file.
            """,
        subcommands: [ReportCountCommand.self, ReportFunnelCommand.self]
    )
}

/// The options of all reports: where the events are, and the format of the result.
struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "URL of a running collector (default: $CLICKSTREAM_COLLECTOR, or http://127.0.0.1:9090).",
            valueName: "url"
        ),
        completion: .list(["http://127.0.0.1:9090"])
    )
    var url: String?

    @Option(
        help: ArgumentHelp("SQLite file of a store to read instead of a running collector.", valueName: "file"),
        completion: .file(),
        transform: String.trimmedArgument
    )
    var store: String?

    @Option(help: "Format of the results: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    func validate() throws {
        if url != nil, store != nil {
            throw ValidationError("--url and --store cannot be combined; leave out one of them")
        }
        try ValidationError.refuseEmpty("--store", store, name: "a file")
    }

    /// - Throws: ``CommandFailure`` for a missing or unreadable file, and for an invalid URL in the environment; `ValidationError`
    ///   for an invalid `--url`.
    func source() throws -> ReportSource {
        if let store { return try .file(store) }
        return .collector(try CollectorAddress.resolved(url.map(CollectorAddress.argument)))
    }
}
