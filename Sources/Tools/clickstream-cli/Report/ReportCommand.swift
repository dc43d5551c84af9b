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
    @Option(
        help: ArgumentHelp(
            "URL of a running collector (default: $CLICKSTREAM_COLLECTOR, or http://127.0.0.1:9090).",
            valueName: "url"
        ),
        completion: .list(["http://127.0.0.1:9090"])
    )
    var url: String?

    @Option(help: "Format of the results: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    /// - Throws: ``CommandFailure`` for an invalid URL in the environment; `ValidationError` for an invalid `--url`.
    func address() throws -> CollectorAddress {
        try CollectorAddress.resolved(url.map(CollectorAddress.argument))
    }
}

/// The option of commands that also read the file of a store.
struct ReportStoreOption: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("SQLite file of a store to read instead of a running collector.", valueName: "file"),
        completion: .file(),
        transform: String.trimmedArgument
    )
    var path: String?

    func validate() throws { try ValidationError.refuseEmpty("--store", path, name: "a file") }

    /// Refuses a collector beside a file.
    func refuse(_ options: ReportOptions) throws {
        if path != nil, options.url != nil {
            throw ValidationError("--url and --store cannot be combined; leave out one of them")
        }
    }

    /// The store, or else the collector.
    /// - Throws: as ``StoreFile/init(_:plan:followsReplacement:)`` and ``ReportOptions/address()``.
    func source(or options: ReportOptions) throws -> EventSource {
        if let path { return .store(try StoreFile(path)) }
        return .collector(try options.address())
    }
}
