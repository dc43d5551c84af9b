import ArgumentParser
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamPlan

/// Reader of the file of a tracking plan.
enum PlanFile {
    /// - Parameter path: a file, or `-` for standard input (YAML).
    /// - Throws: ``CommandFailure`` with status 65 after all mistakes are printed to standard error.
    static func read(_ path: String) throws -> TrackingPlan {
        let maxBytes = DocumentTree.maxBytes + 1
        let bytes = try InputFile.bytes(of: path, maxBytes: maxBytes, folderAdvice: "name a plan in it")
        let name = InputFile.name(of: path)
        do throws(DocumentError) {
            return try TrackingPlan.read(bytes, file: name)
        } catch {
            for problem in error.problems { Console.log(problem.rendered(file: name)) }
            throw CommandFailure(.badData, "")
        }
    }
}

/// The argument of commands that read one plan.
struct PlanArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A plan in YAML, or in JSON if the name ends in .json; - is standard input.",
            valueName: "plan"
        ),
        completion: .file()
    )
    var path: String

    func read() throws -> TrackingPlan { try PlanFile.read(path) }
}

/// The option `--plan` of commands that check events.
struct PlanOption: ParsableArguments {
    @Option(
        name: .customLong("plan"),
        help: ArgumentHelp("Also check events against this tracking plan, in YAML or JSON.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"])
    )
    var path: String?

    func validate() throws {
        try ValidationError.refuseEmpty("--plan", path, name: "a file")
    }

    /// The plan; `nil` without the option.
    func read() throws -> TrackingPlan? {
        try path.map { try PlanFile.read($0) }
    }

    /// The judge of the plan; `nil` without the option.
    func judge() throws -> PlanJudge? {
        try read().map { PlanJudge($0) }
    }
}
