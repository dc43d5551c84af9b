#if Tools
import ArgumentParser
import ClickstreamCore

/// `queue`: an app's queue on disk, without the app.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Inspects and repairs an app's event queue on disk.",
        discussion: """
            ls, stats, show, export and verify only read and take no lock. repair and purge skip the events of running \
            processes.
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
    @Option(help: "Format of the results: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    var formatInUse: OutputFormat { format ?? (Console.isTerminal ? .human : .json) }

    /// Every id begins with nothing: an empty one, as a script's variable may be, would mean all of them.
    static func refuseEmpty(_ ids: [String]) throws {
        if ids.contains("") {
            throw ValidationError("an event id is empty; use the first digits of an id, or no id for all")
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
    /// Runs an operation on a store, with the store's error as the command's failure.
    static func of<Result: ~Copyable>(_ body: () throws(StoreError) -> Result) throws(CommandFailure) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw CommandFailure(error)
        }
    }
}
#endif
