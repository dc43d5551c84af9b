import ArgumentParser
import ClickstreamCore
import ClickstreamJudges

/// The options of `validate` for an archive.
struct ArchiveOptions: ParsableArguments {
    @Option(
        name: .customLong("archive"),
        help: ArgumentHelp(
            """
            Show what the published pipeline makes of each event of this archive: the folder of collect --archive, or one in it.
            """,
            valueName: "folder"
        ),
        completion: .directory
    )
    var folder: String?

    @Option(
        name: .customLong("app-id"),
        help: ArgumentHelp(
            "The app that the pipeline is configured for. Repeatable (default: every app).",
            valueName: "app-id"
        )
    )
    var appIDs: [String] = []

    @Option(help: "The age at reception above which the pipeline drops an event (default: 72h).")
    var freshness: DurationOption?

    func validate() throws {
        try ValidationError.refuseEmpty("--archive", folder, name: "a folder")
        if appIDs.contains("") { throw ValidationError("--app-id is empty; name an app") }
        if folder == nil, !appIDs.isEmpty || freshness != nil {
            throw ValidationError("--app-id and --freshness need --archive")
        }
    }

    /// The pipeline with these options.
    func judge(now: Timestamp) -> PipelineJudge {
        var judge = PipelineJudge(now: now)
        judge.appIDs = Set(appIDs.map { ExactText($0) })
        if let freshness { judge.freshness = freshness.milliseconds }
        return judge
    }
}
