#if Tools
import ArgumentParser
import ClickstreamCore

/// `flush`: sends what is queued, and says what became of it.
struct FlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Sends the events that wait in an app's queue.",
        discussion: """
            Also those of the app's processes that are gone. Exits with 0 when nothing is left; 75 when events are kept for \
            another time; 69 when the server cannot be reached; 78 when the endpoint, the app id or the cookie is wrong; 124 \
            when the deadline has passed. Without --deadline it ends at the first failure; with it, it goes on trying.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(help: ArgumentHelp("How long to go on trying, such as 30s.", valueName: "duration"))
    var deadline: DurationOption?

    @Option(help: "How to write the report: human (default on a terminal), ndjson, json.")
    var format: OutputFormat?

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    func run() async throws {
        let command = self
        try await StopSignal.command {
            try await FlushRun(command).run()
        }
    }
}
#endif
