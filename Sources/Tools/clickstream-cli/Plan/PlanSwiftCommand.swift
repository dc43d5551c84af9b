import ArgumentParser
import ClickstreamPlan

/// `plan swift PLAN`: prints typed events.
struct PlanSwiftCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "swift",
        abstract: "Prints Swift source with one struct per event of a tracking plan."
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @OptionGroup
    var plan: PlanArgument

    @Flag(help: "Make the generated types public.")
    var `public` = false

    func execute() async throws -> ExitStatus {
        var text = try plan.read().swift(isPublic: `public`)
        text.removeLast()
        try Console.print(text)
        return .done
    }
}
