import ArgumentParser

/// Output format of results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// For a person; the default on a terminal only.
    case human
    /// One JSON value per line.
    case ndjson
    /// One JSON value.
    case json
}

extension OutputFormat? {
    /// The given format, else the default: human on a terminal, JSON otherwise.
    var inUse: OutputFormat { self ?? (Console.isTerminal ? .human : .json) }
}
