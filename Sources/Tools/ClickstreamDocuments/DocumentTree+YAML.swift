import ClickstreamCore
import Yams

extension DocumentTree {
    /// Parses one YAML document. Scalars are typed by the core schema of YAML 1.2, not by Yams.
    init(yaml text: String) {
        do {
            // No resolver rules: the default of Yams is YAML 1.1, where `no` is false.
            guard let document = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot() else { return }
            // Every node has at least one byte of text, or comes from an alias.
            var budget = text.utf8.count + DocumentTree.maxAliasedNodes
            root = node(of: document, depth: 0, budget: &budget)
        } catch {
            problems = [DocumentTree.problem(of: error, in: text)]
        }
    }

    private mutating func node(of node: Node, depth: Int, budget: inout Int) -> DocumentNode {
        let position = SourcePosition(node.mark)
        budget -= 1
        guard budget >= 0, depth <= DocumentTree.maxDepth else {
            // Reported once, not for every further value.
            if budget >= 0 || budget == -1 {
                problems.append(
                    budget < 0
                        ? DocumentProblem(
                            at: position,
                            "aliases repeat more than \(DocumentTree.maxAliasedNodes) values"
                        )
                        : DocumentTree.tooDeep(at: position)
                )
            }
            return DocumentNode(.unreadable, at: position)
        }
        switch node {
        case .scalar(let scalar):
            return self.scalar(scalar, at: position)
        case .sequence(let sequence):
            checkTag(sequence.tag, of: ["tag:yaml.org,2002:seq"], at: position)
            var list: [DocumentNode] = []
            list.reserveCapacity(sequence.count)
            for element in sequence where budget >= 0 {
                list.append(self.node(of: element, depth: depth + 1, budget: &budget))
            }
            return DocumentNode(.list(list), at: position)
        case .mapping(let mapping):
            checkTag(mapping.tag, of: ["tag:yaml.org,2002:map"], at: position)
            var entries: [DocumentNode.Entry] = []
            entries.reserveCapacity(mapping.count)
            for (key, value) in mapping where budget >= 0 {
                let keyPosition = SourcePosition(key.mark)
                let value = self.node(of: value, depth: depth + 1, budget: &budget)
                guard case .scalar(let name) = key else {
                    problems.append(DocumentProblem(at: keyPosition, "a key must be a string, not a list or a mapping"))
                    continue
                }
                entries.append(DocumentNode.Entry(key: name.string, keyPosition: keyPosition, value: value))
            }
            return DocumentNode(.mapping(entries), at: position)
        case .alias:
            // Aliases are resolved by the parser; this tree was built in code.
            problems.append(DocumentProblem(at: position, "an alias without an anchor"))
            return DocumentNode(.unreadable, at: position)
        }
    }

    private mutating func scalar(_ scalar: Node.Scalar, at position: SourcePosition) -> DocumentNode {
        let text = scalar.string
        let tag = scalar.tag.rawValue
        switch tag {
        case "" where scalar.style == .plain:
            break
        case "", "!", "tag:yaml.org,2002:str":
            return DocumentNode(.string(text), at: position)
        case "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null":
            break
        default:
            checkTag(scalar.tag, of: [], at: position)
            return DocumentNode(.unreadable, at: position)
        }
        guard let content = CoreSchema.content(of: text) else {
            problems.append(
                CoreSchema.isInteger(text)
                    ? .integerTooLarge(text, at: position) : .doubleTooLarge(text, at: position)
            )
            return DocumentNode(.unreadable, at: position)
        }
        switch (tag, content) {
        case ("", .string): return DocumentNode(content, at: position)
        case ("", _), ("tag:yaml.org,2002:int", .integer), ("tag:yaml.org,2002:float", .double),
            ("tag:yaml.org,2002:bool", .boolean), ("tag:yaml.org,2002:null", .null):
            return DocumentNode(content, at: position, spelling: text)
        case ("tag:yaml.org,2002:float", .integer(let integer)):
            return DocumentNode(.double(Double(integer)), at: position, spelling: text)
        default:
            let type = tag.dropFirst("tag:yaml.org,2002:".count)
            problems.append(DocumentProblem(at: position, "'\(text)' is not a valid !!\(type)"))
            return DocumentNode(.unreadable, at: position)
        }
    }

    private mutating func checkTag(_ tag: Tag, of known: [String], at position: SourcePosition) {
        guard !tag.rawValue.isEmpty, tag.rawValue != "!", !known.contains(tag.rawValue) else { return }
        problems.append(DocumentProblem(at: position, "unknown tag '\(tag.rawValue)'"))
    }
}

// MARK: - Scalars

/// The core schema of YAML 1.2 for plain scalars.
enum CoreSchema {
    /// - Returns: `nil` for a number that does not fit its type.
    static func content(of text: String) -> DocumentNode.Content? {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        case ".nan", ".NaN", ".NAN": return .double(.nan)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .double(.infinity)
        case "-.inf", "-.Inf", "-.INF": return .double(-.infinity)
        default: break
        }
        // Most scalars are words, recognized by their first letter.
        guard let first = text.utf8.first, first < UInt8(ascii: ":") else { return .string(text) }
        if isInteger(text) { return integer(text).map { .integer($0) } }
        guard isDouble(text) else { return .string(text) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .double(number)
    }

    /// `[-+]?[0-9]+`, `0o[0-7]+`, `0x[0-9a-fA-F]+`
    static func isInteger(_ text: String) -> Bool {
        var digits = text.utf8[...]
        if digits.starts(with: "0o".utf8) {
            digits = digits.dropFirst(2)
            return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        }
        if digits.starts(with: "0x".utf8) {
            digits = digits.dropFirst(2)
            return !digits.isEmpty && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
        if let first = digits.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            digits = digits.dropFirst()
        }
        return !digits.isEmpty && digits.allSatisfy(isDigit)
    }

    /// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
    private static func isDouble(_ text: String) -> Bool {
        var rest = text.utf8[...]
        dropSign(&rest)
        let whole = dropDigits(&rest)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = dropDigits(&rest)
        }
        guard whole + fraction > 0 else { return false }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            dropSign(&rest)
            guard dropDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func integer(_ text: String) -> Int64? {
        if text.hasPrefix("0o") { return Int64(text.dropFirst(2), radix: 8) }
        if text.hasPrefix("0x") { return Int64(text.dropFirst(2), radix: 16) }
        return Int64(text)
    }

    private static func dropSign(_ text: inout Substring.UTF8View) {
        if text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") { text = text.dropFirst() }
    }

    private static func dropDigits(_ text: inout Substring.UTF8View) -> Int {
        let digits = text.prefix(while: isDigit)
        text = text.dropFirst(digits.count)
        return digits.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}

// MARK: - Syntax errors

extension DocumentTree {
    private static func problem(of error: any Error, in text: String) -> DocumentProblem {
        guard let error = error as? YamlError else {
            return DocumentProblem(at: SourcePosition(line: 1, column: 1), "not YAML: \(error)")
        }
        switch error {
        case .parser(_, _, let mark, _) where depth(ofLine: mark.line, in: text) >= parserDepth:
            return tooDeep(at: SourcePosition(mark))
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let position = SourcePosition(mark)
            return DocumentProblem(
                at: position,
                "not YAML: \(problem)" + (context.map { " (\($0.text))" } ?? ""),
                suggestion: scalar(at: position, in: text) == "\t" ? "indent with spaces, not with tabs" : nil
            )
        case .reader(let problem, let offset, _, _):
            let index = offset.flatMap { text.index(text.startIndex, offsetBy: $0, limitedBy: text.endIndex) }
            let bytes = text.utf8.distance(from: text.startIndex, to: index ?? text.startIndex)
            return DocumentProblem(at: SourcePosition(of: bytes, in: text.utf8), "not YAML: \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            let first = SourcePosition(context.mark)
            let name = names.first ?? ""
            return repeatedKey(name, at: RepeatedKey(name, first: first, in: text).position ?? first)
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            return DocumentProblem(at: SourcePosition(line: 1, column: 1), "not YAML: \(error)")
        }
    }

    private static func tooDeep(at position: SourcePosition) -> DocumentProblem {
        DocumentProblem(at: position, "more than \(maxDepth) nested lists and mappings")
    }

    /// Depth at which a syntax error is the nesting limit of libyaml, which has no error code. The limit is 1 000; the depth
    /// is an estimate.
    private static let parserDepth = 900

    /// The largest nesting depth on a line: levels of indentation, and brackets that are open. An estimate, since brackets in
    /// scalars count too. The whole line counts: libyaml reads it before it reports its first bracket.
    private static func depth(ofLine number: Int, in text: String) -> Int {
        var indentations: [Int] = []
        var brackets = 0
        var deepest = 0
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).prefix(number) {
            var isIndented = brackets == 0
            deepest = 0
            for (column, scalar) in line.enumerated() where scalar != " " && scalar != "\r" {
                if isIndented, scalar == "#" { break }
                if isIndented {
                    while let last = indentations.last, last >= column { indentations.removeLast() }
                    indentations.append(column)
                    // An entry of a list, or a key, may begin another one on the same line.
                    isIndented = scalar == "-" || scalar == "?"
                }
                switch scalar {
                case "[", "{": brackets += 1
                case "]", "}": brackets = max(brackets - 1, 0)
                default: break
                }
                deepest = max(deepest, indentations.count + brackets)
            }
        }
        return deepest
    }

    private static func scalar(at position: SourcePosition, in text: String) -> Unicode.Scalar? {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(position.line - 1) else { return nil }
        return lines[position.line - 1].dropFirst(position.column - 1).first
    }
}

/// Finds the second occurrence of a key; Yams reports only the first.
///
/// Handles keys in common notation; returns the first occurrence otherwise.
private struct RepeatedKey {
    private(set) var position: SourcePosition?

    init(_ name: String, first: SourcePosition, in text: String) {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(first.line - 1) else { return }
        let spellings = [name, "\"\(name)\"", "'\(name)'"].map { Array($0.unicodeScalars) }
        position =
            RepeatedKey.inBlock(spellings, first: first, lines: lines)
            ?? RepeatedKey.inBraces(spellings, first: first, lines: lines)
    }

    private typealias Line = String.UnicodeScalarView.SubSequence

    /// A later line of the same indentation that begins with the key; a line further left ends the mapping.
    private static func inBlock(
        _ spellings: [[Unicode.Scalar]],
        first: SourcePosition,
        lines: [Line]
    ) -> SourcePosition? {
        for (index, line) in lines.enumerated().dropFirst(first.line) {
            let indentation = line.prefix { $0 == " " }.count
            let rest = line.dropFirst(indentation)
            guard let start = rest.first, start != "#", start != "\r" else { continue }
            guard indentation + 1 >= first.column else { return nil }
            if indentation + 1 == first.column, beginsWithKey(rest, spellings) {
                return SourcePosition(line: index + 1, column: first.column)
            }
        }
        return nil
    }

    /// A key after a comma on the same level of brackets, outside quotation marks.
    private static func inBraces(
        _ spellings: [[Unicode.Scalar]],
        first: SourcePosition,
        lines: [Line]
    ) -> SourcePosition? {
        var depth = 0
        var quote: Unicode.Scalar?
        var expectsKey = false
        for (index, line) in lines.enumerated().dropFirst(first.line - 1) {
            let scalars = Array(line)
            for column in scalars.indices where index >= first.line || column >= first.column - 1 {
                let scalar = scalars[column]
                if expectsKey, depth == 0, scalar != " ", beginsWithKey(scalars[column...], spellings) {
                    return SourcePosition(line: index + 1, column: column + 1)
                }
                if scalar != " " { expectsKey = false }
                switch scalar {
                case "\"", "'": quote = quote == nil ? scalar : quote == scalar ? nil : quote
                case "{" where quote == nil, "[" where quote == nil: depth += 1
                case "}" where quote == nil, "]" where quote == nil: depth -= 1
                case "," where quote == nil: expectsKey = depth == 0
                default: break
                }
                if depth < 0 { return nil }
            }
        }
        return nil
    }

    private static func beginsWithKey(
        _ text: some Collection<Unicode.Scalar>,
        _ spellings: [[Unicode.Scalar]]
    ) -> Bool {
        spellings.contains { spelling in
            text.starts(with: spelling) && text.dropFirst(spelling.count).first { $0 != " " } == ":"
        }
    }
}

extension SourcePosition {
    fileprivate init(_ mark: Mark?) {
        self.init(line: mark?.line ?? 1, column: mark?.column ?? 1)
    }
}
