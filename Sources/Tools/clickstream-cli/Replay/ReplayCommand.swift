import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import Foundation

/// `replay SCRIPT…`: plays scripts against the real library, and reports the outcome.
struct ReplayCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plays scripts of launches, screens and events against the real library.",
        discussion: """
            Without --endpoint and --dry-run, events are sent over HTTP to a collector in this process, and a report of what \
            it stored is printed. Without --storage, each script uses a new store, removed at the end.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Argument(
        help:
            "Scripts in YAML, or in JSON if the name ends in .json; - is standard input. Played one after the other.",
        completion: .file(extensions: ["yaml", "yml", "json"])
    )
    var scripts: [String]

    @Flag(help: "Print each recorded event as one line of JSON; send nothing.")
    var dryRun = false

    @Option(
        help:
            "With --dry-run: format of the events: \(CapturedFormat.namesAfterDefault(CapturedFormat.replayedForms)).",
        completion: .list(CapturedFormat.replayed),
        transform: CapturedFormat.replayedArgument
    )
    var form: CapturedFormat?

    @Flag(help: "With --dry-run: print request bodies, one on each line, instead of events.")
    var batches = false

    @Option(
        help: "Send to this server (http or https) instead of a collector in this process.",
        transform: String.trimmedArgument
    )
    var endpoint: String?

    @Option(
        help: "max: as fast as possible. 1x, 60x: a multiple of the script's clock (0.001x to 1000000x).",
        completion: .list(["max", "1x", "60x"])
    )
    var speed = Speed.max

    @Option(help: "Seed to use instead of the scripts' own.", transform: UInt64.numberArgument)
    var seed: UInt64?

    @Option(
        help: "The folder of the store, kept after the run; created if missing.",
        completion: .directory,
        transform: String.trimmedArgument
    )
    var storage: String?

    @Option(
        help: "Number of independent users who play each script, with seed, seed + 1, …",
        transform: Int.numberArgument
    )
    var users = 1

    @Option(
        help: "Compare the recorded events with this NDJSON file; exit with 1 if they differ.",
        completion: .file()
    )
    var expect: String?

    @Flag(help: "Write the file of --expect instead of comparing with it.")
    var update = false

    @OptionGroup
    var plan: PlanOption

    @OptionGroup
    var strict: StrictOption

    @Flag(help: "Show why each session starts or continues, with its first events.")
    var explain = false

    @Option(help: "Format of the results: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    func validate() throws {
        if scripts.isEmpty { throw ValidationError("no script given; name at least one") }
        if dryRun, endpoint != nil {
            throw ValidationError("--dry-run sends nothing and cannot be combined with --endpoint")
        }
        if let form, !dryRun {
            throw ValidationError("--form \(form.rawValue) needs --dry-run, which prints the events")
        }
        if batches, !dryRun { throw ValidationError("--batches needs --dry-run, which prints the request bodies") }
        if update, expect == nil { throw ValidationError("--update needs --expect FILE, the file to write") }
        try ValidationError.refuseEmpty("--storage", storage, name: "a folder")
        try ValidationError.refuseEmpty("--expect", expect, name: "a file")
        if scripts.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("standard input can be read only once; name - once")
        }
        if strict.isOn, plan.path == nil {
            throw ValidationError("--strict needs --plan FILE: it counts the plan's warnings as errors")
        }
        try ValidationError.refuseBelowOne("--users", users)
        try ValidationError.refuseInvalid(endpoint: endpoint)
        if plan.path == "-", scripts.contains("-") {
            throw ValidationError("standard input can be read only once; name - once")
        }
    }

    func execute() async throws -> ExitStatus {
        try await ReplayRun(self).run()
    }
}

/// Speed of a script's clock.
enum Speed: ExpressibleByArgument, Sendable, Hashable {
    case max
    case times(Double)

    init?(argument: String) {
        let text = argument.withoutOuterWhiteSpace
        if text == "max" {
            self = .max
        } else if text.hasSuffix("x"), let factor = Double(text.dropLast()),
            (0.001...1_000_000).contains(factor)
        {
            self = .times(factor)
        } else {
            RefusedValue.refuse(argument, "must be max, or a factor from 0.001x to 1000000x, such as 60x")
            return nil
        }
    }

    /// Virtual milliseconds per real millisecond; `nil` for as fast as possible.
    var factor: Double? {
        guard case .times(let factor) = self else { return nil }
        return factor
    }
}
