import ArgumentParser
import ClickstreamCore
import ClickstreamJudges

/// `queue import FILE
/// -`: adds events in wire form, as printed by `queue export`, to the queue.
struct QueueImportCommand: QueueSubcommand {
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

    func validate() throws {
        guard options.form == .clickstream else {
            throw ValidationError(
                "--form \(options.form.rawValue): only events of the clickstream format can be imported"
            )
        }
    }

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        var run = QueueImport(store)
        return try run.run(input, format)
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

    mutating func run(_ input: String, _ format: OutputFormat) throws -> ExitStatus {
        let reader = try LineReader(input)
        var known = Set<String>()
        if try store.exists() {
            try store.eachPendingEvent { event in
                if let id = PendingSummary.id(of: event) { known.insert(id) }
            }
        }
        var queue = try store.open()
        defer { queue.close() }
        var lineErrors = LineErrors(of: reader.name, outcome: "not imported")
        var evicted = 0
        while let line = try reader.next() {
            switch Self.read(line, of: reader.name, appID: store.configuration.appID) {
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
            "\(Plural.events(imported)) imported into \(store.folder), \(skipped) already there",
            or: [
                .number("imported", imported), .number("skipped", skipped), .number("bad_lines", lineErrors.lines),
                .number("evicted", evicted),
            ],
            as: format
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
            if let error = runFolder.booksError { throw error }
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
