import ClickstreamCore
import ClickstreamJudges

/// One call of `validate --archive`.
struct ArchiveRun {
    private typealias Fate = PipelineVerdict.Fate

    /// The fates of events that have a row.
    private static let written: Set<Fate> = [.row, .merged]

    private let command: ValidateCommand
    private let format: OutputFormat
    private let style = Style(isColoured: Console.usesColour)
    private var judge: PipelineJudge
    private var list: ResultList
    private var report: MachineReport?
    private var requests = 0
    private var counts: [Fate: Int] = [:]
    /// Rows, and those that become one, with values that the pipeline cuts, changes or leaves out.
    private var changed = 0

    init(_ command: ValidateCommand) {
        self.command = command
        judge = command.archive.judge(now: SystemDependencies.time.now().wall)
        format = command.format.inUse
        list = ResultList(format)
        if command.report != nil { report = MachineReport(command: "validate") }
    }

    /// Judges all files. What is wrong with one does not end the run.
    /// - Parameter path: the folder of an archive, one in it, or a file.
    /// - Throws: the first failure to read a file, after the results.
    mutating func run(_ path: String) throws -> ExitStatus {
        var first: CommandFailure?
        do {
            for file in try ArchiveFolder.files(at: path) {
                do {
                    try check(try LineReader(file, acceptsGzip: true))
                } catch let failure as CommandFailure where failure.status != .readerLeft {
                    addToReport(failure, of: file)
                    if first != nil { Console.fail(failure.message) }
                    first = first ?? failure
                }
            }
        } catch {
            // Results are printed in any case; the error is reported by the caller.
            if report == nil { try? list.end() }
            throw error
        }
        try printResults()
        if let first { throw first }
        if requests == 0 { Console.warn("\(path) has no requests: the archive is empty") }
        return hasFailed ? .findings : .done
    }

    private mutating func printResults() throws {
        if let format = command.report {
            let rows = Self.written.reduce(0) { $0 + counts[$1, default: 0] }
            if rows > 0 { report?.passed.append("\(Plural.events(rows)) with rows") }
            if let text = report?.text(format), !text.isEmpty { try Console.print(text) }
        } else {
            try list.end()
            if format == .human { try Console.print(summary) }
        }
    }

    private var hasFailed: Bool {
        counts.keys.contains { !Self.written.contains($0) } || command.strict.isOn && changed > 0
    }

    /// `6 events in 2 requests: 4 row, 1 merged, 1 dropped; 1 with changed values`
    private var summary: String {
        let parts = Fate.allCases.compactMap { fate in counts[fate].map { "\($0) \(fate.rawValue)" } }
        let events = counts.values.reduce(0, +)
        let head = "\(Plural.events(events)) in \(Plural.count(requests, "request"))"
        let tail = changed > 0 ? "; \(changed) with changed values" : ""
        return parts.isEmpty ? head : "\(head): \(parts.joined(separator: ", "))\(tail)"
    }

    private mutating func check(_ reader: LineReader) throws {
        reader.isWaiting = { try ResultStream.standard.flush() }
        try reader.eachLine { line in
            requests += 1
            for verdict in verdicts(on: line) { try add(verdict, line: line.number, of: reader.name) }
        }
    }

    private mutating func verdicts(on line: LineReader.Line) -> [PipelineVerdict] {
        guard let bytes = line.bytes else {
            return [.tooLarge("the line has more than \(LineReader.longestLine) bytes")]
        }
        do throws(JSONError) {
            return judge.judge(try ArchivedRequest(bytes))
        } catch {
            return [error.kind == .depthExceeded ? .tooLarge("the line is nested too deeply") : .notJSON]
        }
    }

    private mutating func add(_ verdict: PipelineVerdict, line: Int, of file: String) throws {
        counts[verdict.fate, default: 0] += 1
        if !verdict.changes.isEmpty { changed += 1 }
        let location = "\(Console.harmless(file)):\(line)" + (verdict.index.map { "[\($0)]" } ?? "")
        if report != nil {
            addToReport(verdict, line, file, location)
        } else if format != .human || verdict.code != nil || !verdict.changes.isEmpty {
            let style = style
            try list.add(Self.text(verdict, location, style), or: Self.members(verdict, line, file))
        }
    }

    private static func text(_ verdict: PipelineVerdict, _ location: String, _ style: Style) -> String {
        let event = verdict.name.map { " \(Console.harmless(Characters.reported($0)))" } ?? ""
        guard let code = verdict.code else {
            return
                "\(location)\(event): \(verdict.fate.rawValue), changed [\(style.faint(verdict.changes.joined(separator: ", ")))]"
        }
        let message = Console.harmless(verdict.message ?? "")
        return "\(location)\(event): \(verdict.fate.rawValue): \(message) [\(style.warning(code))]"
    }

    private static func members(_ verdict: PipelineVerdict, _ line: Int, _ file: String) -> [JSONMember] {
        var members = [JSONMember.text("file", file), .number("line", line)]
        if let index = verdict.index { members.append(.number("index", index)) }
        if let id = verdict.eventID { members.append(.text("event_id", id)) }
        if let name = verdict.name { members.append(.text("event_type", name)) }
        if let time = verdict.timestamp { members.append(.number("timestamp", time)) }
        members.append(.text("fate", verdict.fate.rawValue))
        if let code = verdict.code { members += [.text("code", code), .text("message", verdict.message)] }
        if !verdict.changes.isEmpty { members.append(.list("changes", texts: verdict.changes)) }
        return members
    }

    private mutating func addToReport(_ verdict: PipelineVerdict, _ line: Int, _ file: String, _ location: String) {
        guard let code = verdict.code ?? verdict.changes.first else { return }
        let message =
            verdict.message ?? "values are cut, changed or left out: \(verdict.changes.joined(separator: ", "))"
        report?.add(
            MachineReport.Finding(
                code: code,
                isError: verdict.code != nil || command.strict.isOn,
                message: Console.harmless("\(verdict.fate.rawValue): \(message)"),
                test: location,
                file: file,
                line: line
            )
        )
    }

    private mutating func addToReport(_ failure: CommandFailure, of file: String) {
        report?.add(
            MachineReport.Finding(
                code: ValidateCommand.failureCode,
                isError: true,
                message: Console.harmless(failure.message),
                test: Console.harmless(file),
                file: file
            )
        )
    }
}
