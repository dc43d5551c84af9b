#if Tools
import ClickstreamCore

/// Warnings on standard error: the first hundred in full, the others counted. Callable from any thread.
///
/// A fault of every event would bury everything else.
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

    /// - Parameter place: prefix of the messages, such as `line 3: `.
    func add(_ violations: [Violation], at place: String = "") {
        for violation in violations { add(place + violation.messageWithCode) }
    }

    /// Prints the number of all warnings, if some were not shown.
    func printTotal() {
        let number = number.withLock { $0 }
        if number > Self.shown { Console.warn("\(number) warnings in total") }
    }
}

extension Violation {
    /// The message with the code behind the name that it quotes: `invalid event name "bad name" (1001): use letters …`;
    /// at the end of a message that has no advice.
    var messageWithCode: String {
        guard let quote = message.firstRange(of: "\": ") else { return "\(message) (\(code))" }
        return "\(message[..<quote.lowerBound])\" (\(code)): \(message[quote.upperBound...])"
    }
}
#endif
