import ArgumentParser
import ClickstreamCore

/// `doctor`: checks the environment of an app on this machine.
struct DoctorCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks configuration, folders, locks, clock and endpoint, and explains how to fix problems.",
        discussion: """
            Changes nothing, takes no lock and sends no event. Exits with 0 if events can be recorded and sent (warnings do \
            not count), with 78 if the configuration prevents it, with 1 if something else does.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(help: "Format of the findings: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    func execute() async throws -> ExitStatus {
        var findings = MachineCheck.findings()
        let configuration = ConfigurationCheck(store)
        findings += configuration.findings
        if let store = configuration.store {
            findings += StorageCheck(store).findings
            findings += await EndpointCheck(store.configuration).findings()
        }
        try Self.print(findings, format.inUse)
        let problems = findings.filter { $0.level == .problem }
        if problems.contains(where: { $0.area == .configuration }) { return .configuration }
        return problems.isEmpty ? .done : .findings
    }

    private static func print(_ findings: [DoctorFinding], _ format: OutputFormat) throws {
        let style = Style(isColoured: Console.usesColour)
        var list = ResultList(format)
        for finding in findings {
            let lines = finding.lines(in: style, width: Console.columns)
            try list.add(lines.joined(separator: "\n"), or: finding.members)
        }
        try list.end()
        guard format == .human else { return }
        let problems = findings.count { $0.level == .problem }
        let warnings = findings.count { $0.level == .warning }
        try Console.print(
            problems + warnings == 0
                ? "no problems" : "\(Plural.count(problems, "problem")), \(Plural.count(warnings, "warning"))"
        )
    }
}

/// Result of one check.
struct DoctorFinding: Sendable, Hashable {
    enum Level: String, Sendable, Hashable {
        case ok
        /// Cannot be checked, or does not apply.
        case skipped
        /// Works, but probably not as intended.
        case warning
        /// Prevents events from being recorded or sent.
        case problem
    }

    enum Area: String, Sendable, Hashable {
        case machine
        case configuration
        case storage
        case store
        case locks
        case clock
        case endpoint
    }

    var level: Level
    var area: Area
    /// The finding, in a sentence.
    var what: String
    /// The file, folder, variable or address concerned.
    var location: String?
    /// The consequence.
    var why: String?
    /// The advice.
    var next: String?

    init(
        _ level: Level,
        _ area: Area,
        _ what: String,
        at location: String? = nil,
        why: String? = nil,
        next: String? = nil
    ) {
        self.level = level
        self.area = area
        self.what = what
        self.location = location
        self.why = why
        self.next = next
    }

    /// `{ "level", "area", "what", "where", "why", "next" }`.
    var members: [JSONMember] {
        [
            .text("level", level.rawValue), .text("area", area.rawValue), .text("what", what), .text("where", location),
            .text("why", why), .text("next", next),
        ]
    }

    /// - Parameter width: columns of the terminal, for which texts are wrapped; nil for any width.
    func lines(in style: Style, width: Int? = nil) -> [String] {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let mark = padded(level.rawValue, 7)
        let shown =
            switch level {
            case .ok: style.good(mark)
            case .skipped: style.faint(mark)
            case .warning, .problem: style.warning(mark)
            }
        let indent = String(repeating: " ", count: 24)
        func rows(_ text: String, _ start: String, indent: String) -> [String] {
            let rows = Table.wrapped(Console.escaped(text), to: (width ?? .max) - indent.count)
            return rows.enumerated().map { ($0 == 0 ? start : indent) + $1 }
        }
        var lines = rows(what, "\(shown)  \(padded(area.rawValue, 13))  ", indent: indent)
        for (label, text) in [("where", level == .ok ? nil : location), ("why", why), ("next", next)] {
            guard let text else { continue }
            lines += rows(
                text,
                indent + style.faint(padded(label, 7)),
                indent: indent + String(repeating: " ", count: 7)
            )
        }
        return lines
    }
}
