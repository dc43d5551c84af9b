import ArgumentParser
import ClickstreamCore
import ClickstreamJudges

/// `queue`: an app's queue on disk, without the app.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Inspects and repairs an app's event queue on disk.",
        discussion: """
            ls, stats, show, export and verify only read and take no lock. repair and purge skip the events of running \
            processes. Events of other formats than clickstream have queues of their own, which --form selects; verify and \
            repair apply to all of them.
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

    @Option(help: "Queue of the events in this format: \(CapturedFormat.namesAfterDefault()).")
    var form = CapturedFormat.clickstream

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    /// The store, with the queue of the chosen format.
    func queue() throws(CommandFailure) -> StoreOfApp {
        var location = try store.location()
        location.form = form
        return location
    }
}

/// A command on the queue of one app.
protocol QueueSubcommand: InterruptibleCommand {
    var options: QueueOptions { get }

    /// Runs the command and returns its exit status.
    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus
}

extension QueueSubcommand {
    func execute() async throws -> ExitStatus {
        try run(on: options.queue(), options.format.inUse)
    }
}

/// The argument of all commands that select events.
struct EventIDArguments: ParsableArguments {
    @Argument(help: "Event ids, or their first digits.")
    var ids: [String] = []

    /// Refuses an empty id, such as an unset variable of a script: it is a prefix of every id.
    func validate() throws {
        if ids.contains("") {
            throw ValidationError("an event id is empty; use the first digits of an id, or no id for all")
        }
    }
}

/// The option of all commands that remove events.
struct ConfirmationOptions: ParsableArguments {
    @Flag(help: "Remove without confirmation; required without a terminal.")
    var yes = false

    static let discussion = """
        Asks for confirmation unless --yes is given; --yes is required if standard input or standard error is not a \
        terminal.
        """

    /// Returns true if the deletion is confirmed by the option or on the terminal.
    func confirm(_ deletion: String) throws -> Bool {
        if try yes || Console.confirm(deletion) { return true }
        Console.log("nothing removed")
        return false
    }
}

extension StoreOfApp {
    /// The store's folder with the queue of ``form``, opened for inspection.
    /// - Throws: ``CommandFailure`` with status 66 if there is no store, or no such queue.
    func folderToRead() throws(CommandFailure) -> StoreFolder {
        guard try exists() else { throw CommandFailure(.inputMissing, missing) }
        let queue = try CommandFailure.of { () throws(StoreError) in
            try StoreFolder(LocalFileSystem(), existing: folder).queue(of: form)
        }
        if let queue { return queue }
        throw CommandFailure(
            .inputMissing,
            "no queue of \(form.rawValue) events in \(folder); 'clickstream-cli queue stats' lists the queues"
        )
    }

    /// True if the store has the queue of ``form``.
    func hasQueue() throws(CommandFailure) -> Bool {
        try CommandFailure.of { () throws(StoreError) in
            try StoreFolder(LocalFileSystem(), existing: folder).queue(of: form) != nil
        }
    }

    /// The store, opened for changes.
    /// - Parameter limitsAge: false for an import, which keeps events of any age.
    func open(limitsAge: Bool = true) throws(StoreError) -> EventStore {
        var limits = QueueLimits(configuration)
        if !limitsAge { limits.maxAge = nil }
        return try EventStore(
            files: LocalFileSystem(),
            root: root,
            destination: Destination(configuration),
            limits: limits
        )
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
