import ClickstreamCore
import ClickstreamDocuments

/// Process, platform and time.
extension Verb {
    static let process = [launch, foreground, background, terminate, kill, crash, wait, sleep, clock]

    private static let launch = Verb(
        "launch",
        value: "a mapping with app, device or config",
        isOptional: true,
        schema: .either(
            .null,
            .mapping(["app": .definition("app"), "device": .definition("device"), "config": .definition("config")])
        ),
        summary: "Starts a process. The given values override those of earlier launches.",
        placeholder: .launch(LaunchFacts())
    ) { reader, node, verb in
        reader.fields(node, of: verb).map { .launch(reader.launchFacts($0)) }
    }

    private static let foreground = Verb("foreground", .foreground, summary: signal)
    private static let background = Verb("background", .background, summary: signal)
    private static let signal = "Signal of the platform; repetitions have no effect."

    private static let terminate = Verb("terminate", .terminate, summary: "Ends the process in order.")
    private static let kill = Verb(
        "kill",
        .kill,
        summary: "Ends the process without a call; only data on disk survives."
    )

    private static let crash = Verb(
        "crash",
        value: "a message, or a mapping with message and stack",
        schema: .either(.text, .mapping(["message": .text, "stack": .text], required: ["message"])),
        summary: "An uncaught failure, recorded as by crash capture.",
        placeholder: .crash(message: "", stack: "")
    ) { reader, node, verb in
        guard let fields = reader.fields(node, of: verb, shorthand: "message"),
            let message = reader.required("message", of: fields, verb, at: node.position)
        else { return nil }
        return .crash(message: message, stack: fields["stack"].flatMap { reader.text($0, "'stack'") } ?? "")
    }

    private static let wait = Verb(
        "wait",
        value: "a duration such as 1h30m",
        schema: .duration,
        summary: "Advances the clock; timers that are due run in order.",
        placeholder: .wait(0)
    ) { reader, node, verb in
        reader.duration(node, verb.quoted).map { .wait($0) }
    }

    private static let sleep = Verb(
        "sleep",
        value: "a duration such as 1h30m",
        schema: .duration,
        summary: "The machine is suspended: the clocks advance, the time counts as no engagement; timers that are "
            + "overdue run afterwards.",
        placeholder: .sleep(0)
    ) { reader, node, verb in
        reader.duration(node, verb.quoted).map { .sleep($0) }
    }

    private static let clock = Verb(
        "clock",
        value: "a change such as +2h, or a date",
        schema: .either(
            ValueSchema([
                .text("type", "string"), .text("pattern", #"^[+-]([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$"#),
                .list("examples", texts: ["+2h", "-5m"]),
            ]),
            .definition("date")
        ),
        summary: "The user sets the wall clock; the monotonic clock does not move.",
        placeholder: .clock(.by(0))
    ) { reader, node, verb in
        guard case .string(let text) = node.content else {
            var hint: String?
            if case .integer = node.content { hint = "did you mean '\(node.spelling)s' or '\(node.spelling)ms'?" }
            reader.reportType(node, verb.quoted, expected: "a change such as +2h or -5m, or a date", hint: hint)
            return nil
        }
        guard let sign = text.first, sign == "+" || sign == "-" else {
            if let milliseconds = try? DurationText.milliseconds(text) {
                // A duration without a sign instead of a date.
                let message = "\(verb.quoted) is '\(text)': a change needs a sign (+ or -)"
                reader.report(node.position, message, "did you mean '+\(text)'?")
                return .clock(.by(milliseconds))
            }
            return reader.date(node, verb.quoted).map { .clock(.to($0)) }
        }
        do throws(DurationText.ParseError) {
            let amount = try DurationText.milliseconds(String(text.dropFirst()))
            return .clock(.by(sign == "-" ? -amount : amount))
        } catch {
            reader.report(node.position, "\(verb.quoted) is '\(text)': \(error)", error.suggestion)
            return nil
        }
    }
}
