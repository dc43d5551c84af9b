#if Tools
import ArgumentParser
import ClickstreamCore

/// `queue dead`: the events that a server will never take, put aside with the reason.
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

/// `queue dead ls`: one line for each.
struct DeadListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists dead letters and the reasons, oldest first."
    )

    @OptionGroup
    var options: QueueOptions

    func run() async throws {
        let command = self
        try await StopSignal.command {
            let format = command.options.formatInUse
            var list = ResultList(isArray: format == .json)
            for letter in try command.options.store.place().deadLetters() {
                if format == .human {
                    try ResultStream.standard.write(line: Array(letter.human.utf8))
                } else {
                    try list.add(letter.members)
                }
            }
            if format == .human { try ResultStream.standard.flush() } else { try list.end() }
            return .done
        }
    }
}

/// `queue dead show ID…`: whole events.
struct DeadShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows dead letters: those with the given ids, or all."
    )

    @Argument(help: "Event ids, or their first digits.")
    var ids: [String] = []

    @OptionGroup
    var options: QueueOptions

    func validate() throws {
        try QueueOptions.refuseEmpty(ids)
    }

    func run() async throws {
        let command = self
        try await StopSignal.command {
            let format = command.options.formatInUse
            var list = ResultList(isArray: format == .json)
            for letter in try command.options.store.place().deadLetters(command.ids) {
                if format == .human {
                    try Console.print("\(letter.human)\n\(letter.event.indented())")
                } else {
                    try list.add(letter.members + [JSONMember("event", letter.event)])
                }
            }
            if format != .human { try list.end() }
            return .done
        }
    }
}

/// `queue dead requeue ID…`: puts them into the queue again.
struct DeadRequeueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requeue",
        abstract: "Moves dead letters back to the queue, to be sent by the next flush."
    )

    @Argument(help: "Event ids, or their first digits (default: all).")
    var ids: [String] = []

    @OptionGroup
    var options: QueueOptions

    func validate() throws {
        try QueueOptions.refuseEmpty(ids)
    }

    func run() async throws {
        let command = self
        try await StopSignal.command {
            let store = try command.options.store.place()
            let ids = try Set(store.deadLetters(command.ids).map(\.eventID))
            let count = try CommandFailure.of { () throws(StoreError) in
                var opened = try EventStore(
                    files: LocalFileSystem(),
                    root: store.root,
                    destination: Destination(store.configuration),
                    limits: QueueLimits(store.configuration)
                )
                defer { opened.close() }
                return try opened.requeueDeadLetters(ids)
            }
            try Console.print(
                command.options.formatInUse == .human
                    ? "\(Plural.events(count)) moved back to the queue in \(store.folder)"
                    : JSONValue(.object([.number("requeued", count)])).description
            )
            return .done
        }
    }
}

/// `queue dead purge ID…`: removes them for good.
struct DeadPurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Removes dead letters permanently.",
        discussion: """
            Asks for confirmation unless --yes is given; --yes is required if standard input or standard error is not a \
            terminal.
            """
    )

    @Argument(help: "Event ids, or their first digits (default: all).")
    var ids: [String] = []

    @Flag(help: "Remove without confirmation; required without a terminal.")
    var yes = false

    @OptionGroup
    var options: QueueOptions

    func validate() throws {
        try QueueOptions.refuseEmpty(ids)
    }

    func run() async throws {
        let command = self
        try await StopSignal.command {
            let store = try command.options.store.place()
            let ids = try Set(store.deadLetters(command.ids).map(\.eventID))
            let app = store.configuration.appID
            guard try command.yes || Console.confirm("remove \(Plural.count(ids.count, "dead letter")) of \(app)")
            else {
                Console.log("nothing removed")
                return .done
            }
            let folder = try store.folderToRead()
            let count = try CommandFailure.of { () throws(StoreError) in try folder.deadLetters.remove(ids).count }
            try Console.print(
                command.options.formatInUse == .human
                    ? "\(Plural.events(count)) removed from \(store.folder)"
                    : JSONValue(.object([.number("purged", count)])).description
            )
            return .done
        }
    }
}

extension StoreOfApp {
    /// The events that were put aside, oldest first: all, or those of which a beginning of the id is given.
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
    /// The event as it would be sent; as a text what is no JSON.
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
            .text("event_id", eventID), .text("event_type", eventName), .time("timestamp", timestamp),
            .time("set_aside", setAside), .number("status", status), .number("attempts", attempts),
            .text("reason", reason), .number("bytes", json.count),
        ]
    }
}
#endif
