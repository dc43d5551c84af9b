import ArgumentParser
import ClickstreamPlan

/// `plan infer FILE`: prints a first plan of the events in a file.
struct PlanInferCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Prints a first tracking plan that fits the given events, one JSON object per line.",
        discussion: """
            An attribute is required if every event of that name has it. Strings with at most 8 different values in at \
            least 32 events become an enum; numbers without a negative value in at least 32 events get 'minimum: 0'. \
            An attribute that all of at least 32 events of at least 2 names have with one type is a global one. \
            Events of the SDK, whose names begin with an underscore, are not planned.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Argument(help: "A file of events, or - for standard input.", completion: .file())
    var input: String = "-"

    func execute() async throws -> ExitStatus {
        var inference = PlanInference()
        let lines = try EventLines.read(input) { event, _ in inference.add(event) }
        let (plan, notes) = inference.plan()
        var text = plan.yaml(notes: notes, occurrences: inference.occurrences)
        text.removeLast()
        try Console.print(text)
        for (name, texts) in notes.sorted(by: { $0.key < $1.key }) {
            for text in texts { Console.warn("\(name): \(text)") }
        }
        if inference.skipped > 0 {
            let noun = Plural.events(inference.skipped)
            Console.warn("\(noun) not planned: without a name, or with one that the SDK rejects")
        }
        return lines.report()
    }
}
