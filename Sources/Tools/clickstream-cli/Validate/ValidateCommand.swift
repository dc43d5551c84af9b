import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// `validate FILE
/// -`: checks events, one per line, by the rules of the library and the server; `validate --archive FOLDER`: finds those of an archive
/// for which the published pipeline writes no row.
struct ValidateCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks events, one JSON object per line, against the rules.",
        discussion: """
            A line in wire form (with event_id, app_id, timestamp) is checked as the collector does, any other \
            ({ "event_type" or "name", "attributes", "items", "user" }) as the SDK does when the event is recorded. A line \
            that is not a JSON object is a finding too; the other lines are still checked. Exits with 1 if a finding is an \
            error; with --strict, also if one is a warning. 'clickstream-cli explain CODE' explains a code.

            With --archive instead of a file: shows what the published server's pipeline makes of each event in the requests of \
            an archive, as collect --archive and that server write it. Exits with 1 if it writes no row for one.
            """
    )

    /// Code of a failure to read the input, in reports for other programs.
    static let failureCode = "unreadable_input"

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Argument(help: "A file of events, or - for standard input.", completion: .file())
    var input: String?

    @OptionGroup(title: "Archives")
    var archive: ArchiveOptions

    @Option(
        help: """
            Format of the events: \(CapturedFormat.names()). Except for clickstream, also request bodies.
            """
    )
    var form = CapturedFormat.clickstream

    @OptionGroup
    var plan: PlanOption

    @Flag(help: "Also report what exceeds a suggested limit.")
    var suggestions = false

    @OptionGroup
    var strict: StrictOption

    @Option(help: "Format of the findings: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @Option(help: "Print a report for other programs instead: junit, github (annotations), sarif.")
    var report: ReportFormat?

    func validate() throws {
        if report != nil, format != nil { throw ValidationError("--report and --format cannot be combined") }
        if archive.folder == nil, input == nil {
            throw ValidationError("name a file of events, - for standard input, or --archive")
        }
        if archive.folder != nil {
            if input != nil { throw ValidationError("--archive replaces the file; name one of the two") }
            if form != .clickstream || plan.path != nil || suggestions {
                throw ValidationError("--archive cannot be combined with --form, --plan and --suggestions")
            }
        }
        if plan.path != nil, form != .clickstream {
            throw ValidationError("--plan applies to clickstream events; leave out --form \(form.rawValue)")
        }
        if plan.path == "-", input == "-" {
            throw ValidationError("standard input can be read only once; name - once")
        }
    }

    func execute() async throws -> ExitStatus {
        if let folder = archive.folder {
            var run = ArchiveRun(self)
            return try run.run(folder)
        }
        var run = try ValidateRun(self)
        return try run.run()
    }
}

/// One call of `validate`.
private struct ValidateRun {
    private let command: ValidateCommand
    private let input: String
    private let format: OutputFormat
    private let style = Style(isColoured: Console.usesColour)
    private let plan: PlanJudge?
    private var list: ResultList
    private var report: MachineReport?
    private var lines = 0
    private var badLines = 0
    /// Findings by their own severity.
    private var counts: [Violation.Severity: Int] = [:]
    /// True after a finding that makes the command fail.
    private var hasFailed = false

    init(_ command: ValidateCommand) throws {
        self.command = command
        input = command.input ?? "-"
        plan = try command.plan.judge()
        format = command.format.inUse
        list = ResultList(format)
        if command.report != nil { report = MachineReport(command: "validate") }
    }

    mutating func run() throws -> ExitStatus {
        let reader: LineReader
        do {
            reader = try LineReader(input)
        } catch {
            // The error is reported by the caller too.
            try? printReport(after: error)
            throw error
        }
        do {
            try check(reader)
        } catch {
            // Findings are printed in any case; the error is reported by the caller.
            if report == nil { try? list.end() } else { try? printReport(after: error) }
            throw error
        }
        if report == nil {
            try list.end()
        } else {
            let good = lines - badLines
            if good > 0 { report?.passed.append("\(Plural.events(good)) without findings") }
            try printReport()
        }
        if format == .human, report == nil { try Console.print("\(Plural.events(lines)): \(summary)") }
        if lines == 0 { Console.warn("\(reader.name) has no events: the input is empty") }
        return hasFailed ? .findings : .done
    }

    /// `2 errors, 1 warning in 3 events`
    private var summary: String {
        let parts = [Violation.Severity.error, .warning].compactMap { severity in
            counts[severity].map { Plural.count($0, severity.rawValue) }
        }
        return parts.isEmpty ? "no findings" : "\(parts.joined(separator: ", ")) in \(Plural.events(badLines))"
    }

    private mutating func check(_ reader: LineReader) throws {
        reader.isWaiting = { try ResultStream.standard.flush() }
        try reader.eachLine { line in
            lines += 1
            let found =
                command.form.captured.map { CapturedLineJudge.findings(on: line, $0) }
                ?? LineJudge.findings(on: line, reportsSuggestions: command.suggestions, plan: plan)
            if !found.isEmpty { badLines += 1 }
            for finding in found { try add(finding, line: line.number, of: reader.name) }
        }
    }

    /// Prints the report for other programs, if there is one, with a failure to read the input as its last finding. After a
    /// cancellation there is no report, since it would pass for a complete one.
    private mutating func printReport(after error: any Error) throws {
        guard let failure = CommandFailure(error) else { return }
        report?.add(
            MachineReport.Finding(
                code: ValidateCommand.failureCode,
                isError: true,
                message: Console.harmless(failure.message),
                test: "input",
                file: input == "-" ? "stdin" : input
            )
        )
        try printReport()
    }

    private func printReport() throws {
        guard let format = command.report, let text = report?.text(format), !text.isEmpty else { return }
        try Console.print(text)
    }

    private mutating func add(_ found: LineFinding, line: Int, of name: String) throws {
        let finding = found.finding
        let isError = command.strict.isError(finding.severity)
        counts[finding.severity, default: 0] += 1
        if isError { hasFailed = true }
        if report != nil {
            report?.add(
                MachineReport.Finding(
                    code: finding.code,
                    isError: isError,
                    message: Console.harmless(finding.message),
                    test: "line \(line)",
                    file: input == "-" ? "stdin" : name,
                    line: line,
                    column: found.column
                )
            )
            return
        }
        let code = finding.severity == .error ? style.warning(finding.code) : style.faint(finding.code)
        let location = "\(name):\(line)" + (found.column.map { ":\($0)" } ?? "")
        let text = "\(location): \(finding.severity.rawValue): \(Console.harmless(finding.message)) [\(code)]"
        var members = [
            JSONMember.number("line", line),
            Int64(finding.code).map { JSONMember.number("code", $0) } ?? JSONMember.text("code", finding.code),
            JSONMember.text("subject", finding.subject.rawValue),
            JSONMember.text("name", finding.name),
            JSONMember.text("message", (found.column == nil ? "" : "\(location): ") + finding.message),
        ]
        if finding.severity == .warning { members.append(.text("severity", finding.severity.rawValue)) }
        if found.unlisted > 0 { members.append(.number("unlisted_violations", found.unlisted)) }
        try list.add(text, or: members)
    }
}
