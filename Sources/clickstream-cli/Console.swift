#if Tools
import ClickstreamCore
import Glibc
import Synchronization

/// The two streams of the command line: results, and everything else.
enum Console {
    /// Whether results go to a person rather than to a program.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether a person reads standard error, who would like to see progress.
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether results may be coloured: on a terminal, without `NO_COLOR`.
    static var usesColour: Bool { isTerminal && getenv("NO_COLOR") == nil }

    /// Writes lines beside the results. Control characters, of whatever a message quotes, are escaped.
    static func say(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }
        _ = write(Array((lines.joined(separator: "\n") + "\n").utf8), to: STDERR_FILENO)
    }

    /// Consent to a deletion: asks on standard error and reads the answer from standard input.
    /// - Parameter deletion: a noun phrase with a verb, such as `remove 3 events of shop unsent`.
    /// - Returns: false for every answer but `y` and `yes`, the end of input included.
    /// - Throws: ``CommandFailure`` with status 64 where either stream is not a terminal: nothing is deleted without an answer.
    static func confirm(_ deletion: String) throws(CommandFailure) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isErrorTerminal else {
            throw CommandFailure(
                .usage,
                "cannot ask whether to \(deletion): standard input or standard error is not a terminal; pass --yes to do it "
                    + "without a question"
            )
        }
        let question = deletion.prefix(1).uppercased() + deletion.dropFirst()
        _ = write(Array("\(question)? [y/N] ".utf8), to: STDERR_FILENO)
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Says something in place of what was said so before, on a terminal; an empty text takes that away.
    static func sayOverwriting(_ text: String) {
        _ = write(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
    }

    /// A text that somebody else wrote, harmless on a terminal: control characters are shown, not obeyed.
    static func harmless(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
            )
        )
    }

    /// A text that somebody else wrote, on one line and harmless on a terminal and in a log: what is not printed is written
    /// as JSON would, `\u001b`, so that nothing is lost and nothing obeyed.
    ///
    /// Control characters, line and paragraph separators, and the characters that turn the direction of writing.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnprintable(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20..<0x7F).contains(scalar.value) { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
        default: false
        }
    }

    /// Prints a result.
    static func print(_ text: String) throws {
        try ResultStream.standard.write(line: Array(text.utf8))
        try ResultStream.standard.flush()
    }

    /// Prints the only result of a command, and ends it as it should when that fails.
    static func printOnly(_ text: String) throws {
        do {
            try print(text)
        } catch let failure as CommandFailure {
            throw failure.said()
        }
    }

    /// Writes all bytes; the system's error number when it will not.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if written < 0 {
                if errno == EINTR { continue }
                return errno
            }
            done += written
        }
        return nil
    }
}

/// Standard output, or a file, written in large pieces. Callable from any thread.
final class ResultStream: Sendable {
    static let standard = ResultStream(descriptor: STDOUT_FILENO)

    private let descriptor: Int32
    private let waiting = Mutex<[UInt8]>([])

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Takes a line without its end, and passes all on when there are 64 KiB of it.
    func write(line: [UInt8]) throws {
        try waiting.withLock { waiting in
            waiting.append(contentsOf: line)
            waiting.append(UInt8(ascii: "\n"))
            if waiting.count >= 65_536 { try pass(&waiting) }
        }
    }

    /// Passes everything on.
    func flush() throws {
        try waiting.withLock { try pass(&$0) }
    }

    private func pass(_ bytes: inout [UInt8]) throws {
        let failure = Console.write(bytes, to: descriptor)
        bytes.removeAll(keepingCapacity: true)
        // A reader that has enough (`head`) is no failure worth a sentence.
        if failure == EPIPE { throw CommandFailure(.readerLeft, "") }
        if let failure {
            throw CommandFailure(
                .inputOutput,
                "cannot write to standard output: \(String(cString: strerror(failure))); check where it goes"
            )
        }
    }
}
#endif
