#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the library says by itself: lines on standard error, whole, from any thread.
enum Diagnostics {
    /// Writes one line. A standard error that is closed or full is nobody's problem here.
    static func say(_ title: StaticString, _ text: some Sequence<UInt8>) {
        var line: [UInt8] = []
        line.append(contentsOf: UnsafeBufferPointer(start: title.utf8Start, count: title.utf8CodeUnitCount))
        line.append(contentsOf: ": ".utf8)
        line.append(contentsOf: text)
        line.append(UInt8(ascii: "\n"))
        line.withUnsafeBytes { bytes in
            _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }

    /// What a notice is to a developer who reads the log: every violation, and, when asked for, every event.
    static func log(_ notice: Notice, events: Bool) {
        switch notice {
        case .recorded(_, _, let line, let violations):
            if events { say("EventRecorder", line) }
            log(violations)
        case .rejected(let violations):
            log(violations)
        case .warning(let text):
            say("Clickstream", "warning: \(text)".utf8)
        case .unstored(let name, _, let reason):
            say("Clickstream", "error: event \(name) is lost: \(reason)".utf8)
        case .sessionDecided, .uploaded, .retained, .setAside, .evicted:
            break
        }
    }

    private static func log(_ violations: [Violation]) {
        for violation in violations {
            say("Clickstream", "\(violation.severity.rawValue) \(violation.code): \(violation.message)".utf8)
        }
    }
}
