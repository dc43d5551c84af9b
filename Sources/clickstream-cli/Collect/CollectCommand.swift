#if Tools
import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamTools

/// `collect`: the local collector, until it is stopped, has what it waited for, or the command behind `--` has ended.
struct CollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect",
        abstract: "Runs the local collector: stores, judges and tells what apps send.",
        discussion: """
            Prints where it listens as soon as it does, and at its end what came. With -- COMMAND it runs that command \
            with CLICKSTREAM_ENDPOINT in its environment, stops when it ends, and exits with its status; with 1 when \
            that was 0 and what is expected (--expect, --no-errors, --no-duplicates) does not hold.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Option(
        help: "The address to listen on. Other machines reach anything but loopback.",
        completion: .list(["127.0.0.1", "0.0.0.0"])
    )
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "Answer readings under this name too, beside localhost, addresses and this machine's name. Repeatable.",
            valueName: "name"
        )
    )
    var allowHost: [String] = []

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 9_090

    @Option(help: "The path that takes events.")
    var path = "/collect"

    @Option(help: "The SQLite file that keeps what is sent; without it, a temporary one.", completion: .file())
    var store: String?

    @Option(help: "Let in this app id, and no other that is not named too. Repeatable.")
    var appID: [String] = []

    @Option(help: "Let in only who sends this cookie.")
    var authCookie: String?

    @Option(help: "Answer pages whose origin fits this regular expression.")
    var corsOrigin: String?

    @Option(
        help: "A folder that also gets files of envelopes as the published server's S3 sink writes them.",
        completion: .directory
    )
    var archive: String?

    @Option(help: "Keep the store to so many bytes, such as 500MB: the oldest requests make room.")
    var maxStoreBytes: ByteCountOption?

    @Option(help: "Remove requests after this time, such as 72h.")
    var maxAge: DurationOption?

    @Flag(help: "Open the inspector page in the browser.")
    var open = false

    @Option(help: "End with status 0 once so many events (good, bad or duplicate) have come.")
    var once: Int?

    @Option(help: "End after this time, such as 30s; with --once, with status 124 when too few events have come.")
    var timeout: DurationOption?

    @Option(
        help: """
            Let requests fail: 503, 503:0.3 (three of ten), 503:1:5 (the first five). Instead of a status: reset-before, \
            reset-during, reset-after, truncate, slow, no-reply, twice. Repeatable.
            """,
        completion: .list([
            "503", "503:0.3", "503:1:5", "reset-before", "reset-during", "reset-after", "truncate", "slow", "no-reply",
            "twice",
        ])
    )
    var fail: [FaultOption] = []

    @Option(help: "The header Retry-After of the statuses of --fail: seconds, or a date.")
    var retryAfter: String?

    @Option(help: "Let every answer come so much later, such as 200ms.")
    var latency: DurationOption?

    @Option(help: "Make the choice of --fail the same at each run.")
    var seed: UInt64?

    @Flag(help: "Exit with status 1 when an event with an error, or a body that cannot be read, has come.")
    var noErrors = false

    @Option(
        help: ArgumentHelp(
            "Hand what is stored on to Kafka, by these brokers, such as localhost:9092. Needs the trait Kafka.",
            valueName: "brokers"
        )
    )
    var kafka: String?

    @Option(help: "The topic of --kafka.")
    var kafkaTopic = "clickstream"

    @Option(help: "A setting of librdkafka's for --kafka, such as security.protocol=ssl. Repeatable.")
    var kafkaOption: [SettingOption] = []

    @OptionGroup(title: "What must have come at the end")
    var expected: ExpectationOptions

    @Option(help: "How to write the results: human (default on a terminal), ndjson, json.")
    var format: OutputFormat?

    @Argument(parsing: .postTerminator, help: "A command to run against the collector, behind --.", completion: .file())
    var command: [String] = []

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be between 0 and 65535, not \(port)")
        }
        if let corsOrigin, let mistake = CollectorConfiguration.corsOriginMistake(corsOrigin) {
            throw ValidationError("--cors-origin is not a valid regular expression: \(mistake)")
        }
        if appID.contains("") { throw ValidationError("--app-id is empty; leave it out to accept every app") }
        if authCookie == "" { throw ValidationError("--auth-cookie is empty; leave it out to accept every client") }
        if let once, once < 1 { throw ValidationError("--once must be an integer from 1, not \(once)") }
        if retryAfter != nil, !fail.contains(where: { if case .status = $0.fault.effect { true } else { false } }) {
            throw ValidationError("--retry-after needs --fail with a status, such as --fail 503")
        }
        if let retryAfter, !CollectorFault.isRetryAfter(retryAfter) {
            throw ValidationError(
                "--retry-after must be a number of seconds or a date such as 'Sun, 06 Nov 1994 08:49:37 GMT', not "
                    + "'\(Console.escaped(retryAfter))'"
            )
        }
        if once != nil, !command.isEmpty {
            throw ValidationError("--once cannot be combined with -- COMMAND: the collector ends with the command")
        }
    }

    func run() async throws {
        let signals = StopSignal()
        let run = CollectRun(self)
        do {
            let status = try await signals.run { try await run.run() }
            throw ExitCode(signals.status?.rawValue ?? status)
        } catch let failure as CommandFailure {
            // A failure goes before the signal: something is not as it was asked for.
            throw failure.said()
        } catch is CancellationError {
            throw ExitCode((signals.status ?? .interrupted).rawValue)
        }
    }

    var collectorConfiguration: CollectorConfiguration {
        var faults = fail.map { option in
            var fault = option.fault
            if let retryAfter, case .status(let status, _) = fault.effect {
                fault.effect = .status(status, retryAfter: retryAfter)
            }
            return fault
        }
        if let latency { faults.append(CollectorFault(.latency(milliseconds: latency.milliseconds))) }
        return CollectorConfiguration(
            host: host,
            port: port,
            storePath: store,
            appIDs: Set(appID),
            authCookie: authCookie,
            path: path,
            corsOrigin: corsOrigin,
            archive: archive,
            maxStoreBytes: maxStoreBytes?.bytes,
            maxAge: maxAge?.milliseconds,
            allowedHosts: Set(allowHost),
            faults: faults,
            faultSeed: seed,
            kafka: kafka.map { brokers in
                KafkaDestination(
                    brokers: brokers,
                    topic: kafkaTopic,
                    settings: Dictionary(kafkaOption.map { ($0.name, $0.value) }) { $1 }
                )
            }
        )
    }
}

/// A fault such as `503:0.3` on the command line.
struct FaultOption: ExpressibleByArgument, Sendable, Hashable {
    var fault: CollectorFault

    init?(argument: String) {
        guard let fault = CollectorFault(text: argument) else {
            RefusedValue.refuse(argument, Self.reason(argument), as: .value)
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

/// A size such as `500MB`, `2GiB` or a plain number of bytes on the command line.
struct ByteCountOption: ExpressibleByArgument, Sendable, Hashable {
    var bytes: Int

    private static let units: [(name: String, bytes: Int)] = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000),
        ("b", 1), ("", 1),
    ]

    init?(argument: String) {
        let text = argument.lowercased()
        guard let unit = Self.units.first(where: { text.hasSuffix($0.name) }),
            let number = Int(text.dropLast(unit.name.count)), number > 0
        else {
            RefusedValue.refuse(argument, "needs a size from 1 byte, such as 500MB or 2GiB")
            return nil
        }
        let (bytes, isPast) = number.multipliedReportingOverflow(by: unit.bytes)
        if isPast {
            RefusedValue.refuse(argument, "is larger than any store; use a size such as 500MB or 2GiB")
            return nil
        }
        self.bytes = bytes
    }
}

/// A time such as `30s` or `1m30s` on the command line.
struct DurationOption: ExpressibleByArgument, Sendable, Hashable {
    var milliseconds: Int64

    init?(argument: String) {
        do {
            milliseconds = try DurationText.milliseconds(argument)
        } catch {
            RefusedValue.refuse(argument, error.clause)
            return nil
        }
    }
}

extension DurationText.Mistake {
    /// The mistake as a clause behind the name of an option.
    var clause: String {
        switch self {
        case .noUnit(let number): "needs a unit, such as \(number)s or \(number)m"
        case .unknownUnit(let unit):
            "has the unknown unit '\(Console.escaped(unit))'; use ms, s, m, h or d, such as 5s or 1h30m"
        case .empty, .noNumber: "needs a duration, such as 250ms, 5s or 1h30m"
        case .finerThanMilliseconds: "must be a whole number of milliseconds"
        case .tooLong: "must be at most 36500d"
        }
    }
}
#endif
