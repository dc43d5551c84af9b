import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import Glibc

/// `mcp`: serves the events of a collector to an assistant, by the Model Context Protocol.
struct MCPCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serves the events of a collector to an assistant in an editor (Model Context Protocol).",
        discussion: """
            Reads messages of JSON-RPC from standard input and writes the responses to standard output, one on each line, until \
            the end of the input. The tools only read: \(MCPTools.all.map(\.name).joined(separator: ", ")). A collector that is \
            not running is reported when a tool is called.
            """
    )

    @OptionGroup
    var source: SourceOptions

    @Option(
        help: ArgumentHelp(
            "Tracking plan of check_plan for a store; a running collector has its own.",
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml", "json"]),
        transform: String.trimmedArgument
    )
    var plan: String?

    @Option(help: "Maximum size of a result, such as 64KiB (the default).")
    var maxResultBytes: ByteCountOption?

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    /// Valid values of --max-result-bytes: a smaller result has no event, a larger one fits no assistant.
    private static let resultBytes = 4_096...16_777_216

    func validate() throws {
        try ValidationError.refuseEmpty("--plan", plan, name: "a file")
        if plan != nil, source.store == nil {
            throw ValidationError("--plan needs --store; start the collector itself with --plan FILE")
        }
        if plan == "-" { throw ValidationError("--plan cannot be standard input, which has the messages; name a file") }
        if let bytes = maxResultBytes?.bytes, !Self.resultBytes.contains(bytes) {
            throw ValidationError("--max-result-bytes must be from 4KiB to 16MiB, not \(bytes) bytes")
        }
    }

    func execute() async throws -> ExitStatus {
        let plan = try plan.map { try PlanFile.read($0) }
        let events = try source.source(plan: plan, followsReplacement: true)
        let reader = CollectorReader(source: events, query: EventQuery())
        let context = MCPContext(maxBytes: maxResultBytes?.bytes ?? MCPContext.defaultBytes) {
            try await reader.body($0, $1, silence: $2)
        }
        if isatty(STDIN_FILENO) == 1 {
            Console.note("waiting for messages of JSON-RPC; an editor starts this command with pipes")
        }
        try await MCPServer.serve(context: context)
        return .done
    }
}
