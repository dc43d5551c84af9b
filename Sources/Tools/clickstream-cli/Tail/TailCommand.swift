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

    @Option(help: "Only events of this name.")
    var name: String?

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(help: "Only events of this user: a user id or a unique id.")
    var user: String?

    @Option(help: "Only good or only bad events.")
    var status: StatusOption?

    @Option(
        help: "Only events with this code, such as 2003 or etl_future.",
        completion: .list(ExplainCommand.codes)
    )
    var code: String?

    @Option(help: "Only events received since then: a date, or an age such as 10m.")
    var since: SinceOption?

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must be an integer from 0, not \(limit)") }
        if let captured = form?.captured, session != nil || user != nil {
            let reason =
                captured == .audit
                ? "the user of an audit event is one of its metadata, which --format json prints"
                : "captured events have neither"
            throw ValidationError("--form \(captured.rawValue) cannot be combined with --session or --user: \(reason)")
        }
    }

    func execute() async throws -> ExitStatus {
        if let code, !ExplainCommand.codes.contains(code) { throw ExplainCommand.unknown(code) }
        let address = try collector.address()
        try await TailRun(self, address).run()
        return .done
    }

    var query: EventQuery {
        EventQuery(
            name: name,
            session: session,
            user: user,
            status: status?.status,
            code: code,
            since: since?.time,
            form: form
        )
    }
}
