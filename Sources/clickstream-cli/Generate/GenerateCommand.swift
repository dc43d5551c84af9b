#if Tools
import ArgumentParser
import ClickstreamCore

/// `generate`: synthetic traffic of a shop's users, through the real client.
struct GenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Sends synthetic traffic: users of a shop, by the real client over real HTTP.",
        discussion: """
            Each user has a device, visits, screens, purchases and logins of its own, on a clock of its own that ends about \
            now; who has lived through two days is followed by another. The same seed gives the same users. Without \
            --endpoint it goes to a collector in this process, and what that stored is printed.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(help: "Send to this server (http or https) rather than to a collector in this process.")
    var endpoint: String?

    @Flag(help: "Print each event as one line of JSON, as fast as possible; send nothing.")
    var dryRun = false

    @Option(
        help: "How many events to record, such as 100/s, 5/m; or max.",
        completion: .list(["100/s", "1000/s", "max"])
    )
    var rate = Rate.perSecond(100)

    @Option(help: "How long; 30s when --events does not say when to end.")
    var duration: DurationOption?

    @Option(
        help: "End once exactly so many events are recorded."
    )
    var events: Int?

    @Option(help: "So many users at a time.")
    var users = 10

    @Option(help: "How likely an event that the app records breaks a rule, from 0 to 1.")
    var invalid = 0.0

    @Option(help: "How likely a request is delivered twice, from 0 to 1.")
    var duplicate = 0.0

    @Option(help: "Everything follows from it.")
    var seed: UInt64 = 1

    @Option(name: .customLong("app-id"), help: "Whose events they are.")
    var appID = "shop"

    @Option(help: "How to write the report: human (default on a terminal), ndjson, json.")
    var format: OutputFormat?

    func validate() throws {
        if dryRun, endpoint != nil {
            throw ValidationError("--dry-run sends nothing and cannot be combined with --endpoint")
        }
        if dryRun, duplicate > 0 { throw ValidationError("--duplicate repeats requests; --dry-run sends none") }
        if dryRun, plannedEvents == nil {
            throw ValidationError("--dry-run with --rate max needs --events N")
        }
        if let events, events < 1 { throw ValidationError("--events must be an integer from 1, not \(events)") }
        if !(1...10_000).contains(users) {
            throw ValidationError("--users must be between 1 and 10000, not \(users)")
        }
        for (name, value) in [("--invalid", invalid), ("--duplicate", duplicate)] where !(0...1).contains(value) {
            throw ValidationError("\(name) must be between 0 and 1, not \(value)")
        }
        if let duration, duration.milliseconds < 1 {
            throw ValidationError("--duration must be longer than 0, such as 30s")
        }
        if appID.isEmpty { throw ValidationError("--app-id is empty; name an app, or leave it out") }
        guard let endpoint else { return }
        do {
            _ = try Endpoint(endpoint)
        } catch {
            throw ValidationError("--endpoint: \(error)")
        }
    }

    func run() async throws {
        let command = self
        try await StopSignal.command {
            try await GenerateRun(command).run()
        }
    }

    /// When it ends at the latest, in milliseconds; `nil` when the number of events says it.
    var longest: Int64? { duration?.milliseconds ?? (events == nil ? 30_000 : nil) }

    /// How many events that makes; `nil` when time alone says when it ends.
    var plannedEvents: Int? {
        guard let longest, let perSecond = rate.perSecond else { return events }
        let inTime = max(1, Int(min(perSecond * Double(longest) / 1_000, 1e15)))
        return min(events ?? inTime, inTime)
    }
}

/// So many events in a time: `100/s`, `2.5/s`, `30/m`, `100` (a second), `max`.
enum Rate: ExpressibleByArgument, Sendable, Hashable {
    case max
    case perSecond(Double)

    init?(argument: String) {
        if argument == "max" {
            self = .max
            return
        }
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let number = Double(parts[0]), number > 0, number <= 1e9 else {
            RefusedValue.refuse(argument, Self.form)
            return nil
        }
        switch parts.dropFirst().first {
        case nil, "s": self = .perSecond(number)
        case "m", "min": self = .perSecond(number / 60)
        case "h": self = .perSecond(number / 3_600)
        default:
            RefusedValue.refuse(argument, Self.form)
            return nil
        }
    }

    private static let form = "needs events per time, such as 100/s, 30/m or 10/h, or max"

    /// As it is written on the command line.
    var defaultValueDescription: String {
        switch self {
        case .max: "max"
        case .perSecond(let number): "\(Int(exactly: number).map { "\($0)" } ?? "\(number)")/s"
        }
    }

    /// `nil` for as many as possible.
    var perSecond: Double? {
        guard case .perSecond(let number) = self else { return nil }
        return number
    }
}
#endif
