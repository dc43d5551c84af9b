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
    var store: ReportStoreOption

    @OptionGroup
    var options: ReportOptions

    func validate() throws {
        try store.refuse(options)
        try ValidationError.refuseBelowOne("--limit", limit)
        if id.isEmpty { throw ValidationError("the id is empty; name a user id or a unique id") }
    }

    func execute() async throws -> ExitStatus {
        let query = EventQuery(filter: EventFilter(user: id), form: .clickstream)
        let reader = CollectorReader(source: try store.source(or: options), query: query)
        let (events, total) = try await reader.newest(limit) { $0 }
        let timeline = PersonTimeline(events)
        switch options.format.inUse {
        case .json: try Console.print(Console.escaped(timeline.json(of: id)))
        case .ndjson: for line in timeline.jsonLines { try Console.print(Console.escaped(line)) }
        case .human:
            let style = Style(isColoured: Console.usesColour)
            let line = TailLine(format: .human, style: style, width: Console.columns)
            for text in timeline.lines(line, style) { try Console.print(text) }
        }
        if events.isEmpty {
            Console.note(try await reader.noMatch())
        } else if total > events.count {
            Console.note("the newest \(events.count) of \(Plural.events(total)); use --limit \(total) for all")
        }
        return .done
    }
}

extension CollectorReader {
    /// The results of `convert` for the newest stored events of the query in the order of arrival, and the number of all events.
    /// - Parameter convert: called for every event; only its last values are in memory.
    func newest<Value>(
        _ limit: Int,
        _ convert: (ReceivedEvent) -> Value
    ) async throws -> (values: [Value], total: Int) {
        var newest = NewestValues<Value>(limit: limit)
        var total = 0
        try await stored { event in
            total += 1
            newest.append(convert(event))
        }
        return (Array(newest.values), total)
    }
}
