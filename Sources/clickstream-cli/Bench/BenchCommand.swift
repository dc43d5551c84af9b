#if Tools
import ArgumentParser
import ClickstreamCore

/// `bench`: what the library costs on this machine.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures what recording, storing and delivering cost on this machine.",
        discussion: """
            Records events with the real client into a fresh store on disk, one after the other on one thread, opens that \
            store again, and delivers all of it over real HTTP to a collector in this process. Build with -c release: \
            a debug build says nothing.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(help: "How many events.")
    var events = 20_000

    @Option(
        help: ArgumentHelp(
            "In which folder the store is made, to choose the disk; removed at the end.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var storage: String?

    @Option(help: "How to write the report: human (default on a terminal), ndjson, json.")
    var format: OutputFormat?

    func validate() throws {
        if storage?.isEmpty == true { throw ValidationError("--storage is empty; name a folder, or leave it out") }
        if !(1...10_000_000).contains(events) {
            throw ValidationError("--events must be between 1 and 10000000, not \(events)")
        }
    }

    func run() async throws {
        let command = self
        try await StopSignal.command {
            let report = try await BenchRun(command).run()
            let isHuman = (command.format ?? (Console.isTerminal ? .human : .json)) == .human
            try Console.print(isHuman ? report.human : report.json)
            return .done
        }
    }
}
#endif
