#if Collector
import ArgumentParser
import CClickstreamSystem
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import Foundation

/// `collect`: the local collector. Ends with a signal, a limit, or the command after `--`.
struct CollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect",
        abstract: "Runs the local collector: receives, checks and shows the events that apps send.",
        discussion: """
            Prints its addresses at the start and a summary at the end. With -- COMMAND it runs that command with \
            CLICKSTREAM_ENDPOINT in the environment, stops when the command ends, and exits with its status; with 1 if \
            that is 0 but an expectation (--event, --no-errors, --no-duplicates) failed.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(
        help: "The address to listen on. Any other than a loopback address is reachable from other machines.",
        completion: .list(["127.0.0.1", "0.0.0.0"])
    )
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            """
            A host name accepted for the query API, beside localhost, IP addresses and this machine's name. Repeatable; \
            also a list with commas in CLICKSTREAM_ALLOW_HOST.
            """,
            valueName: "name"
        ),
        transform: String.trimmedArgument
    )
    var allowHost: [String] = []

    @Option(help: "The port to listen on; 0 chooses a free one.", transform: Int.numberArgument)
    var port = 9_090

    @Option(help: "The path that receives events.")
    var path = "/collect"

    @Option(
        help: "The SQLite file for what is received (default: a temporary file).",
        completion: .file(),
        transform: String.trimmedArgument
    )
    var store: String?

    @Option(
        help: ArgumentHelp(
            "Maximum number of events of a \(CapturedFormat.batchTitle) batch; more are findings.",
            valueName: "n"
        ),
        transform: Int.numberArgument
    )
    var batchSize = 50

    @Option(help: "Accept only this app id. Repeatable.", transform: String.trimmedArgument)
    var appID: [String] = []

    @Option(help: "Accept only requests with this cookie.", transform: String.trimmedArgument)
    var authCookie: String?

    @Option(
        help: ArgumentHelp(
            """
            Accept events of pages of this origin, such as https://shop.example or 'https://*.shop.example'; '*' for every \
            origin. Repeatable.
            """,
            valueName: "origin"
        ),
        transform: String.trimmedArgument
    )
    var corsOrigin: [String] = []

    @Option(
        help: "A folder for a copy of all requests, in files like those of the published server's S3 sink.",
        completion: .directory,
        transform: String.trimmedArgument
    )
    var archive: String?

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp(
            """
            Import events or requests, one per line, before anything else: a file, also with gzip, the folder of an archive, \
            or - for standard input. Repeatable.
            """,
            valueName: "file"
        ),
        completion: .file(),
        transform: String.trimmedArgument
    )
    var imports: [String] = []

    @Option(help: "Maximum size of the store, such as 500MB; the oldest requests are removed.")
    var maxStoreBytes: ByteCountOption?

    @Option(help: "Remove requests older than this, such as 72h.")
    var maxAge: DurationOption?

    @Flag(help: "Open the inspector in the browser.")
    var open = false

    @Option(
        help: "Exit with status 0 after this number of events (good, bad or duplicate; of any format).",
        transform: Int.numberArgument
    )
    var once: Int?

    @Option(help: "Exit after this time, such as 30s; with --once, with status 124 if too few events were received.")
    var timeout: DurationOption?

    @Option(
        help: """
            Inject a fault: 503 (all requests), 503:0.3 (30 % of them), 503:1:5 (the first five). Instead of a status: \
            reset-before, reset-during, reset-after, truncate, slow, no-reply, twice. Repeatable.
            """,
        completion: .list([
            "503", "503:0.3", "503:1:5", "reset-before", "reset-during", "reset-after", "truncate", "slow", "no-reply",
            "twice",
        ])
    )
    var fail: [FaultOption] = []

    @Option(
        help: "The Retry-After header of the statuses of --fail: seconds, or a date.",
        transform: String.trimmedArgument
    )
    var retryAfter: String?

    @Option(help: "Delay of every response, such as 200ms.")
    var latency: DurationOption?

    @Option(
        help: "Seed of the random choices of --fail, to repeat a run.",
        transform: UInt64.numberArgument
    )
    var seed: UInt64?

    @Flag(help: "Exit with status 1 if an event with an error or an unreadable body was received.")
    var noErrors = false

    @Option(
        help: ArgumentHelp(
            "Forward stored requests to Kafka through these brokers, such as localhost:9092. Needs the trait Kafka.",
            valueName: "brokers"
        )
    )
    var kafka: String?

    @Option(help: "The topic for --kafka.")
    var kafkaTopic = "clickstream"

    @Option(help: "A librdkafka setting for --kafka, such as security.protocol=ssl. Repeatable.")
    var kafkaOption: [SettingOption] = []

    @OptionGroup(title: "Expectations, checked at the end")
    var expected: ExpectationOptions

    @Option(help: "Format of the results: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    @Argument(parsing: .postTerminator, help: "A command to run with the collector, after --.", completion: .file())
    var command: [String] = []

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be between 0 and 65535, not \(port)")
        }
        do throws(CollectorError) {
            for origin in corsOrigin { _ = try OriginPattern(origin) }
        } catch {
            throw ValidationError(error.description)
        }
        try expected.validateStrict(checksErrors: noErrors)
        if appID.contains("") { throw ValidationError("--app-id is empty; leave it out to accept every app") }
        if authCookie == "" { throw ValidationError("--auth-cookie is empty; leave it out to accept every client") }
        try ValidationError.refuseBelowOne("--batch-size", batchSize)
        try ValidationError.refuseBelowOne("--once", once)
        if retryAfter != nil, !fail.contains(where: { if case .status = $0.fault.effect { true } else { false } }) {
            throw ValidationError("--retry-after needs --fail with a status, such as --fail 503")
        }
        if let retryAfter, !CollectorFault.isRetryAfter(retryAfter) {
            throw ValidationError(
                "--retry-after must be a number of seconds or a date such as 'Sun, 06 Nov 1994 08:49:37 GMT', not "
                    + "'\(Console.escaped(retryAfter))'"
            )
        }
        try ImportInput.validate(imports, archive: archive, plan: expected.plan.path)
        if once != nil, !command.isEmpty {
            throw ValidationError("--once cannot be combined with -- COMMAND: the collector ends with the command")
        }
    }

    func run() async throws {
        expected.warnOfNumberLikeTexts()
        clickstream_return_large_blocks()
        let signals = StopSignal()
        let run = try CollectRun(self)
        do {
            let status = try await signals.run { try await run.run() }
            // A signal hides the outcome of expectations, but not that there is none.
            if status == ExitStatus.unfinished.rawValue { throw ExitCode(status) }
            throw ExitCode(signals.status?.rawValue ?? status)
        } catch is CancellationError {
            throw ExitCode((signals.status ?? .interrupted).rawValue)
        }
    }

    /// Environment variable with further names of `--allow-host`, separated by commas, for container
    /// images: they have options of their own.
    private static let hostsVariable = "CLICKSTREAM_ALLOW_HOST"

    /// The names in the environment variable.
    static func allowedHosts(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> Set<String> {
        let names = (environment[hostsVariable] ?? "").split(separator: ",").map(\.withoutOuterWhiteSpace)
        let wanted = Set(names.filter { !$0.isEmpty })
        if let name = wanted.sorted().first(where: { !CollectorConfiguration.isHostName($0) }) {
            throw CommandFailure(
                .configuration,
                "\(hostsVariable) must be names without a port, separated by commas, such as collector, not "
                    + "'\(Console.escaped(name))'; correct it, or unset it"
            )
        }
        return wanted
    }

    var collectorConfiguration: CollectorConfiguration {
        var faults = fail.map { option in
            var fault = option.fault
            if let retryAfter, case .status(let status, _) = fault.effect {
                fault.effect = .status(status, retryAfter: retryAfter)
            }
            return fault
        }
        if let latency { faults.append(CollectorFault(.latency(.milliseconds(latency.milliseconds)))) }
        var configuration = CollectorConfiguration(
            host: host,
            port: port,
            storePath: store,
            appIDs: Set(appID),
            authCookie: authCookie,
            path: path,
            corsOrigins: Set(corsOrigin),
            batchSize: batchSize,
            archive: archive,
            maxStoreBytes: maxStoreBytes?.bytes,
            maxAge: maxAge.map { .milliseconds($0.milliseconds) },
            faults: faults,
            faultSeed: seed
        )
        configuration.allowedHosts = Set(allowHost)
        configuration.kafka = kafka.map { brokers in
            KafkaDestination(
                brokers: brokers,
                topic: kafkaTopic,
                settings: Dictionary(kafkaOption.map { ($0.name, $0.value) }) { $1 }
            )
        }
        return configuration
    }
}

/// A fault such as `503:0.3` on the command line.
struct FaultOption: ExpressibleByArgument, Sendable, Hashable {
    var fault: CollectorFault

    init?(argument: String) {
        let text = argument.withoutOuterWhiteSpace
        guard let fault = CollectorFault(text: text) else {
            RefusedValue.refuse(argument, Self.reason(text), as: .value)
            return nil
        }
        self.fault = fault
    }

    private static func reason(_ text: String) -> String {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let forms = "use FAULT, FAULT:RATE or FAULT:RATE:TIMES, such as 503, 503:0.3 or 503:1:5"
        guard CollectorFault(text: parts.first ?? "") != nil else {
            return
                "no such fault; use a status from 200 to 599, reset-before, reset-during, reset-after, truncate, slow, "
                + "no-reply or twice"
        }
        guard parts.count <= 3 else { return "too many parts; \(forms)" }
        if parts.count > 1, !(Double(parts[1]).map { (0...1).contains($0) } ?? false) {
            let count = parts.count == 2 ? Int(parts[1]).flatMap { $0 > 1 ? $0 : nil } : nil
            let example = count.map { "; for the first \($0) requests write \(parts[0]):1:\($0)" } ?? "; \(forms)"
            return "the rate must be between 0 and 1" + example
        }
        return "the number of times must be an integer from 1; \(forms)"
    }
}

/// A setting such as `security.protocol=ssl` on the command line.
struct SettingOption: ExpressibleByArgument, Sendable, Hashable {
    var name: String
    var value: String

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else {
            RefusedValue.refuse(argument, "needs NAME=VALUE, such as security.protocol=ssl")
            return nil
        }
        name = String(argument[..<sign])
        value = String(argument[argument.index(after: sign)...])
    }
}
#else
import ArgumentParser

/// `collect` in a build without the trait `Collector`.
struct CollectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect",
        abstract: "Runs the local collector (not in this build)."
    )

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() throws {
        throw BuildTrait.collector.missing("cannot run a collector")
    }
}
#endif
