import Synchronization

/// Log of the library: complete lines on standard error, from any thread.
///
/// Output is limited, since a fault may affect every event: the first twenty violations of a process are printed, then
/// one line each time their number reaches a power of ten; a failing disk is reported when the failure begins and ends.
package enum Diagnostics {
    /// True if an observer reports the notices of this process; events are still printed if requested.
    private static let isLeftToObserver = Atomic(false)

    /// Leaves the reporting of notices to an observer with more context, such as the input line of an event.
    package static func leaveToObserver() {
        isLeftToObserver.store(true, ordering: .relaxed)
    }

    private static let violations = Meter("violations", printed: 20)
    private static let callsInChild = Meter("calls in a child of fork", printed: 1)

    /// Reports a call that is rejected because the client belongs to the parent of this process.
    package static func refuseInChild() {
        callsInChild.count {
            say(
                "Clickstream",
                """
                warning: this process is a child of fork, and the client belongs to its parent: nothing is recorded or sent \
                here. Call ClickstreamAnalytics.resetAfterFork() first, or start the child as a program of its own.
                """.utf8
            )
        }
    }

    /// Writes one line to standard error unless it is suppressed: see ``StandardError``.
    static func say(_ title: StaticString, _ text: some Sequence<UInt8>) {
        var line: [UInt8] = []
        line.append(contentsOf: UnsafeBufferPointer(start: title.utf8Start, count: title.utf8CodeUnitCount))
        line.append(contentsOf: ": ".utf8)
        line.append(contentsOf: text)
        line.append(UInt8(ascii: "\n"))
        StandardError.process.print(line)
    }

    /// Logs a notice: every violation, and every event if `events` is true.
    package static func log(_ notice: Notice, events: Bool) {
        switch notice {
        case .recorded(_, _, let line, let violations):
            if events { say("EventRecorder", line) }
            if !isLeftToObserver.load(ordering: .relaxed) { log(violations) }
        case _ where isLeftToObserver.load(ordering: .relaxed):
            break
        case .rejected(let violations):
            log(violations)
        case .warning(let warning):
            say("Clickstream", "warning: \(Characters.escaped(warning.message))".utf8)
        case .deliveryRefused:
            say("Clickstream", "warning: \(Characters.escaped(notice.description))".utf8)
        // Loss of events is reported by one warning when it begins, and the number of lost events when it ends.
        case .captured, .unstored, .sessionDecided, .uploaded, .retained, .setAside, .evicted:
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

/// Rate limiter: passes the first messages of a kind, then counts, with one message per power of ten.
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
