/// Trait of the package that adds a part of the command line.
enum BuildTrait: String, Sendable {
    case audit = "Audit"
    case collector = "Collector"

    /// Failure of a command that this build lacks.
    /// - Parameters:
    ///   - problem: the operation that is impossible, such as "cannot run a collector".
    ///   - alternative: a form of the command that this build has.
    func missing(_ problem: String, alternative: String? = nil) -> CommandFailure {
        CommandFailure(
            .serverUnavailable,
            "\(problem): built without the trait \(rawValue); build with 'swift build --traits \(rawValue) --product "
                + "clickstream-cli'" + (alternative.map { ", or \($0)" } ?? "")
        )
    }
}
