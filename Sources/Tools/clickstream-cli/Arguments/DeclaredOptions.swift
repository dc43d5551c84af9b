import ArgumentParser
import ClickstreamCore

/// Options and flags of a command, as it declares them.
struct DeclaredOptions {
    private struct Option {
        /// Spellings, such as `--limit` and `-n`.
        var names: [String]
        /// True for an option with one value; false for a flag, and for an option with several values.
        var isSingle: Bool
    }

    private let options: [Option]

    /// Reads the parser's description of a command.
    init(of command: any ParsableCommand.Type) {
        // The parser prints valid JSON.
        let description = try? JSONReader.parse(Array(command._dumpHelp().utf8))
        options = (description?["command"]?["arguments"]?.array ?? []).compactMap { argument in
            let names = (argument["names"]?.array ?? []).compactMap { name -> String? in
                name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
            }
            let isSingle = argument["kind"]?.string == "option" && argument["isRepeating"]?.boolean == false
            return names.isEmpty ? nil : Option(names: names, isSingle: isSingle)
        }
    }

    /// The first option in the arguments that the command does not have, with a similar one as advice.
    func unknown(in arguments: ArraySlice<String>) -> String? {
        let names = options.flatMap(\.names)
        let unknown = Self.names(in: arguments).map(\.name).first { name in
            !names.contains(Self.start(of: name)) && name.prefixMatch(of: /-[0-9]/) == nil
        }
        guard let unknown else { return nil }
        let advice = Suggestion.question(about: unknown, among: names.filter { $0.hasPrefix("--") })
        return "unknown option '\(unknown)'" + (advice.map { "; \($0)" } ?? "")
    }

    /// The mistake of an option with one value that is given twice.
    func repetition(in arguments: ArraySlice<String>) -> String? {
        var given: [Int: String] = [:]
        for (index, name) in Self.names(in: arguments) {
            let start = Self.start(of: name)
            guard let option = options.firstIndex(where: { $0.isSingle && $0.names.contains(start) }) else { continue }
            let next = index + 1 < arguments.endIndex ? " \(arguments[index + 1])" : ""
            let spelling = Console.escaped(arguments[index] == start ? start + next : arguments[index])
            if let first = given.updateValue(spelling, forKey: option) {
                return "\(first) and \(spelling) cannot be combined; give \(start) once"
            }
        }
        return nil
    }

    /// The option at the start of a name: short options may be joined, and followed by a value.
    private static func start(of name: String) -> String { name.hasPrefix("--") ? name : String(name.prefix(2)) }

    /// The options in the arguments before `--`, each with its index.
    static func names(in arguments: ArraySlice<String>) -> [(index: Int, name: String)] {
        arguments.prefix { $0 != "--" }.indices.filter { arguments[$0].hasPrefix("-") && arguments[$0] != "-" }
            .map { ($0, String(arguments[$0].prefix { $0 != "=" })) }
    }
}
