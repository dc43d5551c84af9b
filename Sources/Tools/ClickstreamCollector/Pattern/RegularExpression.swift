/// Regular expression with linear-time matching, for untrusted patterns and texts.
///
/// The syntax is that of PCRE as far as it describes a regular language: literals, classes (`[a-z]`, `[^…]`, `\d`,
/// `\w`, `\s`, `\h`, `[:alpha:]`), `.`, groups (capturing, named, `(?:…)`, `(?i)` and `(?-i)`), alternation, all
/// quantifiers, `^`, `$`, `\A`, `\z`, `\Z`, `\b`, `\B`, `\Q…\E`, lookahead and lookbehind. Back references, recursion,
/// conditions, atomic groups and possessive quantifiers are rejected, as they cannot be matched in linear time.
/// Matching simulates an automaton with a set of states, without backtracking. Nested lookarounds multiply the cost: a
/// match that takes more than ``mostSteps`` fails.
struct RegularExpression: Sendable, Hashable {
    /// Reason to reject a pattern.
    struct Mistake: Error, Sendable, Hashable, CustomStringConvertible {
        var description: String
    }

    /// Set of characters.
    struct CharacterSet: Sendable, Hashable {
        var ranges: [ClosedRange<UInt32>] = []
        var isNegated = false

        func contains(_ scalar: UInt32, ignoringCase: Bool) -> Bool {
            var isIn = ranges.contains { $0.contains(scalar) }
            if !isIn, ignoringCase, let other = Self.otherCase(scalar) { isIn = ranges.contains { $0.contains(other) } }
            return isIn != isNegated
        }

        /// The same letter in the other case; ASCII only, as in origins.
        private static func otherCase(_ scalar: UInt32) -> UInt32? {
            switch scalar {
            case 0x41...0x5A: scalar + 0x20
            case 0x61...0x7A: scalar - 0x20
            default: nil
            }
        }
    }

    /// Zero-width condition on a position of the text.
    enum Assertion: Sendable, Hashable {
        case start, end, endBeforeLineEnd, wordBoundary, noWordBoundary
        /// Lookaround: a program that must match, or must not match, after or before the position.
        case look(program: Int, isBehind: Bool, isNegated: Bool)
    }

    enum Instruction: Sendable, Hashable {
        case character(CharacterSet, ignoringCase: Bool)
        case split(Int, Int)
        case jump(Int)
        case assert(Assertion)
        case match
    }

    /// Program of the pattern, and those of its lookarounds.
    private let programs: [[Instruction]]

    /// Maximum number of instructions of all programs, which limits counted repetitions.
    static let mostInstructions = 4_000
    /// Maximum number of steps of one match. A pattern without lookarounds needs fewer for an origin of 512 bytes.
    static let mostSteps = 2_500_000

    init(_ pattern: String, ignoringCase: Bool = false) throws(Mistake) {
        var parser = RegularExpressionParser(pattern, ignoringCase: ignoringCase)
        let node = try parser.parse()
        var compiler = RegularExpressionCompiler()
        try compiler.compile(node)
        programs = compiler.programs
    }

    /// True if the pattern matches anywhere in a text.
    func matches(in text: String) -> Bool {
        var steps = Self.mostSteps
        return matches(in: text, steps: &steps)
    }

    /// As ``matches(in:)``, but subtracts the steps of the match from `steps`, which is negative after too many.
    func matches(in text: String, steps: inout Int) -> Bool {
        let scalars = text.unicodeScalars.map(\.value)
        let isMatch = run(0, scalars, from: 0, isAnchored: false, &steps) { _ in true }
        return isMatch && steps >= 0
    }

    // MARK: - Matching

    /// Runs a program over the text from a position.
    /// - Parameters:
    ///   - isAnchored: true to match only at that position.
    ///   - accepts: called with each position at which a match ends; true ends the run.
    private func run(
        _ program: Int,
        _ text: [UInt32],
        from start: Int,
        isAnchored: Bool,
        _ steps: inout Int,
        _ accepts: (Int) -> Bool
    ) -> Bool {
        let code = programs[program]
        var states: [Int] = []
        var marks = [Int](repeating: -1, count: code.count)
        var place = start
        while true {
            // Distinguishes the marks of this position from earlier ones.
            steps -= 1 + code.count / 16
            if steps < 0 { return false }
            if place == start || !isAnchored { add(0, program, text, place, to: &states, &marks, &steps) }
            var next: [Int] = []
            var nextMarks: [Int] = []
            let scalar = place < text.count ? text[place] : nil
            for state in states {
                switch code[state] {
                case .match:
                    if accepts(place) { return true }
                case .character(let set, let ignoringCase):
                    guard let scalar, set.contains(scalar, ignoringCase: ignoringCase) else { continue }
                    if nextMarks.isEmpty { nextMarks = [Int](repeating: -1, count: code.count) }
                    add(state + 1, program, text, place + 1, to: &next, &nextMarks, &steps)
                case .split, .jump, .assert:
                    preconditionFailure("Invalid state: a state without a character was kept")
                }
            }
            if place >= text.count { return false }
            if next.isEmpty, isAnchored { return false }
            states = next
            marks = nextMarks.isEmpty ? [Int](repeating: -1, count: code.count) : nextMarks
            place += 1
        }
    }

    /// Adds a state and those reachable from it without a character, each once per position.
    private func add(
        _ state: Int,
        _ program: Int,
        _ text: [UInt32],
        _ place: Int,
        to states: inout [Int],
        _ marks: inout [Int],
        _ steps: inout Int
    ) {
        var waiting = [state]
        while let state = waiting.popLast() {
            steps -= 1
            if steps < 0 { return }
            if marks[state] == place { continue }
            marks[state] = place
            switch programs[program][state] {
            case .jump(let target): waiting.append(target)
            case .split(let first, let second): waiting += [second, first]
            case .assert(let assertion): if holds(assertion, text, place, &steps) { waiting.append(state + 1) }
            case .character, .match: states.append(state)
            }
        }
    }

    private func holds(_ assertion: Assertion, _ text: [UInt32], _ place: Int, _ steps: inout Int) -> Bool {
        switch assertion {
        case .start: return place == 0
        case .end: return place == text.count
        case .endBeforeLineEnd: return place == text.count || (place == text.count - 1 && text[place] == 0x0A)
        case .wordBoundary: return isBoundary(text, place)
        case .noWordBoundary: return !isBoundary(text, place)
        case .look(let program, false, let isNegated):
            return run(program, text, from: place, isAnchored: true, &steps) { _ in true } != isNegated
        case .look(let program, true, let isNegated):
            let head = Array(text[..<place])
            return run(program, head, from: 0, isAnchored: false, &steps) { $0 == place } != isNegated
        }
    }

    private func isBoundary(_ text: [UInt32], _ place: Int) -> Bool {
        func isWord(_ place: Int) -> Bool {
            text.indices.contains(place)
                && RegularExpressionParser.word.contains { $0.contains(text[place]) }
        }
        return isWord(place - 1) != isWord(place)
    }
}
