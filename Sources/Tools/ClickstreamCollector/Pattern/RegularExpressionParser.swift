/// Syntax tree of a pattern.
indirect enum RegularExpressionNode: Sendable, Hashable {
    case empty
    case set(RegularExpression.CharacterSet, ignoringCase: Bool)
    case assertion(RegularExpression.Assertion)
    case sequence([RegularExpressionNode])
    case choice([RegularExpressionNode])
    case repetition(RegularExpressionNode, from: Int, to: Int?)
    case look(RegularExpressionNode, isBehind: Bool, isNegated: Bool)
}

/// Recursive descent parser for patterns.
struct RegularExpressionParser {
    typealias Node = RegularExpressionNode
    typealias Mistake = RegularExpression.Mistake

    static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    static let word: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    static let space: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0]
    private static let named: [String: [ClosedRange<UInt32>]] = [
        "alpha": [0x41...0x5A, 0x61...0x7A], "digit": digits, "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A],
        "upper": [0x41...0x5A], "lower": [0x61...0x7A], "space": space, "word": word,
        "blank": [0x09...0x09, 0x20...0x20],
        "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
        "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
        "print": [0x20...0x7E], "graph": [0x21...0x7E], "cntrl": [0x00...0x1F, 0x7F...0x7F],
    ]
    private static let mostRepetitions = 1_000
    private static let mostDepth = 100

    private let pattern: [Unicode.Scalar]
    private var place = 0
    private var ignoringCase: Bool
    private var depth = 0

    init(_ pattern: String, ignoringCase: Bool) {
        self.pattern = Array(pattern.unicodeScalars)
        self.ignoringCase = ignoringCase
    }

    mutating func parse() throws(Mistake) -> Node {
        let node = try choice()
        if place < pattern.count { throw mistake("a ) without a (") }
        return node
    }

    // MARK: - Structure

    private mutating func choice() throws(Mistake) -> Node {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.mostDepth { throw mistake("more than \(Self.mostDepth) nested groups") }
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(Mistake) -> Node {
        var parts: [Node] = []
        while let next = peek, next != "|", next != ")" {
            if take("\\Q") {
                while place < pattern.count, !take("\\E") { parts.append(literal(advance())) }
                continue
            }
            parts.append(try quantified(try atom()))
        }
        return .sequence(parts)
    }

    private mutating func quantified(_ atom: Node) throws(Mistake) -> Node {
        var node = atom
        while let bounds = try quantifier() {
            if take("+") { throw mistake("a possessive quantifier, which is not supported") }
            // Lazy and greedy quantifiers match the same texts.
            _ = take("?")
            node = .repetition(node, from: bounds.from, to: bounds.to)
        }
        return node
    }

    private mutating func quantifier() throws(Mistake) -> (from: Int, to: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard peek == "{" else { return nil }
        let start = place
        place += 1
        let from = number()
        var to = from
        if take(",") { to = number() }
        // Braces that are not a quantifier are literals, as in PCRE.
        guard take("}"), let from else {
            place = start
            return nil
        }
        if from > Self.mostRepetitions || (to ?? 0) > Self.mostRepetitions {
            throw mistake("more than \(Self.mostRepetitions) repetitions")
        }
        if let to, to < from { throw mistake("a repetition with its bounds in the wrong order") }
        return (from, to)
    }

    private mutating func atom() throws(Mistake) -> Node {
        let scalar = advance()
        switch scalar {
        case "(": return try group()
        case "[": return try set()
        case ".": return .set(.init(ranges: [0x0A...0x0A], isNegated: true), ignoringCase: false)
        case "^": return .assertion(.start)
        case "$": return .assertion(.endBeforeLineEnd)
        case "\\": return try escape()
        case "*", "+", "?": throw mistake("a quantifier with nothing to repeat")
        default: return literal(scalar)
        }
    }

    private mutating func group() throws(Mistake) -> Node {
        let outer = ignoringCase
        defer { ignoringCase = outer }
        var look: (isBehind: Bool, isNegated: Bool)?
        if take("?") {
            if take("=") {
                look = (false, false)
            } else if take("!") {
                look = (false, true)
            } else if take("<=") {
                look = (true, false)
            } else if take("<!") {
                look = (true, true)
            } else if take("#") {
                while let next = peek, next != ")" {
                    _ = next
                    place += 1
                }
                try end()
                return .empty
            } else if take("<") || take("P<") || take("'") {
                while let next = peek, next != ">", next != "'" {
                    _ = next
                    place += 1
                }
                _ = advance()
            } else if !take(":") {
                guard try options() else {
                    // `(?i)` applies up to the end of the enclosing group.
                    let rest = try choice()
                    return rest
                }
            }
        }
        let node = try choice()
        try end()
        return look.map { .look(node, isBehind: $0.isBehind, isNegated: $0.isNegated) } ?? node
    }

    /// Parses options such as `i` or `-i`.
    /// - Returns: true if a group follows, false if they apply to the rest of the enclosing group.
    private mutating func options() throws(Mistake) -> Bool {
        var isOn = true
        while let option = peek {
            place += 1
            switch option {
            case "i": ignoringCase = isOn
            case "-": isOn = false
            case ":": return true
            case ")": return false
            default:
                throw mistake("(?\(option), which is not supported")
            }
        }
        throw mistake("a ( without a )")
    }

    private mutating func end() throws(Mistake) {
        if !take(")") { throw mistake("a ( without a )") }
    }

    // MARK: - Characters

    private func literal(_ scalar: Unicode.Scalar) -> Node {
        .set(.init(ranges: [scalar.value...scalar.value]), ignoringCase: ignoringCase)
    }

    private mutating func escape() throws(Mistake) -> Node {
        guard place < pattern.count else { throw mistake("a \\ at the end") }
        switch peek {
        case "b":
            place += 1
            return .assertion(.wordBoundary)
        case "B":
            place += 1
            return .assertion(.noWordBoundary)
        case "A":
            place += 1
            return .assertion(.start)
        case "z":
            place += 1
            return .assertion(.end)
        case "Z":
            place += 1
            return .assertion(.endBeforeLineEnd)
        case "E":
            place += 1
            return .empty
        default: return .set(try escapedSet(), ignoringCase: ignoringCase)
        }
    }

    /// Characters of an escape, after its backslash.
    private mutating func escapedSet() throws(Mistake) -> RegularExpression.CharacterSet {
        let scalar = advance()
        switch scalar {
        case "d": return .init(ranges: Self.digits)
        case "D": return .init(ranges: Self.digits, isNegated: true)
        case "w": return .init(ranges: Self.word)
        case "W": return .init(ranges: Self.word, isNegated: true)
        case "s": return .init(ranges: Self.space)
        case "S": return .init(ranges: Self.space, isNegated: true)
        case "h": return .init(ranges: [0x09...0x09, 0x20...0x20, 0xA0...0xA0])
        case "t": return .init(ranges: [0x09...0x09])
        case "n": return .init(ranges: [0x0A...0x0A])
        case "r": return .init(ranges: [0x0D...0x0D])
        case "f": return .init(ranges: [0x0C...0x0C])
        case "e": return .init(ranges: [0x1B...0x1B])
        case "x", "u":
            let value = try hexadecimal(digits: scalar == "x" ? 2 : 4)
            return .init(ranges: [value...value])
        case _ where scalar.properties.isAlphabetic || scalar.properties.numericType != nil:
            throw mistake("\\\(scalar), which is not supported")
        default:
            return .init(ranges: [scalar.value...scalar.value])
        }
    }

    private mutating func hexadecimal(digits: Int) throws(Mistake) -> UInt32 {
        var text = ""
        if take("{") {
            while let next = peek, next != "}" {
                text.unicodeScalars.append(next)
                place += 1
            }
            _ = take("}")
        } else {
            while text.utf8.count < digits, let next = peek {
                text.unicodeScalars.append(next)
                place += 1
            }
        }
        guard let value = UInt32(text, radix: 16), value <= 0x10_FFFF else {
            throw mistake("an escape without a number")
        }
        return value
    }

    /// Character class, after its opening bracket.
    private mutating func set() throws(Mistake) -> Node {
        var set = RegularExpression.CharacterSet()
        set.isNegated = take("^")
        var isFirst = true
        while isFirst || peek != "]" {
            isFirst = false
            guard place < pattern.count else { throw mistake("a [ without a ]") }
            let low = try member()
            guard peek == "-", place + 1 < pattern.count, pattern[place + 1] != "]", low.count == 1,
                let start = low.first,
                start.count == 1
            else {
                set.ranges += low
                continue
            }
            place += 1
            let high = try member()
            guard high.count == 1, let end = high.first, end.count == 1, start.lowerBound <= end.lowerBound else {
                throw mistake("a range with its bounds in the wrong order")
            }
            set.ranges.append(start.lowerBound...end.lowerBound)
        }
        place += 1
        return .set(set, ignoringCase: ignoringCase)
    }

    private mutating func member() throws(Mistake) -> [ClosedRange<UInt32>] {
        if take("[:") {
            let isNegated = take("^")
            var name = ""
            while let next = peek, next != ":" {
                name.unicodeScalars.append(next)
                place += 1
            }
            guard take(":]"), let ranges = Self.named[name] else { throw mistake("an unknown class [:\(name):]") }
            return isNegated ? Self.complement(of: ranges) : ranges
        }
        let scalar = advance()
        guard scalar == "\\" else { return [scalar.value...scalar.value] }
        guard place < pattern.count else { throw mistake("a [ without a ]") }
        if take("b") { return [0x08...0x08] }
        let set = try escapedSet()
        return set.isNegated ? Self.complement(of: set.ranges) : set.ranges
    }

    private static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        result.append(next...0x10_FFFF)
        return result
    }

    // MARK: - Scanning

    private var peek: Unicode.Scalar? { place < pattern.count ? pattern[place] : nil }

    private mutating func advance() -> Unicode.Scalar {
        defer { place += 1 }
        return place < pattern.count ? pattern[place] : "\0"
    }

    private mutating func take(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        guard pattern[min(place, pattern.count)...].starts(with: scalars) else { return false }
        place += scalars.count
        return true
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let next = peek, (0x30...0x39).contains(next.value), digits.utf8.count < 6 {
            digits.unicodeScalars.append(next)
            place += 1
        }
        return Int(digits)
    }

    private func mistake(_ text: String) -> Mistake {
        Mistake(description: "it has \(text), at character \(min(place, pattern.count))")
    }
}

/// Compiler from a syntax tree to instructions, with a limit: counted repetitions are expanded.
struct RegularExpressionCompiler {
    private(set) var programs: [[RegularExpression.Instruction]] = []
    private var count = 0

    /// Appends the program of a tree.
    mutating func compile(_ node: RegularExpressionNode) throws(RegularExpression.Mistake) {
        let program = programs.count
        programs.append([])
        try append(node, to: program)
        try append(.match, to: program)
    }

    private mutating func append(
        _ instruction: RegularExpression.Instruction,
        to program: Int
    ) throws(RegularExpression.Mistake) {
        count += 1
        if count > RegularExpression.mostInstructions {
            throw .init(description: "its repetitions make it too large")
        }
        programs[program].append(instruction)
    }

    private mutating func append(
        _ node: RegularExpressionNode,
        to program: Int
    ) throws(RegularExpression.Mistake) {
        switch node {
        case .empty:
            break
        case .set(let set, let ignoringCase):
            try append(.character(set, ignoringCase: ignoringCase), to: program)
        case .assertion(let assertion):
            try append(.assert(assertion), to: program)
        case .sequence(let parts):
            for part in parts { try append(part, to: program) }
        case .choice(let branches):
            var jumps: [Int] = []
            for (index, branch) in branches.enumerated() {
                guard index < branches.count - 1 else {
                    try append(branch, to: program)
                    continue
                }
                let split = programs[program].count
                try append(.split(split + 1, 0), to: program)
                try append(branch, to: program)
                jumps.append(programs[program].count)
                try append(.jump(0), to: program)
                programs[program][split] = .split(split + 1, programs[program].count)
            }
            for jump in jumps { programs[program][jump] = .jump(programs[program].count) }
        case .repetition(let part, let from, let to):
            try appendRepetition(of: part, from: from, to: to, program)
        case .look(let part, let isBehind, let isNegated):
            let look = programs.count
            try compile(part)
            try append(.assert(.look(program: look, isBehind: isBehind, isNegated: isNegated)), to: program)
        }
    }

    private mutating func appendRepetition(
        of part: RegularExpressionNode,
        from: Int,
        to: Int?,
        _ program: Int
    ) throws(RegularExpression.Mistake) {
        for _ in 0..<from { try append(part, to: program) }
        guard let to else {
            let split = programs[program].count
            try append(.split(split + 1, 0), to: program)
            try append(part, to: program)
            try append(.jump(split), to: program)
            programs[program][split] = .split(split + 1, programs[program].count)
            return
        }
        var splits: [Int] = []
        for _ in from..<max(from, to) {
            splits.append(programs[program].count)
            try append(.split(0, 0), to: program)
            try append(part, to: program)
        }
        for split in splits { programs[program][split] = .split(split + 1, programs[program].count) }
    }
}
