#if Tools
import ArgumentParser
import ClickstreamCore

/// `tail`: the events of a running collector, the last ones and those that come.
struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Prints the events that a running collector holds, and those that come.",
        discussion: """
            Without --follow it prints the last ten events that fit, and ends. With it, it goes on with every event that \
            comes, until it is stopped; when the collector goes away it waits for it, and nothing is left out or repeated. \
            Exits with 69 when no collector answers.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    /// How events are written.
    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable {
        /// For a person; the default on a terminal only.
        case human
        /// `key=value` pairs, an event a line.
        case logfmt
        /// What the collector tells of an event, one JSON object a line.
        case json
        case ndjson
    }

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

    @Flag(name: [.short, .long], help: "Go on with what comes.")
    var follow = false

    @Option(help: "How to write events: human (default on a terminal), logfmt, json (an object a line).")
    var format: Format?

    @Option(name: [.customShort("n"), .long], help: "How many of the stored events to print, counted from the newest.")
    var limit = 10

    @Option(help: "Events of this name alone.")
    var name: String?

    @Option(help: "Events of this session alone.")
    var session: String?

    @Option(help: "Events of this user alone, by user id or unique id.")
    var user: String?

    @Option(help: "good or bad events alone.")
    var status: StatusOption?

    @Option(
        help: "Events alone in which this code was found, such as 2003 or etl_future.",
        completion: .list(ExplainCommand.codes)
    )
    var code: String?

    @Option(help: "Events alone that came since then: a date, or how long ago, such as 10m.")
    var since: SinceOption?

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must be an integer from 0, not \(limit)") }
    }

    func run() async throws {
        let command = self
        try await StopSignal.command {
            let address = try CollectorAddress.resolved(command.address())
            try await TailRun(command, address).run()
            return .done
        }
    }

    var question: EventQuestion {
        EventQuestion(name: name, session: session, user: user, status: status?.status, code: code, since: since?.time)
    }
}
#endif
