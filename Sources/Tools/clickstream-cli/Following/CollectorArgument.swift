import ArgumentParser

/// The argument of `tail` and `assert` that names a collector.
struct CollectorArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The collector's URL (default: $CLICKSTREAM_COLLECTOR, or http://127.0.0.1:9090).",
            valueName: "url"
        ),
        completion: .list(["http://127.0.0.1:9090"])
    )
    var url: String?

    /// The collector of the argument, of the environment, or of the default URL.
    ///
    /// Parsed here instead of by the argument parser, so that a misspelt option is reported as such.
    func address() throws -> CollectorAddress {
        try CollectorAddress.resolved(url.map(CollectorAddress.argument))
    }
}
