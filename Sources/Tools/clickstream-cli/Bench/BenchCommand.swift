import ArgumentParser
import ClickstreamCore

/// `bench`: cost of the library on this machine.
struct BenchCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the cost of recording, storing and delivering events on this machine.",
        discussion: """
            Records events with the real client into a new store on disk, one after the other on one thread, reopens the \
            store, and delivers all events over HTTP to a collector in this process. Use a release build (-c release): \
            figures of a debug build are meaningless.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(help: "Number of events.", transform: Int.numberArgument)
    var events = 20_000

    @Option(
        help: ArgumentHelp(
            "The folder for the store, to choose the disk; the store is removed at the end.",
            valueName: "dir"
        ),
        completion: .directory,
        transform: String.trimmedArgument
    )
    var storage: String?

    @Option(help: "Format of the report: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    func validate() throws {
        try ValidationError.refuseEmpty("--storage", storage, name: "a folder")
        if !(1...10_000_000).contains(events) {
            throw ValidationError("--events must be between 1 and 10000000, not \(events)")
        }
    }

    func execute() async throws -> ExitStatus {
        let report = try await BenchRun(self).run()
        let isHuman = format.inUse == .human
        try Console.print(isHuman ? report.human : report.json)
        guard EmbeddedCollector.isAvailable else {
            throw BuildTrait.collector.missing("cannot measure the delivery to a collector in this process")
        }
        return .done
    }
}
