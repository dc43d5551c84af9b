import ClickstreamCore

/// Warnings on standard error: the first hundred in full, the others counted. Callable from any thread.
///
/// A warning for every event would hide all other output.
final class WarningLog: Sendable {
    private static let shown = 100
    private let number = Locked(0)

    func add(_ text: String) {
        let number = number.withLock { number in
            number += 1
            return number
        }
        guard number <= Self.shown else { return }
        Console.warn(text)
        if number == Self.shown { Console.warn("further warnings are counted, not shown") }
    }

    /// - Parameter location: prefix of the messages, such as `line 3: `.
    func add(_ violations: [Violation], at location: String = "") {
        for violation in violations { add(location + violation.messageWithCode) }
    }

    /// Prints the number of all warnings, if some were not shown.
    func printTotal() {
        let number = number.withLock { $0 }
        if number > Self.shown { Console.warn("\(number) warnings in total") }
    }
}

extension Violation {
    /// `invalid event name "bad name": use letters … (1001)`
    var messageWithCode: String { "\(message) (\(code))" }
}
