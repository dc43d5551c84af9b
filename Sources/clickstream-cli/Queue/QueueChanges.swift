#if Tools
import ArgumentParser
import ClickstreamCore

/// `queue import FILE|-`: puts events in wire form into the queue, as `queue export` printed them.
struct QueueImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds events that 'queue export' printed to the queue, unchanged.",
        discussion: """
            Ids and timestamps stay the same, so that the server recognizes duplicates. Events that are already pending are \
            skipped; events of another app are rejected.
            """
    )

    @Argument(help: "A file of events in wire form, one per line, or - for standard input.", completion: .file())
    var input: String

    @OptionGroup
    var options: QueueOptions

    func run() async throws {
        let command = self
        try await StopSignal.command {
            var run = QueueImport(try command.options.store.place())
            return try run.run(command.input, isHuman: command.options.formatInUse == .human)
        }
    }
}

/// One call of `queue import`.
private struct QueueImport {
    private let store: StoreOfApp
    private var imported = 0
    private var skipped = 0

    init(_ store: StoreOfApp) {
        self.store = store
    }

    mutating func run(_ input: String, isHuman: Bool) throws -> ExitStatus {
        let reader = try LineReader(input)
        var known = Set<String>()
        if try store.exists() {
            try store.eachPendingEvent { event in
                if let id = PendingSummary.id(of: event) { known.insert(id) }
            }
        }
        let configuration = store.configuration
        let root = store.root
        var queue = try CommandFailure.of { () throws(StoreError) in
            try EventStore(
                files: LocalFileSystem(),
                root: root,
                destination: Destination(configuration),
                limits: QueueLimits(configuration)
            )
        }
        defer { queue.close() }
        var lineErrors = LineErrors(of: reader.name, outcome: "not imported")
        var evicted = 0
        while let line = try reader.next() {
            switch Self.read(line, of: reader.name, appID: configuration.appID) {
            case .bad(let reason): lineErrors.add([reason])
            case .event(let id, let timestamp, let bytes):
                guard known.insert(id).inserted else {
                    skipped += 1
                    continue
                }
                do throws(FileError) {
                    try queue.append(bytes, isActive: false, timestamp: timestamp)
                } catch {
                    throw CommandFailure(
                        ExitStatus(error),
                        "\(Plural.events(imported)) imported; line \(line.number) not imported: \(error)"
                    )
                }
                imported += 1
                evicted += queue.takeEvictions().reduce(0) { $0 + $1.events }
            }
        }
        if evicted > 0 { Console.warn("the store is full: removed \(Plural.events(evicted, "older unsent"))") }
        lineErrors.printTotal("correct and import them again")
        try Console.print(
            isHuman
                ? "\(Plural.events(imported)) imported into \(store.folder), \(skipped) already there"
                : JSONValue(
                    .object([
                        .number("imported", imported), .number("skipped", skipped),
                        .number("bad_lines", lineErrors.lines),
                        .number("evicted", evicted),
                    ])
                ).description
        )
        return lineErrors.isEmpty ? .done : .badData
    }

    /// Content of a line.
    private enum Reading {
        case event(id: String, Timestamp, bytes: [UInt8])
        case bad(String)
    }

    private static func read(_ line: LineReader.Line, of input: String, appID: String) -> Reading {
        func bad(_ column: Int, _ reason: String) -> Reading {
            .bad("\(input):\(line.number):\(column): \(reason) (line not imported)")
        }
        guard let bytes = line.bytes else { return bad(1, "the line is longer than \(LineReader.longestLine) bytes") }
        let json: JSONValue
        do {
            json = try JSONReader.parse(bytes)
        } catch {
            return bad(SourcePosition(of: error.offset, in: bytes).column, "not JSON: \(error.reason)")
        }
        guard json.members != nil else { return bad(1, "the event is \(json.kindDescription), not an object") }
        guard let id = json["event_id"]?.string, !id.isEmpty, json["event_type"]?.string?.isEmpty == false,
            let timestamp = json["timestamp"]?.integer, let owner = json["app_id"]?.string
        else {
            return bad(1, "not an event in wire form: event_id, event_type, app_id and timestamp are required")
        }
        guard owner == appID else {
            return bad(1, "the event belongs to app \(Characters.reported(owner)), not to \(appID); check --app-id")
        }
        return .event(id: id, Timestamp(milliseconds: timestamp), bytes: bytes)
    }
}

/// `queue purge`: removes what waits, unsent.
struct QueuePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Removes all pending events without sending them.",
        discussion: """
            Keeps events of running processes. Asks for confirmation unless --yes is given; --yes is required if standard \
            input or standard error is not a terminal.
            """
    )

    @Flag(help: "Remove without confirmation; required without a terminal.")
    var yes = false

    @OptionGroup
    var options: QueueOptions

    func run() async throws {
        let command = self
        try await StopSignal.command {
            let store = try command.options.store.place()
            let folder = try store.folderToRead()
            let (app, count) = (store.configuration.appID, store.pendingEvents ?? 0)
            guard try command.yes || Console.confirm("remove \(Plural.events(count, "unsent")) of \(app)") else {
                Console.log("nothing removed")
                return .done
            }
            var purged = 0
            for run in try CommandFailure.of({ () throws(StoreError) in try folder.adoptable() }) {
                purged += try CommandFailure.of { () throws(StoreError) in
                    var (runFolder, _) = try RunFolder.open(LocalFileSystem(), path: run.path, lock: run.lock)
                    let events = runFolder.purge()
                    if let error = runFolder.booksError { throw error }
                    return events
                }
                run.lock.unlock()
            }
            let left = store.pendingEvents ?? 0
            try Console.print(
                command.options.formatInUse == .human
                    ? "\(Plural.events(purged)) removed from \(store.folder)"
                    : JSONValue(.object([.number("purged", purged), .number("in_use", left)])).description
            )
            guard left > 0 else { return .done }
            throw CommandFailure(
                .temporaryFailure,
                "\(Plural.events(left)) in \(store.folder) kept for running processes; stop those processes and purge again"
            )
        }
    }
}
#endif
