import ArgumentParser
import ClickstreamCore

/// `record NAME` and `record -`: puts events into an app's queue from outside the app.
struct RecordCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records an event, or each line of standard input, in the queue on disk.",
        discussion: """
            The event continues the stored session, or starts a new one after the session timeout. No other event is \
            recorded and nothing is sent; 'clickstream-cli flush' sends. The event's id is printed when the event is stored \
            and would survive a crash of this process. With -, each line of standard input is \
            { "name" or "event_type", "attributes", "items", "visitor" }; its id is printed before the next line is read. \
            An event with "visitor" { "device_id", "user_id", "session": { "id", "number", "start" }, "user": { … }, \
            "screen", "locale", "platform", "user_agent", "ip" } has these fields alone instead of those of this device.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Argument(help: "The event's name, or - for events from standard input, one JSON object per line.")
    var name: String

    @Argument(
        help: ArgumentHelp("More attributes, as with --attr.", valueName: "k=v"),
        transform: AttributeArgument.init
    )
    var furtherAttributes: [AttributeArgument] = []

    @Option(
        name: .customLong("attr"),
        help: ArgumentHelp(
            """
            An attribute: k=v guesses the type (true, false, a number in its shortest spelling, otherwise string), k:=json \
            states it.
            """,
            valueName: "k=v"
        ),
        transform: AttributeArgument.init
    )
    var attributes: [AttributeArgument] = []

    @Option(
        name: .customLong("item"),
        help: ArgumentHelp("An item: id=1,name=shoe,price=9.9 or a JSON object.", valueName: "k=v,…"),
        transform: ItemArgument.init
    )
    var items: [ItemArgument] = []

    @Option(
        name: .customLong("user-id"),
        help: "The user id of this event only; the logged-in user stays the same.",
        transform: String.trimmedArgument
    )
    var userID: String?

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    func validate() throws {
        if let userID, let violation = Validator.checkUserID(userID) {
            throw ValidationError("--user-id: \(violation.message) (\(violation.code))")
        }
        guard name == "-" else { return }
        if !attributes.isEmpty || !furtherAttributes.isEmpty || !items.isEmpty {
            throw ValidationError(
                "--attr and --item cannot be combined with -: each line has its own attributes and items"
            )
        }
    }

    func execute() async throws -> ExitStatus {
        let arguments = attributes + furtherAttributes
        NumberLikeText.warn(
            of: arguments.compactMap(\.numberLikeText) + items.flatMap(\.numberLikeTexts),
            "recorded"
        )
        let run = try RecordRun(self)
        defer { run.end() }
        if name == "-" { return try run.recordLines() }
        try run.record(
            EventInput(
                name: name,
                attributes: Attributes(arguments.map { ($0.name, $0.value) }),
                items: items.map(\.attributes)
            )
        )
        return .done
    }
}
