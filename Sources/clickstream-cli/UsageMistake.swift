#if Tools
import ArgumentParser
import ClickstreamCore

/// A command line that cannot be parsed: one line with the cause and, where one is near, the word that was meant.
struct UsageMistake: Error {
    private let text: String
    private let command: String

    private init(_ text: String, command: String) {
        self.text = text
        self.command = command
    }

    /// - Parameter parserMessage: the parser's own sentence, for which a more exact one is found where there is one.
    init(_ parserMessage: String, in arguments: [String]) {
        command = Self.path(of: arguments).names.joined(separator: " ")
        if let refused = RefusedValue.last {
            text = refused.sentence(in: arguments)
        } else if let corrected = Self.withSeparator(arguments) {
            text =
                "unexpected argument '\(Console.escaped(corrected.word))'; the command to run stands behind --: "
                + "clickstream-cli \(Console.escaped(corrected.line))"
        } else {
            text = Self.sentence(parserMessage)
        }
    }

    /// Writes the mistake and the place of the help to standard error, and returns the exit status.
    func said() -> Int32 {
        Console.fail(text)
        let line = ["clickstream-cli", command, "--help"].filter { !$0.isEmpty }.joined(separator: " ")
        Console.note("see '\(line)'")
        return ExitStatus.usage.rawValue
    }

    /// A first word that is no command, and what was meant.
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

    /// The commands that the arguments name, and the first word that should name one and does not.
    private static func path(
        of arguments: [String]
    ) -> (type: any ParsableCommand.Type, names: [String], unknown: String?) {
        var type: any ParsableCommand.Type = CommandLineInterface.self
        var names: [String] = []
        var isValue = false
        for word in arguments {
            if isValue {
                isValue = false
                continue
            }
            let subcommands = type.configuration.subcommands
            if subcommands.isEmpty || word == "--" { break }
            if word.hasPrefix("-") || word.isEmpty {
                // Any other option, such as the one for completion scripts, is the parser's alone.
                guard ["--color", "-q", "--quiet", "-v", "--verbose"].contains(word) || word.hasPrefix("--color=")
                else {
                    break
                }
                isValue = word == "--color"
                continue
            }
            if word == "help", names.isEmpty { continue }
            guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
                return (type, names, word)
            }
            type = next
            names.append(word)
        }
        return (type, names, nil)
    }

    /// The same arguments with `--` before the first word that makes them right; for `collect COMMAND`.
    private static func withSeparator(_ arguments: [String]) -> (word: String, line: String)? {
        guard arguments.first == CollectCommand.configuration.commandName, !arguments.contains("--") else { return nil }
        for index in arguments.indices.dropFirst() where !arguments[index].hasPrefix("-") {
            let corrected = arguments[..<index] + ["--"] + arguments[index...]
            // Any failure means that the separator alone is not what is missing.
            guard (try? CommandLineInterface.parseAsRoot(Array(corrected))) != nil else { continue }
            return (arguments[index], corrected.joined(separator: " "))
        }
        return nil
    }

    /// The parser's sentence in the form of all other messages.
    private static func sentence(_ text: String) -> String {
        var text = Console.escaped(text.split(separator: "\n").joined(separator: " "))
        if text.hasSuffix(".") { text.removeLast() }
        text = text.replacing(". Did you mean", with: "; did you mean")
        let second = text.dropFirst().first
        guard let first = text.first, second?.isLowercase == true || second == " " else { return text }
        return first.lowercased() + text.dropFirst()
    }
}

/// The last value that its type refused, with the reason: the argument parser passes on the value alone, or puts the reason
/// into a sentence of its own.
struct RefusedValue: Sendable {
    /// How the reason becomes a message.
    enum Form: Sendable {
        /// A clause behind the option's name: `--duration needs a unit, such as 5s or 5m`.
        case option
        /// A sentence behind option and value: `--fail 503:2: the rate must be between 0 and 1`.
        case value
        /// The whole message.
        case whole
    }

    private let value: String
    private let reason: String
    private let form: Form

    private static let box = Locked<RefusedValue?>(nil)

    static var last: RefusedValue? { box.withLock { $0 } }

    /// Keeps the reason, for an `init?(argument:)` that returns nil.
    static func refuse(_ value: String, _ reason: String, as form: Form = .option) {
        box.withLock { $0 = RefusedValue(value: value, reason: reason, form: form) }
    }

    /// Keeps a whole message, and returns it as the error of a transform.
    static func error(_ message: String) -> ValidationError {
        refuse("", message, as: .whole)
        return ValidationError(message)
    }

    fileprivate func sentence(in arguments: [String]) -> String {
        var option = "the argument"
        for (index, argument) in arguments.enumerated() {
            if argument == value, index > 0, arguments[index - 1].hasPrefix("-") { option = arguments[index - 1] }
            if argument.hasPrefix("--"), argument.hasSuffix("=\(value)") {
                option = String(argument.dropLast(value.count + 1))
            }
        }
        let (name, shown) = (Console.escaped(option), value.isEmpty ? "''" : Console.escaped(value))
        return switch form {
        case .option: "\(name) \(reason)"
        case .value: "\(name) \(shown): \(reason)"
        case .whole: reason
        }
    }
}
#endif
