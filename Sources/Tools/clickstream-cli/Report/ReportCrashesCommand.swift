import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// `report crashes`: the latest crashes, each with what preceded it.
struct ReportCrashesCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "crashes",
        abstract: "Shows the latest crashes: the events of the 30 s before each, its breadcrumbs and its stack.",
        discussion: "A crash is an event _app_exception, which the app sends at its next start. The latest comes first."
    )

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: "Maximum number of crashes, the newest ones.",
        transform: Int.numberArgument
    )
    var limit = 5

    @OptionGroup(title: "Filters")
    var filters: FilterOptions

    @OptionGroup
    var options: ReportOptions

    func validate() throws {
        try ValidationError.refuseBelowOne("--limit", limit)
        if filters.name != nil {
            throw ValidationError("--name cannot be used: crashes are events \(EventName.appException)")
        }
    }

    func execute() async throws -> ExitStatus {
        try filters.checkCode()
        let source = try options.source.source()
        var query = filters.query(.clickstream)
        query.filter.name = EventName.appException
        let reader = CollectorReader(source: source, query: query)
        let crashes = try await reader.newest(limit) { ($0, $0.heldBytes) }
        var selection = EventsBeforeCrashes(crashes.values.reversed())
        for session in selection.sessions {
            let query = EventQuery(filter: EventFilter(session: session), form: .clickstream)
            try await CollectorReader(source: source, query: query).stored { selection.add($0, of: session) }
        }
        try print(selection.timelines)
        if crashes.values.isEmpty {
            Console.note(
                try await reader.noMatch()
                    + "; crashes are recorded by apps with isTrackAppExceptionEvents, and sent at the next start"
            )
        } else if let omission = crashes.omission(
            limit,
            ("crash", "crashes"),
            remedy: "use --since and --until for the others"
        ) {
            Console.note(omission)
        }
        return .done
    }

    private func print(_ reports: [CrashTimeline]) throws {
        switch options.format.inUse {
        case .json:
            let list = reports.map(\.json).joined(separator: ",")
            try Console.print(Console.escaped("{\"crashes\":[\(list)]}"))
        case .ndjson:
            for report in reports { try Console.print(Console.escaped(report.json)) }
        case .human:
            let style = Style(isColoured: Console.usesColour)
            let line = TailLine(format: .human, style: style, width: Console.columns)
            for (index, report) in reports.enumerated() {
                if index > 0 { try Console.print("") }
                for text in report.lines(line, style) { try Console.print(text) }
            }
        }
    }
}
