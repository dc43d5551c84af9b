import ArgumentParser
import ClickstreamCore
import ClickstreamJudges

/// `tail`: the latest and the new events of a running collector.
struct TailCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Prints stored and new events of a running collector.",
        discussion: """
            Without --follow, prints the last ten matching events. With --follow, also prints new events until it is \
            stopped; if the collector stops, it reconnects without skipping or repeating events. Exits with 69 if no \
            collector responds.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    /// Output format of events.
    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable {
        /// For a person; the default on a terminal only.
        case human
        /// `key=value` pairs, one event per line.
        case logfmt
        /// The collector's JSON object of an event, one per line.
        case json
        case ndjson
    }

    @OptionGroup
    var collector: CollectorArgument

    @Flag(name: [.short, .long], help: "Keep printing new events.")
    var follow = false

    @Option(help: "Format of the events: human (default on a terminal), logfmt, json (one object per line).")
    var format: Format?

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: "Number of stored events to print, the newest ones.",
        transform: Int.numberArgument
    )
    var limit = 10

    @Option(help: "Only events of this format: \(CapturedFormat.names()).")
    var form: CapturedFormat?

    @OptionGroup(title: "Filters")
    var filters: FilterOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must be an integer from 0, not \(limit)") }
        try filters.refuse(for: form?.captured)
        if follow, filters.until != nil {
            throw ValidationError("--follow cannot be combined with --until: it prints new events until it is stopped")
        }
    }

    func execute() async throws -> ExitStatus {
        try filters.checkCode()
        let address = try collector.address()
        try await TailRun(self, address).run()
        return .done
    }

    var query: EventQuery { filters.query(form) }
}
