import ArgumentParser
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges
import ClickstreamStores

/// `queue ls`: the pending events, oldest first.
struct QueueListCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists pending events, oldest first."
    )

    @Option(help: "Maximum number of events.", transform: Int.numberArgument)
    var limit: Int?

    @OptionGroup
    var options: QueueOptions

    func validate() throws {
        try ValidationError.refuseBelowOne("--limit", limit)
    }

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        var list = ResultList(format)
        var isEmpty = true
        try store.eachPendingEvent(limit: limit) { event in
            isEmpty = false
            let summary = PendingSummary(event)
            try list.add(summary.human, or: summary.members)
        }
        try list.end()
        if isEmpty { Console.note("no pending \(store.form.rawValue) events in \(store.folder)") }
        if format == .human { store.noteOtherQueues() }
        return .done
    }
}

/// `queue show ID…`: whole events, for a person.
struct QueueShowCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows pending events: those with the given ids, or the oldest."
    )

    @OptionGroup
    var selection: EventIDArguments

    @OptionGroup
    var options: QueueOptions

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        let prefixes = selection.ids.map { $0.uppercased() }
        var missing = Set(prefixes)
        var list = ResultList(format)
        try store.eachPendingEvent(limit: prefixes.isEmpty ? 1 : nil) { event in
            let id = PendingSummary.id(of: event)?.uppercased() ?? ""
            let matches = prefixes.filter { id.hasPrefix($0) }
            guard prefixes.isEmpty || !matches.isEmpty else { return }
            missing.subtract(matches)
            let summary = PendingSummary(event)
            try list.add(summary.whole, or: summary.membersWithEvent)
        }
        try list.end()
        guard missing.isEmpty else {
            throw CommandFailure(
                .inputMissing,
                "no pending event in \(store.folder) has an id that starts with "
                    + "\(missing.sorted().joined(separator: ", ")); 'clickstream-cli queue ls' lists them"
            )
        }
        return .done
    }
}

/// `queue export`: the pending events as they would be sent.
struct QueueExportCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints all pending events as NDJSON, oldest first.",
        discussion: "Each line is an event as it is sent to the server. The events stay in the queue."
    )

    @Option(help: "Queue of the events in this format: \(CapturedFormat.namesAfterDefault()).")
    var form = CapturedFormat.clickstream

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    func execute() async throws -> ExitStatus {
        var queue = try store.location()
        queue.form = form
        try queue.eachPendingEvent { try ResultStream.standard.write(line: $0.json) }
        try ResultStream.standard.flush()
        return .done
    }
}

extension StoreOfApp {
    /// Reads every pending event, oldest first. Takes no lock.
    func eachPendingEvent(limit: Int? = nil, _ body: (PendingEvent) throws -> Void) throws {
        let folder = try folderToRead()
        var events = try folder.pendingEvents()
        var left = limit ?? .max
        while left > 0, let record = try events.next() {
            try Task.checkCancellation()
            for event in form == .audit ? record.auditEvents : [record] where left > 0 {
                try body(event)
                left -= 1
            }
        }
    }

    /// Prints which other queues of the store have pending events.
    func noteOtherQueues() {
        let others = otherPendingEvents.map { "\($0.form.rawValue) (\($0.events))" }
        guard !others.isEmpty else { return }
        Console.note("the store also has pending events in \(others.joined(separator: ", ")); --form selects a queue")
    }
}

extension PendingEvent {
    /// The events of a stored scope, which is one record: a list of events separated by commas.
    fileprivate var auditEvents: [PendingEvent] {
        let body = [UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]
        // A damaged record is listed as a whole.
        guard let ranges = try? JSONReader.elements(of: body[...]) else { return [self] }
        return ranges.map { range in
            var event = self
            event.json = Array(body[range])
            return event
        }
    }
}

/// Description of one pending event.
struct PendingSummary {
    private let event: PendingEvent
    private let json: JSONValue?

    init(_ event: PendingEvent) {
        self.event = event
        // A record with a valid checksum and invalid JSON has no name and no id.
        json = try? JSONReader.parse(event.json)
    }

    static func id(of event: PendingEvent) -> String? {
        PendingSummary(event).id
    }

    /// Name and identifier under the names that the formats have for them.
    private var name: String? {
        (json?[FieldName.eventType] ?? json?["event"] ?? json?["ea"])?.plainText
    }

    private var id: String? { (json?[FieldName.eventID] ?? json?["_id"] ?? json?["euid"])?.plainText }

    var human: String {
        let bytes = "\(event.json.count)"
        let padding = String(repeating: " ", count: max(0, 7 - bytes.count))
        return "\(event.timestamp)  \(padding)\(bytes) B  \(id ?? "(no id)")  \(Console.harmless(name ?? "(no name)"))"
    }

    var members: [JSONMember] {
        [
            .text(FieldName.eventID, id), .text(FieldName.eventType, name), .time(FieldName.timestamp, event.timestamp),
            .number("bytes", event.json.count), .number("run", event.run), .text("file", event.file),
            .number("sequence", event.sequence),
        ]
    }

    var membersWithEvent: [JSONMember] {
        members + [json.map { JSONMember("event", $0) } ?? .text("event", String(decoding: event.json, as: UTF8.self))]
    }

    /// The file and record of the event, then its JSON on several lines.
    var whole: String {
        let heading = "\(event.file), record \(event.sequence), \(event.json.count) bytes, \(event.timestamp)"
        return "\(heading)\n\(json?.indented() ?? String(decoding: event.json, as: UTF8.self))"
    }
}
