/// Regular expression of a plan: a subset of ECMA-262 that every engine reads in the same way.
///
/// The subset has characters, `.`, classes (`[a-z]`, `\d`, `\w`, `\s` and their complements), groups, alternatives,
/// greedy and lazy quantifiers, `^` and `$`. It excludes references to groups, assertions besides `^` and `$`, named
/// groups, Unicode properties and flags, on which engines differ. `\d` and `\w` are ASCII. As in JSON Schema, a pattern
/// matches if any part of the text does. Matching takes O(n · m) time for n characters and a pattern of m states, which a
/// caller can limit.
package struct PlanPattern: Sendable {
    /// The pattern as written.
    package let text: String
    let root: Node
    let program: [Instruction]

    /// Maximum number of states, after quantifiers such as `{3,5}` are expanded.
    static let maxStates = 20_000
    /// Maximum nesting depth of groups.
    static let maxDepth = 64

    /// Mistake in a pattern.
    package struct ParseError: Error, Sendable, Hashable {
        /// The cause, with the number of the character in the pattern.
        package var reason: String
    }

    /// Part of a pattern.
    indirect enum Node: Sendable {
        case set(ScalarSet)
        case start
        case end
        case sequence([Node])
        case alternatives([Node])
        /// - maxCount: `nil` without an upper limit.
        case repetition(Node, minCount: Int, maxCount: Int?)
    }

    /// State of the automaton.
    enum Instruction: Sendable {
        case set(ScalarSet)
        case start
        case end
        case jump(Int)
        case split(Int, Int)
        case match
    }

    package init(_ text: String) throws(ParseError) {
        var parser = PlanPatternParser(text)
        root = try parser.pattern()
        self.text = text
        var compiler = Compiler()
        try compiler.add(root)
        compiler.program.append(.match)
        program = compiler.program
    }

    /// Returns true if a part of the text matches.
    package func matches(_ text: String) -> Bool {
        var steps = Int.max
        return matches(text, steps: &steps) ?? false
    }

    /// Returns true if a part of the text matches; `nil` if the steps do not suffice.
    /// - Parameter steps: the number of states that may be visited; reduced by those that were. At most the number of
    ///   characters times that of states.
    func matches(_ text: String, steps: inout Int) -> Bool? {
        // Before the memory is allocated.
        guard Threads.cost(of: program) <= steps else { return nil }
        var threads = Threads(program, limit: steps)
        defer { steps -= min(threads.steps, steps) }
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while true {
            let atEnd = index == scalars.endIndex
            threads.add(0, atStart: index == scalars.startIndex, atEnd: atEnd)
            if threads.hasMatch { return true }
            if threads.isExhausted { return nil }
            if atEnd { return false }
            let scalar = scalars[index]
            index = scalars.index(after: index)
            threads.step(scalar, atEnd: index == scalars.endIndex)
            if threads.hasMatch { return true }
        }
    }
}

extension PlanPattern: Hashable {
    package static func == (one: PlanPattern, other: PlanPattern) -> Bool { one.text == other.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Set of Unicode scalars.
struct ScalarSet: Sendable, Hashable {
    /// As written.
    let ranges: [ClosedRange<UInt32>]
    let isInverted: Bool
    /// The ranges in order, without overlaps.
    private let ordered: [ClosedRange<UInt32>]

    static let digits = ScalarSet(ranges: [0x30...0x39])
    static let word = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let space = ScalarSet(ranges: [
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    /// `.`: every scalar but the ends of lines.
    static let notLineEnd = ScalarSet(ranges: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029], isInverted: true)

    init(ranges: [ClosedRange<UInt32>], isInverted: Bool = false) {
        self.ranges = ranges
        self.isInverted = isInverted
        var ordered: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ordered.last, range.lowerBound <= last.upperBound {
                ordered[ordered.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ordered.append(range)
            }
        }
        self.ordered = ordered
    }

    init(_ scalar: Unicode.Scalar) {
        self.init(ranges: [scalar.value...scalar.value])
    }

    /// The scalars that are not in the set, as ranges.
    var complement: [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ordered {
            if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10FFFF { result.append(next...0x10FFFF) }
        return result
    }

    /// O(log n) in the number of ranges.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        var (low, high) = (0, ordered.count)
        while low < high {
            let middle = (low + high) / 2
            if ordered[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return (low < ordered.count && ordered[low].lowerBound <= scalar.value) != isInverted
    }
}

extension PlanPattern {
    /// Compiles the parts to states.
    private struct Compiler {
        var program: [Instruction] = []

        mutating func add(_ node: Node) throws(ParseError) {
            guard program.count < PlanPattern.maxStates else {
                throw ParseError(reason: "the pattern needs more than \(PlanPattern.maxStates) states")
            }
            switch node {
            case .set(let set): program.append(.set(set))
            case .start: program.append(.start)
            case .end: program.append(.end)
            case .sequence(let nodes):
                for node in nodes { try add(node) }
            case .alternatives(let nodes): try addAlternatives(nodes)
            case .repetition(let node, let minCount, let maxCount):
                for _ in 0..<minCount {
                    let before = program.count
                    try add(node)
                    // An empty part adds no state, however often it is repeated.
                    if program.count == before { break }
                }
                guard let maxCount else { return try addLoop(node) }
                try addOptionals(node, count: maxCount - minCount)
            }
        }

        private mutating func addAlternatives(_ nodes: [Node]) throws(ParseError) {
            var exits: [Int] = []
            for (index, node) in nodes.enumerated() {
                guard index < nodes.count - 1 else {
                    try add(node)
                    break
                }
                let split = program.count
                program.append(.match)
                try add(node)
                exits.append(program.count)
                program.append(.match)
                program[split] = .split(split + 1, program.count)
            }
            for exit in exits { program[exit] = .jump(program.count) }
        }

        private mutating func addLoop(_ node: Node) throws(ParseError) {
            let split = program.count
            program.append(.match)
            try add(node)
            program.append(.jump(split))
            program[split] = .split(split + 1, program.count)
        }

        /// Each repetition is within the previous one, as in `(a(a(a)?)?)?`: in `a?a?a?` all of them would be visited for
        /// each character.
        private mutating func addOptionals(_ node: Node, count: Int) throws(ParseError) {
            var splits: [Int] = []
            for _ in 0..<max(0, count) {
                splits.append(program.count)
                program.append(.match)
                try add(node)
            }
            for split in splits { program[split] = .split(split + 1, program.count) }
        }
    }

    /// The states that the automaton is in.
    private struct Threads {
        let program: [Instruction]
        private var current: [Int] = []
        private var previous: [Int] = []
        /// States to be added.
        private var pending: [Int] = []
        /// Generation in which a state was last added.
        private var added: [Int]
        private var generation = 1
        private(set) var hasMatch = false
        /// The number of states visited so far, and the ``cost(of:)`` of the memory.
        private(set) var steps: Int
        /// Number of steps after which no more states are visited.
        private let limit: Int

        init(_ program: [Instruction], limit: Int) {
            self.program = program
            self.limit = limit
            added = [Int](repeating: 0, count: program.count)
            steps = Self.cost(of: program)
        }

        /// Steps that the memory for the states counts as.
        static func cost(of program: [Instruction]) -> Int { program.count / 16 }

        /// True if the states are incomplete.
        var isExhausted: Bool { steps > limit }

        /// Adds a state with those that are reachable without reading a character.
        mutating func add(_ state: Int, atStart: Bool, atEnd: Bool) {
            pending.append(state)
            while !isExhausted, let state = pending.popLast() {
                steps += 1
                guard added[state] != generation else { continue }
                added[state] = generation
                switch program[state] {
                case .set: current.append(state)
                case .start: if atStart { pending.append(state + 1) }
                case .end: if atEnd { pending.append(state + 1) }
                case .jump(let target): pending.append(target)
                case .split(let one, let other):
                    pending.append(other)
                    pending.append(one)
                case .match: hasMatch = true
                }
            }
        }

        mutating func step(_ scalar: Unicode.Scalar, atEnd: Bool) {
            swap(&current, &previous)
            current.removeAll(keepingCapacity: true)
            generation += 1
            for state in previous where !isExhausted {
                steps += 1
                guard case .set(let set) = program[state], set.contains(scalar) else { continue }
                add(state + 1, atStart: false, atEnd: atEnd)
            }
        }
    }
}
