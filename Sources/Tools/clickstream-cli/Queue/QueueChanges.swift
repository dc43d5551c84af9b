import ArgumentParser
import ClickstreamCore
import ClickstreamJudges

/// `queue import FILE|-`: adds events in wire form, as printed by `queue export`, to the queue.
struct QueueImportCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds events that 'queue export' printed to the queue, unchanged.",
        discussion: """
            Ids and timestamps stay the same, so that the server recognizes duplicates. Events that are already pending are \
            skipped; events of another app are rejected. Stops with 73 before the store exceeds its limits, and prints the line \
            to continue from.
            """
    )

    @Argument(help: "A file of events in wire form, one per line, or - for standard input.", completion: .file())
    var input: String

    @Flag(help: "Remove the oldest unsent events while the store is full, instead of stopping.")
    var evict = false

    @OptionGroup
    var options: QueueOptions

    func validate() throws {
        guard options.form == .clickstream else {
            throw ValidationError(
                "--form \(options.form.rawValue): only events of the clickstream format can be imported"
            )
        }
    }

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        var run = try QueueImport(input, to: store, evicts: evict)
        return try run.run(format)
    }
}

/// One call of `queue import`.
private struct QueueImport {
    /// An event to import.
    private struct Event {
        var line: Int
        var bytes: [UInt8]
        var timestamp: Timestamp
    }

    private let store: StoreOfApp
    private let evicts: Bool
    private let reader: LineReader
    private let progress: LineProgress?
    private var lineErrors: LineErrors
    /// Ids of the pending events and of the events read so far.
    private var known: Set<String> = []
    private var imported = 0
    private var skipped = 0
    private var evicted = 0
    /// The first event that was not imported because the store is full.
    private var rejected: Event?

    init(_ input: String, to store: StoreOfApp, evicts: Bool) throws {
        self.store = store
        self.evicts = evicts
        reader = try LineReader(input)
        progress = LineProgress(of: reader)
        lineErrors = LineErrors(of: reader.name, outcome: "not imported")
    }

    mutating func run(_ format: OutputFormat) throws -> ExitStatus {
        if try store.exists() {
            try store.eachPendingEvent { event in
                if let id = PendingSummary.id(of: event) { known.insert(id) }
            }
        }
        do {
            defer { progress?.end() }
            // Without an event to import, no store is created.
            if let first = try nextEvent() { try append(from: first) }
        }
        if evicted > 0 { Console.warn("the store is full: removed \(Plural.events(evicted, "older unsent"))") }
        lineErrors.printTotal("correct and import them again")
        try Console.print(
            "\(Plural.events(imported)) imported into \(store.folder), \(skipped) already there",
            or: [
                .number("imported", imported), .number("skipped", skipped), .number("bad_lines", lineErrors.lines),
                .number("evicted", evicted),
                rejected.map { .number("next_line", $0.line) } ?? .text("next_line", nil),
            ],
            as: format
        )
        if let rejected { throw isFull(before: rejected) }
        return lineErrors.isEmpty ? .done : .badData
    }

    /// Appends an event and all further ones, until the store is full.
    private mutating func append(from first: Event) throws {
        var queue = try store.open(limitsAge: false)
        defer { queue.close() }
        var next: Event? = first
        while let event = next {
            if !evicts, !queue.hasCapacity(forJSON: event.bytes.count) {
                rejected = event
                return
            }
            do throws(FileError) {
                try queue.append(event.bytes, isActive: false, timestamp: event.timestamp)
            } catch {
                throw CommandFailure(
                    ExitStatus(error),
                    "\(Plural.events(imported)) imported; line \(event.line) not imported: \(error)"
                )
            }
            imported += 1
            evicted += queue.takeEvictions().reduce(0) { $0 + $1.events }
            next = try nextEvent()
        }
    }

    /// The next event that is not pending; `nil` at the end of the input. Prints the errors of the lines before it.
    private mutating func nextEvent() throws -> Event? {
        while let line = try reader.next() {
            progress?.advance(reader)
            switch Self.read(line, of: reader.name, appID: store.configuration.appID) {
            case .bad(let reason): lineErrors.add([reason])
            case .event(let id, let timestamp, let bytes):
                if known.insert(id).inserted { return Event(line: line.number, bytes: bytes, timestamp: timestamp) }
                skipped += 1
            }
        }
        return nil
    }

    /// Failure of an import that stopped before an event.
    private func isFull(before event: Event) -> CommandFailure {
        let configuration = store.configuration
        let (line, size) = (event.line, event.bytes.count)
        if size >= configuration.maxStoreBytes {
            return CommandFailure(
                .cannotCreate,
                "line \(line) of \(reader.name) has \(Plural.count(size, "byte")), and the whole store at most "
                    + "\(configuration.maxStoreBytes) (maxStoreBytes): imported the lines before it; raise the limit, or "
                    + "remove the line, and import from line \(line) on"
            )
        }
        let limits =
            "maxStoreBytes \(configuration.maxStoreBytes)"
            + (configuration.maxStoreEvents.map { ", maxStoreEvents \($0)" } ?? "")
        return CommandFailure(
            .cannotCreate,
            "\(store.folder) is full (\(limits)): read \(Plural.count(line - 1, "line")) of \(reader.name), not line "
                + "\(line) and the lines after it; send events with 'clickstream-cli flush' or raise the limit, and import "
                + "from line \(line) on, or pass --evict to remove the oldest events"
        )
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
        guard let id = json[FieldName.eventID]?.string, !id.isEmpty,
            json[FieldName.eventType]?.string?.isEmpty == false,
            let timestamp = json[FieldName.timestamp]?.integer, let owner = json[FieldName.appID]?.string
        else {
            return bad(1, "not an event in wire form: event_id, event_type, app_id and timestamp are required")
        }
        guard owner == appID else {
            return bad(1, "the event belongs to app \(Characters.reported(owner)), not to \(appID); check --app-id")
        }
        return .event(id: id, Timestamp(milliseconds: timestamp), bytes: bytes)
    }
}

/// `queue purge`: removes pending events without sending them.
struct QueuePurgeCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Removes all pending events without sending them.",
        discussion: "Keeps events of running processes. \(ConfirmationOptions.discussion)"
    )

    @OptionGroup
    var confirmation: ConfirmationOptions

    @OptionGroup
    var options: QueueOptions

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        let folder = try store.folderToRead()
        let events = Plural.events(store.pendingEvents ?? 0, "unsent")
        guard try confirmation.confirm("remove \(events) of \(store.configuration.appID)") else { return .done }
        var purged = 0
        for run in try folder.adoptable() {
            var (runFolder, _) = try RunFolder.open(LocalFileSystem(), path: run.path, lock: run.lock)
            purged += runFolder.purge()
            if let error = runFolder.manifestError { throw error }
            run.lock.unlock()
        }
        let left = store.pendingEvents ?? 0
        try Console.print(
            "\(Plural.events(purged)) removed from \(store.folder)",
            or: [.number("purged", purged), .number("in_use", left)],
            as: format
        )
        guard left > 0 else { return .done }
        throw CommandFailure(
            .temporaryFailure,
            "\(Plural.events(left)) in \(store.folder) kept for running processes; stop those processes and purge again"
        )
    }
}
