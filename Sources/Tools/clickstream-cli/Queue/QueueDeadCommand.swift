import ArgumentParser
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges

/// `queue dead`: dead letters, the events that the server refused permanently, each with the reason.
struct QueueDeadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead",
        abstract: "Shows and manages dead letters: events that a server rejected permanently.",
        discussion: "Without ids, requeue and purge apply to all dead letters.",
        subcommands: [
            DeadListCommand.self, DeadShowCommand.self, DeadRequeueCommand.self, DeadPurgeCommand.self,
        ]
    )
}

/// `queue dead ls`: dead letters, one per line.
struct DeadListCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists dead letters and the reasons, oldest first."
    )

    @OptionGroup
    var options: QueueOptions

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        var list = ResultList(format)
        for letter in try store.deadLetters() { try list.add(letter.human, or: letter.members) }
        try list.end()
        return .done
    }
}

/// `queue dead show ID…`: complete events of dead letters.
struct DeadShowCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows dead letters: those with the given ids, or all."
    )

    @OptionGroup
    var selection: EventIDArguments

    @OptionGroup
    var options: QueueOptions

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        var list = ResultList(format)
        for letter in try store.deadLetters(selection.ids) {
            try list.add(
                "\(letter.human)\n\(letter.event.indented())",
                or: letter.members + [JSONMember("event", letter.event)]
            )
        }
        try list.end()
        return .done
    }
}

/// `queue dead requeue ID…`: moves dead letters back to the queue.
struct DeadRequeueCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "requeue",
        abstract: "Moves dead letters back to the queue, to be sent by the next flush."
    )

    @OptionGroup
    var selection: EventIDArguments

    @OptionGroup
    var options: QueueOptions

    func validate() throws {
        guard options.form == .clickstream || selection.ids.isEmpty else {
            throw ValidationError("--form \(options.form.rawValue) requeues all dead letters of the queue; give no ids")
        }
    }

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        let ids = try Set(store.deadLetters(selection.ids).map(\.eventID))
        let count = try store.requeueDeadLetters(ids)
        try Console.print(
            "\(Plural.events(count)) moved back to the queue in \(store.folder)",
            or: [.number("requeued", count)],
            as: format
        )
        return .done
    }
}

/// `queue dead purge ID…`: removes dead letters permanently.
struct DeadPurgeCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Removes dead letters permanently.",
        discussion: ConfirmationOptions.discussion
    )

    @OptionGroup
    var selection: EventIDArguments

    @OptionGroup
    var confirmation: ConfirmationOptions

    @OptionGroup
    var options: QueueOptions

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        let ids = try Set(store.deadLetters(selection.ids).map(\.eventID))
        let deletion = "remove \(Plural.count(ids.count, "dead letter")) of \(store.configuration.appID)"
        guard try confirmation.confirm(deletion) else { return .done }
        let count = try store.folderToRead().deadLetters.remove(ids).count
        try Console.print(
            "\(Plural.events(count)) removed from \(store.folder)",
            or: [.number("purged", count)],
            as: format
        )
        return .done
    }
}

extension StoreOfApp {
    /// Returns dead letters to the queue of ``form``, and returns their number.
    fileprivate func requeueDeadLetters(_ ids: Set<String>) throws -> Int {
        guard let format = form.wireFormat else {
            var opened = try open()
            defer { opened.close() }
            return try opened.requeueDeadLetters(ids)
        }
        let client = try client(as: .delivery) { if case .warning(let warning) = $0 { Console.warn(warning.message) } }
        defer { client.terminate() }
        client.withAccess { access, _ in
            access.open(Destination(format: format, appID: configuration.appID, endpoint: ""))
        }
        return try client.requeueDeadLetters(format: format.name)
    }

    /// Dead letters, oldest first: all, or those whose id starts with one of the prefixes.
    /// - Throws: ``CommandFailure`` with status 66 if no event has an id with that prefix.
    func deadLetters(_ beginnings: [String] = []) throws(CommandFailure) -> [DeadLetter] {
        let folder = try folderToRead()
        let letters = try CommandFailure.of { () throws(StoreError) in try folder.deadLetters.all() }
        guard !beginnings.isEmpty else { return letters }
        let wanted = beginnings.map { $0.uppercased() }
        let unknown = wanted.filter { beginning in !letters.contains { $0.eventID.uppercased().hasPrefix(beginning) } }
        guard unknown.isEmpty else {
            throw CommandFailure(
                .inputMissing,
                "no dead letter in \(self.folder) has an id that starts with \(unknown.joined(separator: ", ")); "
                    + "'clickstream-cli queue dead ls' lists them"
            )
        }
        return letters.filter { letter in wanted.contains { letter.eventID.uppercased().hasPrefix($0) } }
    }
}

extension DeadLetter {
    /// The event as sent; a string if it is not valid JSON.
    fileprivate var event: JSONValue {
        do {
            return try JSONReader.parse(json)
        } catch {
            return JSONValue(.string(String(decoding: json, as: UTF8.self)))
        }
    }

    fileprivate var human: String {
        let name = Console.harmless(eventName.isEmpty ? "(no name)" : eventName)
        return
            "\(setAside)  \(status)  \(eventID)  \(name)  after \(Plural.count(attempts, "attempt")): \(Console.harmless(reason))"
    }

    fileprivate var members: [JSONMember] {
        [
            .text(FieldName.eventID, eventID), .text(FieldName.eventType, eventName),
            .time(FieldName.timestamp, timestamp),
            .time("set_aside", setAside), .number("status", status), .number("attempts", attempts),
            .text("reason", reason), .number("bytes", json.count),
        ]
    }
}
