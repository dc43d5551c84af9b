#if Audit
import ArgumentParser
import ClickstreamAudit
import ClickstreamCore

/// `audit DATABASE`: runs SQL statements in one audit scope.
struct AuditCommand: InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Runs SQL statements in an audit scope, and records what they read and change.",
        discussion: """
            The statements run in order on one connection, in autocommit mode unless they begin a transaction. A failing \
            statement ends the script with status 65; the changes before it stay, and the scope is cancelled. The events of \
            the scope are stored in the queue on disk, and their ids are printed; 'clickstream-cli flush' sends them. With \
            --dry-run the events are printed instead.
            """
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    @Argument(help: "The SQLite database file.", completion: .file())
    var database: String

    @Option(help: "The name of the activity.")
    var activity: String

    @Option(
        help: ArgumentHelp("A member of each event, such as username=carl. Repeatable.", valueName: "k=v"),
        transform: MetadataArgument.init
    )
    var metadata: [MetadataArgument] = []

    @Option(
        help: ArgumentHelp("A file with SQL statements, or - for standard input.", valueName: "file"),
        completion: .file(extensions: ["sql"])
    )
    var script: String?

    @Flag(help: "Print each event of the scope as one line of JSON; store nothing. The statements do run.")
    var dryRun = false

    @Flag(help: "Create the database file if it does not exist.")
    var create = false

    @OptionGroup(title: "Store options")
    var store: StoreOptions

    @Argument(
        parsing: .postTerminator,
        help: "SQL statements, after --. Each argument in quotation marks is a script of its own."
    )
    var statements: [String] = []

    func validate() throws {
        try ValidationError.refuseEmpty("DATABASE", database, name: "a file")
        switch (script, statements.isEmpty) {
        case (nil, true): throw RefusedValue.error("no statements given; use --script FILE, or -- and SQL")
        case (_?, false): throw ValidationError("--script cannot be combined with statements after --")
        default: break
        }
        try ValidationError.refuseEmpty("--script", script, name: "a file")
        var names: Set<String> = []
        for member in metadata where !names.insert(member.name).inserted {
            throw ValidationError("--metadata has '\(Console.escaped(member.name))' twice; give each name once")
        }
    }

    func execute() async throws -> ExitStatus {
        try await AuditRun(self).run()
    }
}

/// Member of audit events on the command line: `k=v`.
struct MetadataArgument: Sendable, Hashable {
    var name: String
    var value: String

    /// - Throws: `ValidationError` with the mistake and the correct form.
    init(_ text: String) throws {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw RefusedValue.error("metadata '\(Console.escaped(text))' has no name or no '='; use name=value")
        }
        name = String(text[..<equals])
        value = String(text[text.index(after: equals)...])
        if AuditEvent.memberNames.contains(name) {
            throw RefusedValue.error("metadata '\(name)' has the name of a member of each event; choose another name")
        }
    }
}
#else
import ArgumentParser

/// `audit` in a build without the trait `Audit`.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Runs SQL statements in an audit scope (not in this build)."
    )

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() throws {
        throw BuildTrait.audit.missing("cannot audit a database")
    }
}
#endif
