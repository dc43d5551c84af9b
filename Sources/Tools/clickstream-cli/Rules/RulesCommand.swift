import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// `rules`: prints the table of codes and limits that the library executes.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Prints the table of error codes and limits."
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable {
        case human
        case markdown
        case json
    }

    @Option(help: "Format of the table: human (default on a terminal), markdown, json (default otherwise).")
    var format: Format?

    func run() throws {
        let text =
            switch format ?? (Console.isTerminal ? .human : .json) {
            case .human: Rules.human(width: Console.columns)
            case .markdown: Rules.markdown
            case .json: Rules.json
            }
        try Console.print(text)
    }
}

/// `explain CODE`: meaning of a code, an example, and a fix.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains an error code, with an example and a fix."
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Argument(help: "A code such as 2003, or etl_future.", completion: .list(ExplainCommand.codes))
    var code: String

    static let codes = Rules.codes + LineRule.all.map(\.code) + PlanCode.allCases.map(\.rawValue)

    func run() throws {
        try Console.print(Table.wrapped(linesOf: try Self.explanation(of: code), to: Console.columns))
    }

    /// The explanation of a code.
    /// - Throws: ``CommandFailure`` for a code that is none of ``codes``.
    static func explanation(of code: String) throws(CommandFailure) -> String {
        guard let text = Rules.explain(code) ?? LineRule.explain(code) ?? PlanCode.explain(code) else {
            throw unknown(code)
        }
        return text
    }

    /// Failure for a code that is none of ``codes``, with the nearest one.
    static func unknown(_ code: String) -> CommandFailure {
        let nearest = Suggestion.nearest(to: code, among: codes).map { "did you mean '\($0)'?" }
        let advice = nearest ?? "'clickstream-cli rules' lists all codes"
        return CommandFailure(.usage, "unknown error code '\(Console.escaped(code))'; \(advice)")
    }
}
