/// Parser of the dialect of ``PlanPattern``.
struct PlanPatternParser {
    typealias Node = PlanPattern.Node
    typealias ParseError = PlanPattern.ParseError

    private let scalars: [Unicode.Scalar]
    private var position = 0

    private static let syntax = Set("^$\\.*+?()[]{}|/".unicodeScalars)

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The whole pattern.
    mutating func pattern() throws(ParseError) -> Node {
        let node = try alternatives(depth: 0)
        if next != nil { throw parseError("unmatched ')'") }
        return node
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func parseError(_ reason: String, at offset: Int? = nil) -> ParseError {
        ParseError(reason: "\(reason) (character \((offset ?? position) + 1))")
    }

    private mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func alternatives(depth: Int) throws(ParseError) -> Node {
        guard depth <= PlanPattern.maxDepth else { throw parseError("more than \(PlanPattern.maxDepth) nested groups") }
        var nodes = [try sequence(depth: depth)]
        while accept("|") { nodes.append(try sequence(depth: depth)) }
        return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
    }

    private mutating func sequence(depth: Int) throws(ParseError) -> Node {
        var nodes: [Node] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            if accept("^") {
                nodes.append(.start)
            } else if accept("$") {
                nodes.append(.end)
            } else {
                nodes.append(try quantified(atom(depth: depth)))
                continue
            }
            if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
                throw parseError("nothing to repeat before '\(scalar)'")
            }
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func atom(depth: Int) throws(ParseError) -> Node {
        let start = position
        let scalar = scalars[position]
        position += 1
        switch scalar {
        case ".": return .set(.notLineEnd)
        case "[": return .set(try set(from: start))
        case "\\": return .set(try escape(from: start, inSet: false))
        case "(":
            if accept("?"), !accept(":") {
                throw parseError("of the groups with '?' only '(?:…)' is supported", at: start)
            }
            let node = try alternatives(depth: depth + 1)
            guard accept(")") else { throw parseError("the group has no ')'", at: start) }
            // A group of its own, so that a quantifier after it applies to all of it.
            return .sequence([node])
        case "*", "+", "?": throw parseError("nothing to repeat before '\(scalar)'", at: start)
        case "{", "}", "]": throw parseError("'\(scalar)' must be written '\\\(scalar)'", at: start)
        default: return .set(ScalarSet(scalar))
        }
    }

    private mutating func quantified(_ node: Node) throws(ParseError) -> Node {
        let start = position
        var (minCount, maxCount): (Int, Int?) = (0, nil)
        if accept("*") {
        } else if accept("+") {
            minCount = 1
        } else if accept("?") {
            maxCount = 1
        } else if accept("{") {
            (minCount, maxCount) = try counts(from: start)
        } else {
            return node
        }
        // Laziness has no effect on a match as a whole.
        _ = accept("?")
        if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
            throw parseError("nothing to repeat before '\(scalar)'")
        }
        return .repetition(node, minCount: minCount, maxCount: maxCount)
    }

    private mutating func counts(from start: Int) throws(ParseError) -> (Int, Int?) {
        let wanted = "a quantifier is written {3}, {3,} or {3,5}"
        guard let minCount = number() else { throw parseError(wanted, at: start) }
        var maxCount: Int? = minCount
        if accept(",") { maxCount = number() }
        guard accept("}") else { throw parseError(wanted, at: start) }
        if let maxCount, maxCount < minCount {
            throw parseError("the numbers of the quantifier are out of order", at: start)
        }
        guard max(minCount, maxCount ?? 0) <= 1_024 else { throw parseError("a quantifier above 1024", at: start) }
        return (minCount, maxCount)
    }

    private mutating func number() -> Int? {
        var number: Int?
        while let scalar = next, let digit = scalar.properties.numericType == nil ? nil : Int(String(scalar)) {
            position += 1
            number = min(1_000_000, (number ?? 0) * 10 + digit)
        }
        return number
    }

    // MARK: - Sets

    private mutating func set(from start: Int) throws(ParseError) -> ScalarSet {
        let isInverted = accept("^")
        var ranges: [ClosedRange<UInt32>] = []
        while !accept("]") {
            guard next != nil else { throw parseError("the set of characters has no ']'", at: start) }
            let memberStart = position
            let lower = try member()
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                ranges += lower.isInverted ? lower.complement : lower.ranges
                continue
            }
            position += 1
            let upper = try member()
            guard let first = lower.single, let last = upper.single else {
                throw parseError("a class such as \\d cannot be the end of a range", at: memberStart)
            }
            guard first <= last else { throw parseError("the ends of the range are out of order", at: memberStart) }
            ranges.append(first...last)
        }
        guard !ranges.isEmpty else { throw parseError("the set of characters is empty", at: start) }
        return ScalarSet(ranges: ranges, isInverted: isInverted)
    }

    private mutating func member() throws(ParseError) -> ScalarSet {
        let start = position
        guard let scalar = next else { throw parseError("the set of characters has no ']'") }
        position += 1
        return scalar == "\\" ? try escape(from: start, inSet: true) : ScalarSet(scalar)
    }

    private mutating func escape(from start: Int, inSet: Bool) throws(ParseError) -> ScalarSet {
        guard let scalar = next else { throw parseError("'\\' at the end", at: start) }
        position += 1
        switch scalar {
        case "d": return .digits
        case "D": return ScalarSet(ranges: ScalarSet.digits.ranges, isInverted: true)
        case "w": return .word
        case "W": return ScalarSet(ranges: ScalarSet.word.ranges, isInverted: true)
        case "s": return .space
        case "S": return ScalarSet(ranges: ScalarSet.space.ranges, isInverted: true)
        case "t": return ScalarSet("\t")
        case "n": return ScalarSet("\n")
        case "v": return ScalarSet("\u{0B}")
        case "f": return ScalarSet("\u{0C}")
        case "r": return ScalarSet("\r")
        case "x": return try hexadecimal(digits: 2, from: start)
        case "u" where next == "{":
            position += 1
            let value = try hexadecimal(digits: nil, from: start)
            guard accept("}") else { throw parseError("'\\u{' has no '}'", at: start) }
            return value
        case "u": return try hexadecimal(digits: 4, from: start)
        case "-" where inSet: return ScalarSet(scalar)
        case _ where Self.syntax.contains(scalar): return ScalarSet(scalar)
        case "1"..."9": throw parseError("references to groups are not supported", at: start)
        case "b", "B": throw parseError("'\\\(scalar)' is not supported; use ^, $ or a set of characters", at: start)
        case "p", "P": throw parseError("Unicode properties are not supported", at: start)
        default: throw parseError("unknown escape '\\\(scalar)'", at: start)
        }
    }

    private mutating func hexadecimal(digits count: Int?, from start: Int) throws(ParseError) -> ScalarSet {
        var text = ""
        while text.count < count ?? 6, let scalar = next, scalar.properties.isASCIIHexDigit {
            text.unicodeScalars.append(scalar)
            position += 1
        }
        guard text.count == count ?? max(1, text.count), let value = UInt32(text, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw parseError("the escape is not the number of a character", at: start) }
        return ScalarSet(scalar)
    }
}

extension ScalarSet {
    /// The only scalar of the set; `nil` if there are none or several.
    var single: UInt32? {
        guard !isInverted, ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
        return range.lowerBound
    }
}

extension PlanPattern {
    /// The pattern for other engines, with the classes, `.` and `$` spelled out, in which engines differ.
    package var portableText: String {
        var text = ""
        PlanPattern.write(root, into: &text)
        return text
    }

    private static func write(_ node: Node, into text: inout String) {
        switch node {
        case .set(let set): text += set.pattern
        case .start: text += "^"
        // Some engines let `$` match before a line feed at the end.
        case .end: text += "(?![\\s\\S])"
        case .sequence(let nodes):
            for node in nodes {
                if case .alternatives = node {
                    text += "(?:"
                    write(node, into: &text)
                    text += ")"
                } else {
                    write(node, into: &text)
                }
            }
        case .alternatives(let nodes):
            for (index, node) in nodes.enumerated() {
                if index > 0 { text += "|" }
                write(node, into: &text)
            }
        case .repetition(let node, let minCount, let maxCount):
            if case .set(let set) = node {
                text += set.pattern
            } else {
                text += "(?:"
                write(node, into: &text)
                text += ")"
            }
            text += quantifier(minCount, maxCount)
        }
    }
}

extension PlanPattern {
    private static func quantifier(_ minCount: Int, _ maxCount: Int?) -> String {
        switch (minCount, maxCount) {
        case (0, nil): "*"
        case (1, nil): "+"
        case (0, 1): "?"
        case (_, minCount): "{\(minCount)}"
        default: "{\(minCount),\(maxCount.map(String.init) ?? "")}"
        }
    }
}

extension ScalarSet {
    fileprivate var pattern: String {
        if let single { return Self.escaped(single, inSet: false) }
        let members = ranges.map { range in
            range.count == 1
                ? Self.escaped(range.lowerBound, inSet: true)
                : Self.escaped(range.lowerBound, inSet: true) + "-" + Self.escaped(range.upperBound, inSet: true)
        }
        return (isInverted ? "[^" : "[") + members.joined() + "]"
    }

    private static func escaped(_ value: UInt32, inSet: Bool) -> String {
        guard let scalar = Unicode.Scalar(value), value >= 0x20, !(0x7F...0xFFFF).contains(value) else {
            let digits = String(value, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        if scalar == "-" { return inSet ? "\\-" : "-" }
        return "^$\\.*+?()[]{}|/".unicodeScalars.contains(scalar) ? "\\\(scalar)" : String(scalar)
    }
}
