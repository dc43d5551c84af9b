import Synchronization

/// What the library says by itself: lines on standard error, whole, from any thread.
///
/// A fault that strikes every event would bury everything else: of violations the first twenty of a process are printed,
/// and after that one line each time their number has grown tenfold; of a disk that takes nothing, when that begins and ends.
package enum Diagnostics {
    /// Whether somebody else tells the notices of this process to a person; events are printed nevertheless when asked for.
    private static let isLeftToObserver = Atomic(false)

    /// Leaves the telling to an observer that knows more, such as the line of input that an event came from.
    package static func leaveToObserver() {
        isLeftToObserver.store(true, ordering: .relaxed)
    }

    private static let violations = Meter("violations", printed: 20)
    private static let callsInChild = Meter("calls in a child of fork", printed: 1)

    /// Reports a call that is refused because the client belongs to the parent of this process.
    package static func refuseInChild() {
        callsInChild.count {
            say(
                "Clickstream",
                """
                warning: this process is a child of fork, and the client belongs to its parent: nothing is recorded or sent \
                here. Start the child as a program of its own, or initialize the SDK in the child alone.
                """.utf8
            )
        }
    }

    /// Writes one line to standard error, if it takes lines: see ``StandardError``.
    static func say(_ title: StaticString, _ text: some Sequence<UInt8>) {
        var line: [UInt8] = []
        line.append(contentsOf: UnsafeBufferPointer(start: title.utf8Start, count: title.utf8CodeUnitCount))
        line.append(contentsOf: ": ".utf8)
        line.append(contentsOf: text)
        line.append(UInt8(ascii: "\n"))
        StandardError.process.print(line)
    }

    /// What a notice is to a developer who reads the log: every violation, and, when asked for, every event.
    static func log(_ notice: Notice, events: Bool) {
        switch notice {
        case .recorded(_, _, let line, let violations):
            if events { say("EventRecorder", line) }
            if !isLeftToObserver.load(ordering: .relaxed) { log(violations) }
        case _ where isLeftToObserver.load(ordering: .relaxed):
            break
        case .rejected(let violations):
            log(violations)
        case .warning(let text):
            say("Clickstream", "warning: \(text)".utf8)
        // That events are lost is said once, by a warning, and how many when that ends.
        case .unstored, .sessionDecided, .uploaded, .retained, .setAside, .evicted:
            break
        }
    }

    private static func log(_ found: [Violation]) {
        for violation in found {
            violations.count {
                say("Clickstream", "\(violation.severity.rawValue) \(violation.code): \(violation.message)".utf8)
            }
        }
    }
}

/// Lets the first lines of a kind through, and counts the others.
private final class Meter: Sendable {
    private let what: String
    private let printed: Int
    private let number = Atomic(0)

    init(_ what: String, printed: Int) {
        self.what = what
        self.printed = printed
    }

    func count(_ print: () -> Void) {
        let count = number.add(1, ordering: .relaxed).newValue
        if count <= printed {
            print()
            if count == printed {
                Diagnostics.say("Clickstream", "\(count) \(what) so far: further ones are counted, not printed".utf8)
            }
        } else if Self.isPowerOfTen(count) {
            Diagnostics.say("Clickstream", "\(count) \(what) so far".utf8)
        }
    }

    private static func isPowerOfTen(_ number: Int) -> Bool {
        var number = number
        while number > 1, number % 10 == 0 { number /= 10 }
        return number == 1
    }
}
