import ArgumentParser
import ClickstreamCore

/// Error for a command line that cannot be parsed: the cause, and a similar word if there is one.
struct UsageMistake: Error {
    private let text: String
    private let command: String

    private init(_ text: String, command: String) {
        self.text = text
        self.command = command
    }

    /// - Parameter parserMessage: the message of the argument parser, replaced by a more precise one if possible.
    init(_ parserMessage: String, in arguments: [String]) {
        if let mistake = Self.negativeNumber(parserMessage, in: arguments) {
            self = mistake
            return
        }
        command = Self.path(of: arguments).names.joined(separator: " ")
        if let refused = RefusedValue.last {
            text = refused.sentence(in: arguments)
        } else if let corrected = Self.withSeparator(arguments) {
            text =
                "unexpected argument '\(Console.escaped(corrected.word))'; put -- before the command to run: "
                + "clickstream-cli \(Console.escaped(corrected.line))"
        } else {
            text = Self.sentence(Self.unknownOption(parserMessage, in: arguments) ?? parserMessage)
        }
    }

    /// Mistake of an unknown option, which the parser reports after a missing argument or option.
    private static func unknownOption(_ parserMessage: String, in arguments: [String]) -> String? {
        guard parserMessage.hasPrefix("Missing expected argument") else { return nil }
        let path = path(of: arguments)
        return DeclaredOptions(of: path.type).unknown(in: path.rest)
    }

    /// Mistake of an option before a negative number, which the parser takes for another option: that of the number.
    private static func negativeNumber(_ parserMessage: String, in arguments: [String]) -> UsageMistake? {
        guard let option = parserMessage.prefixMatch(of: /Missing value for '([^ ']+)/).map({ String($0.1) }),
            let index = arguments.firstIndex(of: option), index + 1 < arguments.endIndex,
            arguments[index + 1].prefixMatch(of: /-\.?[0-9]/) != nil
        else { return nil }
        let joined = "\(option)=\(arguments[index + 1])"
        let corrected = Array(arguments[..<index]) + [joined] + Array(arguments[(index + 2)...])
        do {
            _ = try CommandLineInterface.parseAsRoot(corrected)
            let names = path(of: arguments).names.joined(separator: " ")
            return UsageMistake("\(option) needs a value; for a negative number write \(joined)", command: names)
        } catch {
            return UsageMistake(CommandLineInterface.message(for: error), in: corrected)
        }
    }

    /// Mistake of an option with one value that is given twice, of which the parser takes the last.
    static func repeatedOption(in arguments: [String]) -> UsageMistake? {
        let path = path(of: arguments)
        let options = DeclaredOptions.names(in: path.rest).map(\.name)
        // The description of the options is read only if one may be repeated; a short name may repeat a long one.
        guard Set(options).count < options.count || options.contains(where: { !$0.hasPrefix("--") }) else { return nil }
        return DeclaredOptions(of: path.type).repetition(in: path.rest).map {
            UsageMistake($0, command: path.names.joined(separator: " "))
        }
    }

    /// Writes the mistake and the place of the help to standard error, and returns the exit status.
    func report() -> Int32 {
        Console.fail(text)
        let line = ["clickstream-cli", command, "--help"].filter { !$0.isEmpty }.joined(separator: " ")
        Console.note("see '\(line)'")
        return ExitStatus.usage.rawValue
    }

    /// Error for an unknown command, with a similar name.
    static func unknownCommand(in arguments: [String]) -> UsageMistake? {
        let path = path(of: arguments)
        guard let word = path.unknown else { return nil }
        let prefix = path.names.map { $0 + " " }.joined()
        let known = path.type.configuration.subcommands.compactMap { $0.configuration.commandName }
        let advice =
            Suggestion.nearest(to: word, among: known).map { "did you mean '\(prefix)\($0)'?" }
            ?? "known commands: \(known.joined(separator: ", "))"
        return UsageMistake(
            "unknown command '\(prefix)\(Console.escaped(word))'; \(advice)",
            command: path.names.joined(separator: " ")
        )
    }

    // MARK: - The command that is meant

    /// The command path in the arguments, the arguments after it, and the first word that is not a command where one is
    /// expected.
    private static func path(
        of arguments: [String]
    ) -> (type: any ParsableCommand.Type, names: [String], rest: ArraySlice<String>, unknown: String?) {
        var type: any ParsableCommand.Type = CommandLineInterface.self
        var names: [String] = []
        var rest = arguments[...]
        var isValue = false
        for (index, word) in arguments.enumerated() {
            if isValue {
                isValue = false
                continue
            }
            let subcommands = type.configuration.subcommands
            if subcommands.isEmpty || word == "--" { break }
            if word.hasPrefix("-") || word.isEmpty {
                // All other options, such as the one for completion scripts, are left to the parser.
                guard ["--color", "-q", "--quiet", "-v", "--verbose"].contains(word) || word.hasPrefix("--color=")
                else {
                    break
                }
                isValue = word == "--color"
                continue
            }
            if word == "help", names.isEmpty { continue }
            guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
                return (type, names, rest, word)
            }
            type = next
            names.append(word)
            rest = arguments[(index + 1)...]
        }
        return (type, names, rest, nil)
    }

    /// The arguments with `--` inserted so that they can be parsed; for `collect COMMAND`.
    private static func withSeparator(_ arguments: [String]) -> (word: String, line: String)? {
        guard arguments.first == CollectCommand.configuration.commandName, !arguments.contains("--") else { return nil }
        for index in arguments.indices.dropFirst() where !arguments[index].hasPrefix("-") {
            let corrected = arguments[..<index] + ["--"] + arguments[index...]
            // After any failure, the separator is not the only mistake.
            guard (try? CommandLineInterface.parseAsRoot(Array(corrected))) != nil else { continue }
            return (arguments[index], corrected.joined(separator: " "))
        }
        return nil
    }

    /// Converts the parser's message to the style of all other messages.
    private static func sentence(_ text: String) -> String {
        var text = Console.escaped(text.split(separator: "\n").joined(separator: " "))
        if text.hasSuffix(".") { text.removeLast() }
        text = text.replacing(". Did you mean", with: "; did you mean")
        if let match = text.wholeMatch(of: /[Mm]issing expected argument '(.+)'/) {
            return "missing argument \(match.1)"
        }
        if let match = text.wholeMatch(of: /[Mm]issing value for '(\S+)[^']*'/) { return "\(match.1) needs a value" }
        if let match = text.wholeMatch(
            of: /[Tt]he value '(.*)' is invalid for '(\S+)[^']*'(?:. Please provide one of (.+))?/
        ) {
            // The parser lists alternatives with "and".
            let values = match.3.map { $0.replacing(/\ and ('[^']*')$/) { " or \($0.1)" } }
            return "\(match.2): '\(match.1)' is not a valid " + (values.map { "value; use \($0)" } ?? "number")
        }
        let second = text.dropFirst().first
        guard let first = text.first, second?.isLowercase == true || second == " " else { return text }
        return first.lowercased() + text.dropFirst()
    }
}
