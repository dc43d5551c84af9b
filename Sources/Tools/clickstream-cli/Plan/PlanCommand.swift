import ArgumentParser
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamPlan

/// `plan`: checks, compares, infers and converts tracking plans, and compares events with them.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Checks, compares, infers and converts tracking plans, and shows which of their events were seen.",
        subcommands: [
            PlanCheckCommand.self, PlanDiffCommand.self, PlanInferCommand.self, PlanCoverageCommand.self,
            PlanSchemaCommand.self, PlanMarkdownCommand.self, PlanSwiftCommand.self,
        ]
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions
}

/// `plan check PLAN`: reports the mistakes of a plan.
struct PlanCheckCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a tracking plan.",
        discussion: """
            Exits with 65 if the plan has mistakes; each is printed with file, line and column. Warns of names that \
            'plan swift' has to change, such as 'ErrorEvent' for the event 'error'.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @OptionGroup
    var plan: PlanArgument

    @Option(help: "Format of the summary: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    func execute() async throws -> ExitStatus {
        let plan = try self.plan.read()
        for change in plan.swiftNameChanges {
            Console.warn("\(InputFile.name(of: self.plan.path)): \(change.path): \(change.message)")
        }
        let attributes = plan.events.reduce(0) { $0 + $1.fields.attributes.count + ($1.items?.attributes.count ?? 0) }
        let text =
            "\(InputFile.name(of: self.plan.path)): \(Plural.events(plan.events.count)), "
            + "\(Plural.count(attributes, "attribute")), "
            + "\(Plural.count(plan.user.attributes.count, "user attribute")), "
            + "\(Plural.count(plan.globals.attributes.count, "global attribute")); no mistakes"
        let members: [JSONMember] = [
            .number("events", plan.events.count), .number("attributes", attributes),
            .number("user_attributes", plan.user.attributes.count),
            .number("global_attributes", plan.globals.attributes.count), .text("unplanned", plan.unplanned.rawValue),
        ]
        try Console.print(text, or: members, as: format.inUse)
        return .done
    }
}

/// `plan diff OLD NEW`: compares two plans.
struct PlanDiffCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Lists the changes between two tracking plans, each breaking or compatible.",
        discussion: "Exits with 1 if a change is breaking."
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Argument(help: "The earlier plan.", completion: .file())
    var old: String

    @Argument(help: "The later plan.", completion: .file())
    var new: String

    @Option(help: "Format of the changes: human (default on a terminal), ndjson, json (default otherwise).")
    var format: OutputFormat?

    func validate() throws {
        if old == "-", new == "-" { throw ValidationError("standard input can be read only once; name - once") }
    }

    func execute() async throws -> ExitStatus {
        let changes = PlanChange.changes(from: try PlanFile.read(old), to: try PlanFile.read(new))
        let style = Style(isColoured: Console.usesColour)
        var list = ResultList(format.inUse)
        for change in changes {
            let word = change.isBreaking ? style.warning("breaking  ") : style.good("compatible")
            try list.add(
                "\(word)  \(change.path): \(Console.harmless(change.message))",
                or: [
                    JSONMember("breaking", .boolean(change.isBreaking)), .text("path", change.path),
                    .text("message", change.message),
                ]
            )
        }
        try list.end()
        let breaking = changes.count(where: \.isBreaking)
        if format.inUse == .human {
            try Console.print("\(Plural.count(changes.count, "change")), \(breaking) breaking")
        }
        return breaking > 0 ? .findings : .done
    }
}

/// `plan json-schema PLAN`: prints JSON Schema 2020-12.
struct PlanSchemaCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "json-schema",
        abstract: "Prints JSON Schema 2020-12 of the events of a tracking plan."
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @OptionGroup
    var plan: PlanArgument

    func execute() async throws -> ExitStatus {
        try Console.print(try plan.read().jsonSchema.indented(flatLists: true))
        return .done
    }
}

/// `plan markdown PLAN`: prints a document.
struct PlanMarkdownCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "markdown",
        abstract: "Prints a tracking plan as a document with tables."
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @OptionGroup
    var plan: PlanArgument

    func execute() async throws -> ExitStatus {
        var text = try plan.read().markdown
        text.removeLast()
        try Console.print(text)
        return .done
    }
}
