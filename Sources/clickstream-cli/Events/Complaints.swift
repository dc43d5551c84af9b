#if Tools
/// Complaints about many lines: the first hundred in full, then their number.
struct Complaints {
    private static let shown = 100

    /// What all of them come to, after their number.
    private let what: String
    private(set) var lines = 0

    init(what: String) {
        self.what = what
    }

    var isEmpty: Bool { lines == 0 }

    /// Says what is wrong with one line.
    mutating func add(_ sentences: [String]) {
        lines += 1
        guard lines <= Self.shown else { return }
        for sentence in sentences { Console.fail("\(sentence)") }
        if lines == Self.shown { Console.fail("further such lines are counted, not shown") }
    }

    /// Says how many there were, when there were any.
    func sayEnd(_ advice: String) {
        if lines > 0 { Console.fail("\(lines) \(what): \(advice)") }
    }
}
#endif
