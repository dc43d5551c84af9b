import ArgumentParser
import ClickstreamCore

/// `flush`: sends pending events and reports the outcome.
struct FlushCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Sends the pending events of an app's queue.",
        discussion: """
            Includes events of the app's processes that have ended. Exits with 0 if no event is left; 75 if events are kept \
            for a later attempt; 69 if the server cannot be reached, or a web page came in place of its response; 78 if the \
            endpoint, the app id or the cookie is wrong; 124 if the deadline has passed. Without --deadline it stops at the \
            first failure; with --deadline it retries.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(help: ArgumentHelp("How long to retry, such as 30s.", valueName: "duration"))
    var deadline: DurationOption?

    @Option(help: "Format of the report: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    func execute() async throws -> ExitStatus {
        try await FlushRun(self).run()
    }
}
