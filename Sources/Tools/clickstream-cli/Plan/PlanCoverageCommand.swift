import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// `plan coverage`: compares events with a plan.
struct PlanCoverageCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "Shows which events of a tracking plan were seen, and which never.",
        discussion: """
            Reads the events of a file with one JSON object per line, of the file of a store (--store), or of a running \
            collector (--url). Without PLAN, compares the events of the collector with its own plan. An event of the plan is \
            seen if an event of its name was received, with findings or without. Exits with 1 if --require is not met.
            """
    )

    @Argument(help: "A plan in YAML or JSON (default: that of the running collector).", completion: .file())
    var plan: String?

    @Argument(
        help: "A file of events, or - for standard input (default, without --store and --url).",
        completion: .file()
    )
    var input: String?

    @Option(
        help: ArgumentHelp(
            "Exit with status 1 if a smaller share of the planned events was seen, such as 0.9 or 90%.",
            valueName: "share"
        )
    )
    var require: ShareOption?

    @OptionGroup
    var options: ReportOptions

    private var readsFile: Bool { plan != nil && options.source.store == nil && options.source.url == nil }

    func validate() throws {
        if plan == nil, options.source.store != nil {
            throw ValidationError("--store needs a plan; name it, as in plan coverage plan.yaml --store events.sqlite")
        }
        if input != nil, !readsFile {
            throw ValidationError("a file of events cannot be combined with --store or --url; leave out one of them")
        }
        if plan == "-", readsFile, (input ?? "-") == "-" {
            throw ValidationError("standard input can be read only once; name - once")
        }
    }

    func execute() async throws -> ExitStatus {
        let (report, status) = try await compared()
        switch options.format.inUse {
        case .json, .ndjson: try Console.print(Console.escaped(report.text))
        case .human:
            let table = CoverageTable(style: Style(isColoured: Console.usesColour), width: Console.columns)
            for line in table.lines(of: report) { try Console.print(line) }
        }
        if report.unlisted > 0 {
            let noun = Plural.events(Int(clamping: report.unlisted))
            Console.warn("\(noun) not listed: without a name, or with more unplanned names than are listed")
        }
        guard let require, report.share.value < require.share else { return status }
        Console.fail(
            "\(report.share.text), less than --require \(require.text); "
                + PlanCoverage.Share.missing(report.neverSeen)
        )
        return status == .done ? .findings : status
    }

    /// The comparison, with the status of its input.
    private func compared() async throws -> (report: CoverageReport, status: ExitStatus) {
        let plan = try plan.map { try PlanFile.read($0) }
        if let plan, readsFile {
            var coverage = PlanCoverage(plan)
            let lines = try EventLines.read(input ?? "-") { event, line in
                let time = PlanJudge.time(of: event)
                coverage.add(event, at: PlanCoverage.Sighting(sequence: Int64(line), receivedAt: time))
            }
            return (CoverageReport(coverage), lines.report())
        }
        let source = try options.source.source(plan: plan)
        let reader = CollectorReader(source: source, query: EventQuery(form: .clickstream))
        let report =
            if let plan, case .collector = source {
                try await Self.report(on: reader, plan)
            } else {
                // The reader of a file compares the events itself, as a collector does.
                try CoverageReport(reply: try await reader.body("/api/plan", []), from: source)
            }
        if report.total == 0 { Console.note(try await reader.noMatch()) }
        return (report, .done)
    }

    /// The comparison of a collector's events with another plan than its own.
    private static func report(on reader: CollectorReader, _ plan: TrackingPlan) async throws -> CoverageReport {
        var coverage = PlanCoverage(plan)
        let progress = ProgressLine("event")
        defer { progress?.end() }
        try await reader.stored { event in
            coverage.add(
                event.judgedEvent,
                at: PlanCoverage.Sighting(sequence: event.key.sequence, receivedAt: event.receivedAt)
            )
            progress?.advance()
        }
        return CoverageReport(coverage)
    }
}
