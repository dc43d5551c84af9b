import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// `generate`: synthetic traffic of a shop's users, through the real client.
struct GenerateCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Sends synthetic traffic of a shop's users, with the real client over HTTP.",
        discussion: """
            Each simulated user has a device, visits, screens, purchases, logins, and a clock that ends at about the \
            current time; after two simulated days a new user replaces it. The same seed gives the same users. Without \
            --endpoint, events are sent to a collector in this process, and a summary of what it stored is printed.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(
        help: "Send to this server (http or https) instead of a collector in this process.",
        transform: String.trimmedArgument
    )
    var endpoint: String?

    @Option(
        help: """
            Also operate the shop's user interface with automatic capture, and record its events in this format: \
            \(CapturedFormat.names(CapturedFormat.recordedForms)). Repeatable. Sent to \
            \(String.list(CapturedFormat.recordedForms.map(\.path), "and")) beside the endpoint. With --dry-run, only \
            events of these formats are printed. --events counts the clickstream events.
            """,
        completion: .list(CapturedFormat.replayed),
        transform: CapturedFormat.replayedArgument
    )
    var form: [CapturedFormat] = []

    @Option(
        help: ArgumentHelp(
            "Generate the events of this tracking plan, in YAML or JSON, instead of the shop's.",
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml", "json"])
    )
    var plan: String?

    @Flag(help: "Record as the server of a web shop: events of visitors, through ServerEvents.")
    var server = false

    @Flag(help: "Print each event as one line of JSON, as fast as possible; send nothing.")
    var dryRun = false

    @Option(
        help: "Events per time, such as 100/s or 5/m, or max.",
        completion: .list(["100/s", "1000/s", "max"])
    )
    var rate = Rate.perSecond(100)

    @Option(help: "How long to run, such as 10s (default: 30s without --events).")
    var duration: DurationOption?

    @Option(help: "Exact number of events to record.", transform: Int.numberArgument)
    var events: Int?

    @Option(help: "Number of simultaneous users.", transform: Int.numberArgument)
    var users = 10

    @Option(
        help: "Probability that an event of the app breaks a rule, from 0 to 1.",
        transform: Double.numberArgument
    )
    var invalid = 0.0

    @Option(
        help: "Probability that a request is sent twice, from 0 to 1.",
        transform: Double.numberArgument
    )
    var duplicate = 0.0

    @Option(help: "Seed of all random choices.", transform: UInt64.numberArgument)
    var seed: UInt64 = 1

    @Option(
        name: .customLong("app-id"),
        help: "The app id of the events (default: shop).",
        transform: String.trimmedArgument
    )
    var appID = "shop"

    @Option(help: "Format of the report: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    func validate() throws {
        if dryRun, endpoint != nil {
            throw ValidationError("--dry-run sends nothing and cannot be combined with --endpoint")
        }
        if dryRun, duplicate > 0 { throw ValidationError("--duplicate repeats requests; --dry-run sends none") }
        if dryRun, plannedEvents == nil {
            throw ValidationError("--dry-run with --rate max needs --events N")
        }
        try ValidationError.refuseBelowOne("--events", events)
        if !(1...10_000).contains(users) {
            throw ValidationError("--users must be between 1 and 10000, not \(users)")
        }
        for (name, value) in [("--invalid", invalid), ("--duplicate", duplicate)] where !(0...1).contains(value) {
            throw ValidationError("\(name) must be between 0 and 1, not \(value)")
        }
        if let duration, duration.milliseconds < 1 {
            throw ValidationError("--duration must be longer than 0, such as 30s")
        }
        try ValidationError.refuseEmpty("--app-id", appID, name: "an app")
        try ValidationError.refuseEmpty("--plan", plan, name: "a file")
        if plan != nil, !capturedForms.isEmpty {
            throw ValidationError("--plan applies to clickstream events and cannot be combined with captured formats")
        }
        if server, plan != nil || !form.isEmpty {
            throw ValidationError(
                "--server records the shop's clickstream events and accepts neither --plan nor --form"
            )
        }
        try ValidationError.refuseInvalid(endpoint: endpoint)
    }

    func execute() async throws -> ExitStatus {
        try await GenerateRun(self, plan: sampler()).run()
    }

    /// Sampler of the events of `--plan`; `nil` without it.
    func sampler() throws -> PlanSampler? {
        guard let plan else { return nil }
        let sampler: PlanSampler
        do {
            sampler = try PlanSampler(try PlanFile.read(plan))
        } catch let error as PlanSampler.Unsatisfiable {
            throw CommandFailure(.badData, "\(InputFile.name(of: plan)): \(error)")
        }
        guard sampler.count > 0 else {
            throw CommandFailure(.badData, "\(InputFile.name(of: plan)) plans no event of the app; add one")
        }
        return sampler
    }

    /// The captured formats of ``form``.
    var capturedForms: Set<CapturedFormat> { Set(form.compactMap(\.captured)) }

    /// Longest duration in milliseconds; `nil` if the number of events decides.
    var longest: Int64? { duration?.milliseconds ?? (events == nil ? 30_000 : nil) }

    /// Number of events to record; `nil` if only the time decides.
    var plannedEvents: Int? {
        guard let longest, let perSecond = rate.perSecond else { return events }
        let inTime = max(1, Int(min(perSecond * Double(longest) / 1_000, 1e15)))
        return min(events ?? inTime, inTime)
    }
}

/// Events per time: `100/s`, `2.5/s`, `30/m`, `100` (per second), `max`.
enum Rate: ExpressibleByArgument, Sendable, Hashable {
    case max
    case perSecond(Double)

    init?(argument: String) {
        let text = argument.withoutOuterWhiteSpace
        if text == "max" {
            self = .max
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
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
