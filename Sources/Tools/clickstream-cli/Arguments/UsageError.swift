import ArgumentParser
import ClickstreamCore

/// Error for a command line that cannot be parsed: the cause, and a similar word if there is one.
struct UsageError: Error {
    private let text: String
    private let command: String

    private init(_ text: String, command: String) {
        self.text = text
        self.command = command
    }

    /// - Parameter error: the error of the argument parser, whose message is used only for a mistake that is not found in
    ///   the arguments.
    init(_ error: any Error, in arguments: [String]) {
        let path = Self.path(of: arguments)
        // The parser requests a completion script by an option that no command declares.
        let isDeclared = !arguments.contains { $0.hasPrefix("--generate-completion-script") }
        let declared = DeclaredArguments(of: path.type, takesOutputOptions: true)
        let syntaxError = isDeclared ? declared.syntaxError(in: path.words) : nil
        if RefusedValue.last == nil, case .missingValue(let option) = syntaxError,
            let usageError = Self.negativeNumber(after: option, in: arguments)
        {
            self = usageError
            return
        }
        command = path.names.joined(separator: " ")
        if let refused = RefusedValue.last {
            text = refused.sentence(in: arguments)
        } else if let corrected = Self.withSeparator(arguments) {
            text =
                "unexpected argument '\(Console.escaped(corrected.word))'; put -- before the command to run: "
                + "clickstream-cli \(Console.escaped(corrected.line))"
        } else {
            text = Console.escaped(syntaxError?.message ?? Self.clause(CommandLineInterface.message(for: error)))
        }
    }

    /// Mistake of an option before a negative number, which the parser takes for another option: that of the number.
    private static func negativeNumber(after option: String, in arguments: [String]) -> UsageError? {
        guard let index = arguments.firstIndex(of: option), index + 1 < arguments.endIndex,
            arguments[index + 1].prefixMatch(of: /-\.?[0-9]/) != nil
        else { return nil }
        let joined = "\(option)=\(arguments[index + 1])"
        let corrected = Array(arguments[..<index]) + [joined] + Array(arguments[(index + 2)...])
        do {
            _ = try CommandLineInterface.parseAsRoot(corrected)
            let names = path(of: arguments).names.joined(separator: " ")
            return UsageError("\(option) needs a value; for a negative number write \(joined)", command: names)
        } catch {
            return UsageError(error, in: corrected)
        }
    }

    /// Mistake of an option with one value that is given twice, of which the parser takes the last.
    static func repeatedOption(in arguments: [String]) -> UsageError? {
        let path = path(of: arguments)
        let options = DeclaredArguments.names(in: path.rest).map(\.name)
        // The description of the options is read only if one may be repeated; a short name may repeat a long one.
        guard Set(options).count < options.count || options.contains(where: { !$0.hasPrefix("--") }) else { return nil }
        return DeclaredArguments(of: path.type).repetition(in: path.rest).map {
            UsageError($0, command: path.names.joined(separator: " "))
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
    static func unknownCommand(in arguments: [String]) -> UsageError? {
        let path = path(of: arguments)
        guard let word = path.unknown else { return nil }
        let prefix = path.names.map { $0 + " " }.joined()
        let known = path.type.configuration.subcommands.compactMap { $0.configuration.commandName }
        let advice =
            Suggestion.nearest(to: word, among: known).map { "did you mean '\(prefix)\($0)'?" }
            ?? "known commands: \(known.joined(separator: ", "))"
        return UsageError(
            "unknown command '\(prefix)\(Console.escaped(word))'; \(advice)",
            command: path.names.joined(separator: " ")
        )
    }

    // MARK: - The command that is meant

    /// The command that the arguments name.
    private struct CommandPath {
        var type: any ParsableCommand.Type = CommandLineInterface.self
        var names: [String] = []
        /// Options before the last name.
        private var before: ArraySlice<String> = []
        /// The arguments after the last name.
        private(set) var rest: ArraySlice<String>
        /// The first word that is not a command where one is expected.
        var unknown: String?

        init(_ arguments: [String]) { rest = arguments[...] }

        /// All arguments but the names of commands.
        var words: [String] { Array(before + rest) }

        mutating func removeWord(at index: Int) {
            before += rest[..<index]
            rest = rest[(index + 1)...]
        }
    }

    private static func path(of arguments: [String]) -> CommandPath {
        var path = CommandPath(arguments)
        var isValue = false
        for (index, word) in arguments.enumerated() {
            if isValue {
                isValue = false
                continue
            }
            let subcommands = path.type.configuration.subcommands
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
            if word != "help" || !path.names.isEmpty {
                guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
                    path.unknown = word
                    return path
                }
                path.type = next
                path.names.append(word)
            }
            path.removeWord(at: index)
        }
        return path
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

    /// The message of an error in the style of all other messages: without a capital letter and a full stop.
    private static func clause(_ message: String) -> String {
        var text = message.split(separator: "\n").joined(separator: " ")
        if text.hasSuffix(".") { text.removeLast() }
        let second = text.dropFirst().first
        guard let first = text.first, second?.isLowercase == true || second == " " else { return text }
        return first.lowercased() + text.dropFirst()
    }
}
