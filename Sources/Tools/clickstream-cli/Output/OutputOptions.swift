import ArgumentParser

/// Condition for coloured results.
enum ColourChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto
    case always
    case never
}

/// Options of all commands; allowed before the command too.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .customLong("color"),
        help: "Colour the results: auto (on a terminal, unless NO_COLOR is set or TERM is dumb), always, never."
    )
    var colour: ColourChoice?

    @Flag(name: .shortAndLong, help: "Print only errors to standard error: no warnings, no progress.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print details of what the command does to standard error.")
    var verbose = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose cannot be combined; leave out one of them") }
        Console.configure { settings in
            settings.colour = colour ?? settings.colour
            settings.isQuiet = quiet || settings.isQuiet
            settings.isVerbose = verbose || settings.isVerbose
        }
    }
}
