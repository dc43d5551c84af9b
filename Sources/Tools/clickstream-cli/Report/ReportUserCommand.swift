import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// `report user`: sessions, devices and events of a person.
struct ReportUserCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Shows the sessions, devices and events of a person in the order of time.",
        discussion: "Times are those of the devices. Of a person with more events than --limit, the newest are shown."
    )

    @Argument(help: "A user id or a unique id.")
    var id: String

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: "Maximum number of events, the newest ones.",
        transform: Int.numberArgument
    )
    var limit = 1_000

    @OptionGroup
    var options: ReportOptions

    func validate() throws {
        try ValidationError.refuseBelowOne("--limit", limit)
        if id.isEmpty { throw ValidationError("the id is empty; name a user id or a unique id") }
    }

    func execute() async throws -> ExitStatus {
        let query = EventQuery(filter: EventFilter(user: id), form: .clickstream)
        let reader = CollectorReader(source: try options.source.source(), query: query)
        let events = try await reader.newest(limit) { ($0, $0.heldBytes) }
        let timeline = PersonTimeline(events.values)
        switch options.format.inUse {
        case .json: try Console.print(Console.escaped(timeline.json(of: id)))
        case .ndjson: for line in timeline.jsonLines { try Console.print(Console.escaped(line)) }
        case .human:
            let style = Style(isColoured: Console.usesColour)
            let line = TailLine(format: .human, style: style, width: Console.columns)
            for text in timeline.lines(line, style) { try Console.print(text) }
        }
        if events.values.isEmpty {
            Console.note(try await reader.noMatch())
        } else if let omission = events.omission(limit, remedy: "read the others with /api/events?user=ID") {
            Console.note(omission)
        }
        return .done
    }
}
