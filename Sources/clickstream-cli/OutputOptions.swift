#if Tools
import ArgumentParser

/// When results are coloured.
enum ColourChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto
    case always
    case never
}

/// Options that all commands share; they may stand before the command too.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .customLong("color"),
        help: "Colour the results: auto (on a terminal, unless NO_COLOR is set or TERM is dumb), always, never."
    )
    var colour: ColourChoice?

    @Flag(name: .shortAndLong, help: "Print no warnings and no progress to standard error; errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print details of the course of the command to standard error.")
    var verbose = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other; leave out one of them.") }
        Console.configure { settings in
            settings.colour = colour ?? settings.colour
            settings.isQuiet = quiet || settings.isQuiet
            settings.isVerbose = verbose || settings.isVerbose
        }
    }
}
#endif
