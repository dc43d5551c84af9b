import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// `report count`: numbers of events and users by a field.
struct ReportCountCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Counts events and users by name, or by another field.",
        discussion: """
            FIELD is name, app, device, platform, version, screen, session, user or status, a member of the event, or an \
            attribute: attributes.NAME of the event, user.NAME of the user. The most frequent values come first.
            """
    )

    @Option(
        help: ArgumentHelp("Field whose values are counted.", valueName: "field"),
        completion: .list(ReportField.columnNames)
    )
    var by = "name"

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: "Maximum number of values; the others are counted together.",
        transform: Int.numberArgument
    )
    var limit = 20

    @OptionGroup(title: "Filters")
    var filters: FilterOptions

    @OptionGroup
    var options: ReportOptions

    func validate() throws {
        try ValidationError.refuseBelowOne("--limit", limit)
        if by.isEmpty { throw ValidationError("--by is empty; name a field, or leave it out") }
    }

    func execute() async throws -> ExitStatus {
        try filters.checkCode()
        let reader = ReportReader(try options.source.source(), filters.query(.clickstream))
        let body = try await reader.count(by: by, limit: limit)
        let table = CountTable(style: Style(isColoured: Console.usesColour), width: Console.columns)
        let report = try ReportReader.value(body, isShown: options.format.inUse == .human)
        switch options.format.inUse {
        case .json, .ndjson: try Console.print(Console.escaped(String(decoding: body, as: UTF8.self)))
        case .human: for line in table.lines(of: report) { try Console.print(line) }
        }
        if report["events"]?.integer == 0 {
            Console.note(try await reader.events.noMatch())
        } else if CountTable.isAbsent(in: report) {
            Console.note("no matching event has \(Console.escaped(by)); check its spelling, as in attributes.value")
        }
        return .done
    }
}
