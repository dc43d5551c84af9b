import ArgumentParser
import ClickstreamPlan

/// The options that select the source of stored events.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("SQLite file of a store to read instead of a running collector.", valueName: "file"),
        completion: .file(),
        transform: String.trimmedArgument
    )
    var store: String?

    @Option(
        help: ArgumentHelp(
            "URL of a running collector (default: $CLICKSTREAM_COLLECTOR, or http://127.0.0.1:9090).",
            valueName: "url"
        ),
        completion: .list(["http://127.0.0.1:9090"])
    )
    var url: String?

    func validate() throws {
        try ValidationError.refuseEmpty("--store", store, name: "a file")
        if store != nil, url != nil {
            throw ValidationError("--url and --store cannot be combined; leave out one of them")
        }
    }

    /// The store, or else the collector of `--url`, of the environment, or of the default URL.
    /// - Throws: as ``StoreFile/init(_:plan:followsReplacement:)``; ``CommandFailure`` for an invalid URL in the environment;
    ///   `ValidationError` for an invalid `--url`.
    func source(plan: TrackingPlan? = nil, followsReplacement: Bool = false) throws -> EventSource {
        if let store { return .store(try StoreFile(store, plan: plan, followsReplacement: followsReplacement)) }
        return .collector(try CollectorAddress.resolved(url.map(CollectorAddress.argument)))
    }
}
