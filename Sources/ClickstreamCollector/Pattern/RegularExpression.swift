#if Tools
/// Regular expression that is matched in time proportional to the text, for patterns and texts from outside.
///
/// The syntax is that of PCRE as far as it describes a regular language: literals, classes (`[a-z]`, `[^…]`, `\d`, `\w`,
/// `\s`, `\h`, `[:alpha:]`), `.`, groups (capturing, named, `(?:…)`, `(?i)` and `(?-i)`), alternation, all quantifiers,
/// `^`, `$`, `\A`, `\z`, `\Z`, `\b`, `\B`, `\Q…\E`, and looking ahead and behind. Back references, recursion, conditions,
/// atomic groups and possessive quantifiers are refused: they cannot be matched in linear time. A set of states moves
/// over the text, so that nothing is tried twice; nested quantifiers cost what others do. Lookarounds within lookarounds would
/// multiply that: a match that takes more than ``mostSteps`` is none.
struct RegularExpression: Sendable, Hashable {
    /// Reason why a pattern is not taken.
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

    /// Condition on a place of the text that takes no character.
    enum Assertion: Sendable, Hashable {
        case start, end, endBeforeLineEnd, wordBoundary, noWordBoundary
        /// A program that has to match, or not to, from here on or up to here.
        case look(program: Int, isBehind: Bool, isNegated: Bool)
    }

    enum Instruction: Sendable, Hashable {
        case character(CharacterSet, ignoringCase: Bool)
        case split(Int, Int)
        case jump(Int)
        case assert(Assertion)
        case match
    }

    /// The pattern's own program, and those of its lookarounds.
    private let programs: [[Instruction]]

    /// Instructions of all programs: what counted repetitions may grow to.
    static let mostInstructions = 4_000
    /// Steps of one match: more than an origin of 512 bytes takes with a pattern without lookarounds.
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

    /// As ``matches(in:)``, taking the steps of the match away from `steps`. Less than none remain of a match that took too
    /// many.
    func matches(in text: String, steps: inout Int) -> Bool {
        let scalars = text.unicodeScalars.map(\.value)
        let isMatch = run(0, scalars, from: 0, isAnchored: false, &steps) { _ in true }
        return isMatch && steps >= 0
    }

    // MARK: - Matching

    /// Runs a program over the text from a place.
    /// - Parameters:
    ///   - isAnchored: true to begin at that place only.
    ///   - accepts: called with each place at which a match ends; true ends the run.
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
            // For the marks of the place.
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
                    preconditionFailure("Invalid state: a state that takes no character was kept")
                }
            }
            if place >= text.count { return false }
            if next.isEmpty, isAnchored { return false }
            states = next
            marks = nextMarks.isEmpty ? [Int](repeating: -1, count: code.count) : nextMarks
            place += 1
        }
    }

    /// Adds a state, and those that it leads to without a character, each once a place.
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
#endif
