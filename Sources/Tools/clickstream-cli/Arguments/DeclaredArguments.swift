import ArgumentParser
import ClickstreamCore

/// Options, flags and positional arguments of a command, as it declares them.
struct DeclaredArguments {
    private struct Argument {
        /// Spellings, such as `--limit` and `-n`; empty for a positional argument.
        var names: [String]
        var valueName: String
        /// True for an argument without a value.
        var isFlag: Bool
        var isRequired: Bool
        var isRepeating: Bool
        /// True for a positional argument that consists of the words after `--`.
        var followsTerminator: Bool
        /// True for a positional argument that takes all words, options included.
        var takesEverything: Bool
        /// Valid values; empty if the type of the value is not an enumeration.
        var values: [String]

        init(_ description: JSONValue) {
            names = (description["names"]?.array ?? []).compactMap { name in
                name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
            }
            valueName = description["valueName"]?.string ?? ""
            isFlag = description["kind"]?.string == "flag"
            isRequired = description["isOptional"]?.boolean == false
            isRepeating = description["isRepeating"]?.boolean == true
            followsTerminator = description["parsingStrategy"]?.string == "postTerminator"
            takesEverything = description["parsingStrategy"]?.string == "allRemainingInput"
            values = (description["allValues"]?.array ?? []).compactMap(\.string)
        }

        /// The argument as the usage shows it, such as `--activity <activity>`.
        var synopsis: String {
            let option = (names.first { $0.hasPrefix("--") } ?? names.first).map { "\($0) " } ?? ""
            return "\(option)<\(valueName)>" + (isRepeating ? " ..." : "")
        }
    }

    private let arguments: [Argument]

    /// Reads the parser's description of a command.
    /// - Parameter takesOutputOptions: true to add the output options, which the root command takes from the words of every
    ///   command.
    init(of command: any ParsableCommand.Type, takesOutputOptions: Bool = false) {
        var arguments = Self.arguments(of: command)
        if takesOutputOptions {
            let names = Set(arguments.flatMap(\.names))
            arguments += Self.arguments(of: OutputOptions.self).filter { names.isDisjoint(with: $0.names) }
        }
        self.arguments = arguments
    }

    private static func arguments(of type: any ParsableArguments.Type) -> [Argument] {
        // The parser prints valid JSON.
        let description = try? JSONReader.parse(Array(type._dumpHelp().utf8))
        return (description?["command"]?["arguments"]?.array ?? []).map { Argument($0) }
    }

    /// The mistake of an option with one value that is given twice.
    func repetition(in arguments: ArraySlice<String>) -> String? {
        var given: [Int: String] = [:]
        for (index, name) in Self.names(in: arguments) {
            let start = name.hasPrefix("--") ? name : String(name.prefix(2))
            guard let option = self.index(of: start), isSingle(self.arguments[option]) else { continue }
            let next = index + 1 < arguments.endIndex ? " \(arguments[index + 1])" : ""
            let spelling = Console.escaped(arguments[index] == start ? start + next : arguments[index])
            if let first = given.updateValue(spelling, forKey: option) {
                return "\(first) and \(spelling) cannot be combined; give \(start) once"
            }
        }
        return nil
    }

    private func isSingle(_ argument: Argument) -> Bool { !argument.isFlag && !argument.isRepeating }

    /// The options in the arguments before `--`, each with its index.
    static func names(in arguments: ArraySlice<String>) -> [(index: Int, name: String)] {
        arguments.prefix { $0 != "--" }.indices.filter { isOption(arguments[$0]) }
            .map { ($0, String(arguments[$0].prefix { $0 != "=" })) }
    }

    private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }

    private func index(of name: String) -> Int? { arguments.firstIndex { $0.names.contains(name) } }
}

// MARK: - Syntax

extension DeclaredArguments {
    /// Syntax error of a command line.
    enum SyntaxError {
        case missingValue(option: String)
        case unexpectedValue(String, flag: String)
        case invalidValue(String, option: String, valid: [String])
        /// An option that the command does not have, with a similar one as a question.
        case unknownOption(String, advice: String?)
        case missingArgument(synopsis: String)
        case unexpectedArguments([String])

        var message: String {
            switch self {
            case .missingValue(let option):
                return "\(option) needs a value"
            case .unexpectedValue(let value, let flag):
                return "the option '\(flag)' does not take any value, but '\(value)' was specified"
            case .invalidValue(let value, let option, let valid):
                let names = String.list(valid.map { "'\($0)'" }, "or")
                return "\(option): '\(value)' is not a valid value; use \(names)"
            case .unknownOption(let option, let advice):
                return "unknown option '\(option)'" + (advice.map { "; \($0)" } ?? "")
            case .missingArgument(let synopsis):
                return "missing argument \(synopsis)"
            case .unexpectedArguments(let words):
                let list = words.map { "'\($0)'" }.joined(separator: ", ")
                return words.count == 1 ? "unexpected argument \(list)" : "\(words.count) unexpected arguments: \(list)"
            }
        }
    }

    /// The first syntax error: of an option's value, then an unknown option, a missing and an unexpected argument.
    /// - Parameter words: the command line without the names of commands.
    func syntaxError(in words: [String]) -> SyntaxError? {
        guard !arguments.contains(where: \.takesEverything) else { return nil }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var given: Set<Int> = []
        var values: [String] = []
        var unknown: String?
        var next = 0
        while next < end {
            let word = words[next]
            next += 1
            guard Self.isOption(word) else {
                values.append(word)
                continue
            }
            for (name, attached) in options(in: word) {
                guard let index = index(of: name) else {
                    unknown = unknown ?? name
                    continue
                }
                given.insert(index)
                let argument = arguments[index]
                if argument.isFlag {
                    if let attached { return .unexpectedValue(attached, flag: name) }
                    continue
                }
                var value = attached
                if value == nil, next < end, !Self.isOption(words[next]) {
                    value = words[next]
                    next += 1
                }
                guard let value else { return .missingValue(option: name) }
                guard argument.values.isEmpty || argument.values.contains(value) else {
                    return .invalidValue(value, option: name, valid: argument.values)
                }
            }
        }
        if let unknown {
            let names = arguments.flatMap(\.names).filter { $0.hasPrefix("--") }
            return .unknownOption(unknown, advice: Suggestion.question(about: unknown, among: names))
        }
        if !arguments.contains(where: \.followsTerminator) { values += words[end...].dropFirst() }
        return positionalError(in: values, given: given)
    }

    /// The options in a word: several for joined flags, such as `-qv`. After a long name an empty value counts as none,
    /// as for the parser.
    private func options(in word: String) -> [(name: String, value: String?)] {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: word.hasPrefix("--"))
        let name = parts[0] == "-" ? word : String(parts[0])
        let short = String(name.prefix(2))
        guard short != "--", name.count > 2, let index = index(of: short) else {
            return [(name, parts.count > 1 ? String(parts[1]) : nil)]
        }
        return arguments[index].isFlag
            ? name.dropFirst().map { ("-\($0)", nil) } : [(short, String(word.dropFirst(2)))]
    }

    /// Mistake of a missing or an unexpected argument.
    /// - Parameter given: indexes of the options given.
    private func positionalError(in values: [String], given: Set<Int>) -> SyntaxError? {
        var rest = values[...]
        for (index, argument) in arguments.enumerated() where !argument.followsTerminator {
            if argument.names.isEmpty {
                if rest.isEmpty, argument.isRequired { return .missingArgument(synopsis: argument.synopsis) }
                rest = argument.isRepeating ? [] : rest.dropFirst()
            } else if argument.isRequired, !given.contains(index) {
                return .missingArgument(synopsis: argument.synopsis)
            }
        }
        return rest.isEmpty ? nil : .unexpectedArguments(Array(rest))
    }
}
