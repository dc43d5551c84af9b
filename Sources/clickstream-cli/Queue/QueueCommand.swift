#if Tools
import ArgumentParser
import ClickstreamCore

/// `queue`: an app's queue on disk, without the app.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Looks into an app's queue on disk, and puts it in order.",
        discussion: """
            ls, stats, show, export and verify only read: nothing is locked or written, whatever processes are running. \
            repair and purge leave what belongs to running processes alone.
            """,
        subcommands: [
            QueueListCommand.self, QueueStatsCommand.self, QueueShowCommand.self, QueueExportCommand.self,
            QueueVerifyCommand.self, QueueRepairCommand.self, QueueImportCommand.self, QueuePurgeCommand.self,
            QueueDeadCommand.self,
        ]
    )
}

/// The options of all commands on a queue.
struct QueueOptions: ParsableArguments {
    @Option(help: "How to write the results: human (default on a terminal), ndjson, json.")
    var format: OutputFormat?

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    var formatInUse: OutputFormat { format ?? (Console.isTerminal ? .human : .json) }

    /// Every id begins with nothing: an empty one, as a script's variable may be, would mean all of them.
    static func refuseEmpty(_ ids: [String]) throws {
        if ids.contains("") {
            throw ValidationError("an event id is empty; give the beginning of an id, or none for all")
        }
    }
}

extension StoreOfApp {
    /// The store's folder, to be looked at.
    /// - Throws: ``CommandFailure`` with status 66 when there is no store.
    func folderToRead() throws(CommandFailure) -> StoreFolder {
        guard try exists() else { throw CommandFailure(.inputMissing, missing) }
        return try CommandFailure.of { () throws(StoreError) in
            try StoreFolder(LocalFileSystem(), existing: folder)
        }
    }
}

extension CommandFailure {
    /// Does something with a store; what the store says is the command's failure.
    static func of<Result: ~Copyable>(_ body: () throws(StoreError) -> Result) throws(CommandFailure) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw CommandFailure(error)
        }
    }
}
#endif
