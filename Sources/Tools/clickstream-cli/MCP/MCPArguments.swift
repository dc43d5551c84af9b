import ClickstreamCore

/// Valid arguments of a call, as texts.
struct MCPArguments: Sendable {
    private struct Argument: Sendable {
        var parameter: MCPTool.Parameter
        /// One text, or those of a list.
        var values: [String]
    }

    private var arguments: [Argument] = []

    /// Validates the arguments of a call. Null and an empty text count as absent.
    /// - Parameters:
    ///   - value: an object.
    ///   - now: time from which an age is subtracted.
    init(_ value: JSONValue, for parameters: [MCPTool.Parameter], now: Timestamp) throws(MCPFailure) {
        let members = value.members ?? []
        let names = parameters.map(\.name)
        for member in members where !names.contains(where: { Characters.areSame($0, member.name) }) {
            let advice =
                names.isEmpty
                ? "the tool has none"
                : Suggestion.question(about: member.name, among: names) ?? "use \(names.joined(separator: ", "))"
            throw MCPFailure(.arguments, "unknown argument '\(member.name.prefix(100))'; \(advice)")
        }
        for parameter in parameters {
            let values = try value[parameter.name].map { (value) throws(MCPFailure) in
                try parameter.values(value, now: now)
            }
            if let values, !values.isEmpty {
                arguments.append(Argument(parameter: parameter, values: values))
            } else if let initial = parameter.initial {
                arguments.append(Argument(parameter: parameter, values: ["\(initial)"]))
            } else if parameter.isRequired {
                throw MCPFailure(.arguments, "\(parameter.name) is missing; pass \(parameter.expectation)")
            }
        }
    }

    /// Value of an argument, of a list the first; `nil` if it is absent.
    subscript(name: String) -> String? {
        arguments.first { $0.parameter.name == name }?.values.first
    }

    /// Value of an integer; `nil` if it is absent.
    func integer(_ name: String) -> Int64? { self[name].flatMap { Int64($0) } }

    /// Parameters of the query API with the arguments.
    var query: [(name: String, value: String)] {
        arguments.flatMap { argument -> [(name: String, value: String)] in
            switch argument.parameter.query {
            case .sameName: argument.values.map { (name: argument.parameter.name, value: $0) }
            case .named(let name): argument.values.map { (name: name, value: $0) }
            case .none: []
            }
        }
    }
}

extension MCPTool.Parameter {
    /// A valid value as a noun phrase.
    fileprivate var expectation: String {
        switch kind {
        case .text: "a string"
        case .choice(let values): "one of \(values.joined(separator: ", "))"
        case .integer(let range) where range.upperBound == .max: "an integer from \(range.lowerBound)"
        case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .texts(let count): "an array of \(count.lowerBound) to \(count.upperBound) strings that are not empty"
        case .cursor: "the next of an earlier result"
        case .time: "a date such as 2026-11-21T08:00:00Z, milliseconds since 1970 as a string, or an age such as 10m"
        }
    }

    /// The texts of a value; empty for an absent one.
    fileprivate func values(_ value: JSONValue, now: Timestamp) throws(MCPFailure) -> [String] {
        if value.isNull || value.string == "" { return [] }
        let texts: [String]? =
            switch kind {
            case .text: value.string.map { [$0] }
            case .choice(let values): value.string.flatMap { values.contains($0) ? [$0] : nil }
            case .integer(let range): value.wholeNumber.flatMap { range.contains($0) ? ["\($0)"] : nil }
            case .texts(let count): value.array.flatMap { $0.texts(count: count) }
            case .cursor: (value.string.flatMap { Int64($0) } ?? value.integer).flatMap { $0 >= 0 ? ["\($0)"] : nil }
            case .time: value.string.flatMap { TimeOption.time($0, now: now) }.map { ["\($0.milliseconds)"] }
            }
        guard let texts else {
            let found = value.isNested ? value.kindDescription : "'\(value.description.prefix(100))'"
            throw MCPFailure(.arguments, "\(name) must be \(expectation), not \(found)")
        }
        return texts
    }
}

extension JSONValue {
    /// Value of a number without a fraction, such as 5 or 5.0.
    fileprivate var wholeNumber: Int64? { number.flatMap { $0.integer ?? Int64(exactly: $0.double) } }
}

extension [JSONValue] {
    /// The elements if all are strings that are not empty, in an allowed number.
    fileprivate func texts(count: ClosedRange<Int>) -> [String]? {
        let texts = compactMap(\.string).filter { !$0.isEmpty }
        return texts.count == self.count && count.contains(texts.count) ? texts : nil
    }
}
