import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// `report funnel`: numbers of users that do one event after the other.
struct ReportFunnelCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel",
        abstract: "Counts the users that reach each of several steps, one after the other.",
        discussion: """
            STEP is an event name, or NAME:CONDITION with a condition as in 'assert --where': 'purchase:attributes.value == 9.5'. \
            A user reaches a step with an event after that of the step before; other events may be between them. FIELD is \
            one of 'report count'.
            """
    )

    @Argument(help: ArgumentHelp("Steps in their order: NAME or NAME:CONDITION.", valueName: "step"))
    var steps: [String]

    @Option(help: ArgumentHelp("Maximum time from the first step to the last, such as 1h.", valueName: "duration"))
    var within: DurationOption?

    @Option(
        help: ArgumentHelp("Group by the value of this field in the event of the first step.", valueName: "field"),
        completion: .list(ReportField.columnNames)
    )
    var by: String?

    @Option(help: "Whose steps are counted: user (the default), session.")
    var per = FunnelUnit.user

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: "Maximum number of groups.",
        transform: Int.numberArgument
    )
    var limit: Int?

    @OptionGroup(title: "Filters")
    var filters: FilterOptions

    @OptionGroup
    var options: ReportOptions

    func validate() throws {
        if steps.contains("") { throw ValidationError("a step is empty; name an event, such as purchase") }
        try ValidationError.refuseBelowOne("--limit", limit)
        if limit != nil, by == nil { throw ValidationError("--limit needs --by: it limits the number of groups") }
        if by?.isEmpty == true { throw ValidationError("--by is empty; name a field, or leave it out") }
    }

    func execute() async throws -> ExitStatus {
        try filters.checkCode()
        let reader = ReportReader(try options.source.source(), filters.query(.clickstream))
        let funnel = ReportReader.Funnel(
            steps: steps,
            within: within?.milliseconds,
            field: by,
            unit: per,
            limit: limit
        )
        let body = try await reader.funnel(funnel)
        let table = FunnelTable(funnel, style: Style(isColoured: Console.usesColour), width: Console.columns)
        let report = try ReportReader.value(body, isShown: options.format.inUse == .human)
        switch options.format.inUse {
        case .json, .ndjson: try Console.print(Console.escaped(String(decoding: body, as: UTF8.self)))
        case .human: for line in table.lines(of: report) { try Console.print(line) }
        }
        if let step = FunnelTable.firstUnreached(in: report) { Console.note(try await explanation(step, reader)) }
        return .done
    }

    /// Explanation for a step that is not reached.
    /// - Parameter index: index of the first such step.
    private func explanation(_ index: Int, _ reader: ReportReader) async throws -> String {
        let step = Console.escaped(steps.indices.contains(index) ? steps[index] : "\(index + 1)")
        if index > 0 {
            return
                "no \(per.rawValue) reaches step \(index + 1), \(step); check that its events come after those of step \(index)"
                + (within == nil ? "" : ", or use a longer --within")
        }
        let count = try ReportReader.value(try await reader.count(by: "name", limit: 1))["events"]?.integer ?? 0
        guard count > 0 else { return try await reader.events.noMatch() }
        return "no event matches step 1, \(step); 'clickstream-cli report count' lists the names of events"
    }
}

/// Whose steps a funnel counts.
enum FunnelUnit: String, ExpressibleByArgument, CaseIterable, Sendable {
    case user
    case session
}
