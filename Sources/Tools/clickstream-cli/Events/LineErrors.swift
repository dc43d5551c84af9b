/// Errors of input lines: the first hundred in full, then their number.
struct LineErrors {
    private static let shown = 100

    /// Effect on the lines, such as `not recorded`.
    private let outcome: String
    private let input: String
    private(set) var lines = 0

    init(of input: String, outcome: String) {
        self.input = input
        self.outcome = outcome
    }

    var isEmpty: Bool { lines == 0 }

    /// Prints the errors of one line.
    mutating func add(_ sentences: [String]) {
        lines += 1
        guard lines <= Self.shown else { return }
        for sentence in sentences { Console.fail("\(sentence)") }
        if lines == Self.shown { Console.fail("errors of further lines are counted, not shown") }
    }

    /// Prints the number of lines with errors, if there are any.
    func printTotal(_ advice: String) {
        guard lines > 0 else { return }
        Console.fail("\(Plural.count(lines, "line")) of \(input) \(outcome); \(advice)")
    }
}
