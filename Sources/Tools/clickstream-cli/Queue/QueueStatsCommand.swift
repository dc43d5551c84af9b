import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import ClickstreamStores

/// `queue stats`: counts of a store's events by outcome.
struct QueueStatsCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Counts pending events, and the outcomes of all events ever recorded."
    )

    @OptionGroup
    var options: QueueOptions

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        let stats = try QueueStats(of: store)
        try Console.print(stats.human, or: stats.members, as: format)
        return .done
    }
}

/// Sum of the ledgers of all run folders.
struct QueueStats {
    private let store: StoreOfApp
    private var ledger = Ledger()
    private var runs: [(number: Int, pending: Int, pendingBytes: Int, storedBytes: Int, segments: Int)] = []
    private var deadLetters: Int
    private var oldest: Timestamp?
    private var newest: Timestamp?
    /// The store's other queues, with their pending events.
    private var others: [(form: CapturedFormat, events: Int)] = []

    init(of store: StoreOfApp) throws {
        self.store = store
        let folder = try store.folderToRead()
        deadLetters = try store.deadLetters().count
        for (number, run, _) in try folder.snapshots() {
            ledger += run.ledger
            runs.append((number, run.pendingEvents, run.pendingBytes, run.storedBytes, run.segments.count))
            newest = run.segments.compactMap(\.newest).reduce(newest) { max($0 ?? $1, $1) }
        }
        if pending > 0 {
            var events = try folder.pendingEvents()
            oldest = try events.next()?.timestamp
        }
        for form in CapturedFormat.allCases where form != store.form {
            var other = store
            other.form = form
            if try other.hasQueue() { others.append((form, other.pendingEvents ?? 0)) }
        }
    }

    private var pending: Int { runs.reduce(0) { $0 + $1.pending } }
    private var pendingBytes: Int { runs.reduce(0) { $0 + $1.pendingBytes } }
    private var storedBytes: Int { runs.reduce(0) { $0 + $1.storedBytes } }
    /// True if every recorded event has exactly one outcome, or is pending.
    private var addsUp: Bool { ledger.recorded == ledger.settled + pending }

    /// The rejected events by the code of the rule, or the HTTP status, that refused them.
    private var rejections: [(code: Int, events: Int)] {
        ledger.rejections.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The events that middleware dropped or changed, by its name.
    private var middleware: [(name: String, count: Ledger.MiddlewareCount, members: [JSONMember])] {
        ledger.middleware.sorted { $0.key < $1.key }.map { name, count in
            (name, count, [.number("dropped", count.dropped), .number("changed", count.changed)])
        }
    }

    private static func name(_ outcome: EventOutcome) -> String {
        outcome.rawValue.split(separator: "-").joined(separator: "_")
    }

    var members: [JSONMember] {
        let pendingOthers = others.filter { $0.events > 0 }
        var members: [JSONMember] = [
            .text("app_id", store.configuration.appID), .text("store", store.folder),
            .text("form", store.form.rawValue), .number("recorded", ledger.recorded),
            .number("pending", pending),
        ]
        members += EventOutcome.allCases.map { .number(Self.name($0), ledger[$0]) }
        members += [
            .object("rejected_by_code", rejections.map { .number("\($0.code)", $0.events) }),
            JSONMember("middleware", .object(middleware.map { JSONMember($0.name, .object($0.members)) })),
            JSONMember("adds_up", .boolean(addsUp)), .number("pending_bytes", pendingBytes),
            .number("stored_bytes", storedBytes), .number("max_store_bytes", store.configuration.maxStoreBytes),
            .number("dead_letters", deadLetters),
            .time("oldest", oldest), .time("newest", newest),
            JSONMember("other_queues", .object(pendingOthers.map { .number($0.form.rawValue, $0.events) })),
            JSONMember(
                "runs",
                .array(
                    runs.map { run in
                        JSONValue(
                            .object([
                                .number("run", run.number), .number("pending", run.pending),
                                .number("pending_bytes", run.pendingBytes), .number("segments", run.segments),
                            ])
                        )
                    }
                )
            ),
        ]
        return members
    }

    var human: String {
        var rows = [["recorded", "\(ledger.recorded)"], ["pending", "\(pending)"]]
        for outcome in EventOutcome.allCases where ledger[outcome] > 0 {
            rows.append([outcome.rawValue, "\(ledger[outcome])"])
            if outcome == .rejected { rows += rejections.map { ["  for \($0.code)", "\($0.events)"] } }
            if outcome == .middlewareDropped {
                rows += middleware.filter { $0.count.dropped > 0 }.map { ["  by \($0.name)", "\($0.count.dropped)"] }
            }
        }
        let kind = store.form == .clickstream ? "" : ", \(store.form.rawValue) events"
        var lines = ["\(store.configuration.appID) in \(store.folder)\(kind)"] + Table(rows, rightAligned: [1]).lines
        if !addsUp { lines.append("  the counts are inconsistent; run 'clickstream-cli queue verify'") }
        lines.append("")
        lines.append(
            "  \(Plural.count(pendingBytes, "byte")) pending; files: \(storedBytes) of \(store.configuration.maxStoreBytes) bytes"
        )
        if deadLetters > 0 {
            lines.append("  \(Plural.count(deadLetters, "dead letter")); see 'clickstream-cli queue dead ls'")
        }
        if let oldest, let newest { lines.append("  from \(oldest) to \(newest)") }
        for (form, events) in others {
            lines.append(
                "  \(Plural.events(events, "pending")) in the queue \(form.rawValue); see --form \(form.rawValue)"
            )
        }
        lines +=
            Table(
                runs.map {
                    [
                        "run \($0.number)", "\($0.pending) pending", "\($0.pendingBytes) bytes",
                        Plural.count($0.segments, "file"),
                    ]
                },
                rightAligned: [1, 2, 3]
            ).lines
        return lines.joined(separator: "\n")
    }
}
