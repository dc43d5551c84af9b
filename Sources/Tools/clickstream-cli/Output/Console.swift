import ClickstreamCore
import Glibc
import Synchronization

/// The two streams of the command line: results, and everything else.
enum Console {
    /// True if standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// True if standard error is a terminal.
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Options of the whole command line; set once, while the arguments are parsed.
    private static let settings = Mutex(Settings())

    /// The progress line on the terminal; nil while there is none.
    private static let progress = Mutex<String?>(nil)

    struct Settings: Sendable {
        var colour: ColourChoice?
        var isQuiet = false
        var isVerbose = false
    }

    /// Merges options of a command with those given before the command.
    static func configure(_ change: (inout Settings) -> Void) {
        settings.withLock { change(&$0) }
    }

    /// True if results are coloured: on a terminal other than `TERM=dumb`, unless `NO_COLOR` is set and not empty;
    /// `--color` decides first.
    static var usesColour: Bool {
        switch settings.withLock({ $0.colour }) {
        case .always: true
        case .never: false
        case .auto, nil: isTerminal && !isDumb && variable("NO_COLOR") == nil
        }
    }

    /// True if progress is shown: standard error is a terminal that can rewrite a line, without `--quiet`.
    static var showsProgress: Bool { isErrorTerminal && !isDumb && !settings.withLock { $0.isQuiet } }

    /// True for a terminal without control sequences.
    private static var isDumb: Bool { variable("TERM") == "dumb" }

    /// An environment variable without white space at its ends; nil if it is unset or nothing is left.
    private static func variable(_ name: String) -> String? {
        getenv(name).flatMap { String(cString: $0).setting }
    }

    /// Columns of the terminal on standard output; nil if standard output is not a terminal.
    static var columns: Int? { isTerminal ? width(of: STDOUT_FILENO) : nil }

    private static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes lines to standard error with control characters escaped. Removes the progress line first, and shows it
    /// again below.
    static func log(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }
        progress.withLock { progress in
            let (before, after) = progress.map { ("\r\u{1B}[K", $0) } ?? ("", "")
            _ = write(Array((before + lines.joined(separator: "\n") + "\n" + after).utf8), to: STDERR_FILENO)
        }
    }

    /// Writes an error to standard error, as one line.
    static func fail(_ text: String) { log(escaped("error: \(text)")) }

    /// Writes a warning to standard error, as one line, unless `--quiet` is set.
    static func warn(_ text: String) {
        if !settings.withLock({ $0.isQuiet }) { log(escaped("warning: \(text)")) }
    }

    /// Writes a progress message to standard error, as one line, unless `--quiet` is set.
    static func note(_ text: String) {
        if !settings.withLock({ $0.isQuiet }) { log(escaped(text)) }
    }

    /// Writes a detail to standard error, as one line, if `--verbose` is set.
    static func detail(_ text: @autoclosure () -> String) {
        if settings.withLock({ $0.isVerbose }) { log(escaped("info: \(text())")) }
    }

    /// Confirmation of a deletion: prints a question to standard error and reads the answer from standard input.
    /// - Parameter deletion: a noun phrase with a verb, such as `remove 3 unsent events of shop`.
    /// - Returns: false for every answer but `y` and `yes`, the end of input and a stop by signal included.
    /// - Throws: ``CommandFailure`` with status 64 if either stream is not a terminal.
    static func confirm(_ deletion: String) throws(CommandFailure) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isErrorTerminal else {
            throw CommandFailure(
                .usage,
                "cannot ask for confirmation (\(deletion)): standard input or standard error is not a terminal; pass --yes"
            )
        }
        let question = deletion.prefix(1).uppercased() + deletion.dropFirst()
        _ = write(Array("\(escaped(question))? [y/N] ".utf8), to: STDERR_FILENO)
        guard let answer = answer(), !Task.isCancelled else {
            _ = write([UInt8(ascii: "\n")], to: STDERR_FILENO)
            return false
        }
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// A line of standard input; `nil` if the input ends before it, or the task is cancelled.
    private static func answer() -> String? {
        var line: [UInt8] = []
        // Fails when the task is cancelled.
        while let hasInput = try? InputFile.hasInput(STDIN_FILENO) {
            guard hasInput else { continue }
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            if count <= 0 { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Replaces the progress line on standard error, cut to the width of the terminal; an empty text removes it.
    static func showProgress(_ text: String) {
        progress.withLock { progress in
            if progress == nil, text.isEmpty { return }
            // A full row would wrap, and only its last line could be replaced.
            let line = String(escaped(text).prefix(max(1, (width(of: STDERR_FILENO) ?? 80) - 1)))
            progress = line.isEmpty ? nil : line
            _ = write(Array("\r\u{1B}[K\(line)".utf8), to: STDERR_FILENO)
        }
    }

    /// Runs `body`, which writes to standard output, with the progress line removed meanwhile if both streams are
    /// terminals.
    static func besideProgress<Result>(_ body: () -> Result) -> Result {
        progress.withLock { progress in
            guard let line = progress, isTerminal else { return body() }
            _ = write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO)
            defer { _ = write(Array(line.utf8), to: STDERR_FILENO) }
            return body()
        }
    }

    /// Replaces control characters of received text, for output on a terminal.
    static func harmless(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
            )
        )
    }

    /// Escapes unprintable characters of received text, for one line on a terminal or in a log.
    static func escaped(_ text: String) -> String { Characters.escaped(text) }

    /// Prints a result.
    static func print(_ text: String) throws {
        try ResultStream.standard.write(line: Array(text.utf8))
        try ResultStream.standard.flush()
    }

    /// Prints a result as a line for a person, or as a JSON object.
    static func print(_ text: String, or members: [JSONMember], as format: OutputFormat) throws {
        try print(format == .human ? text : JSONValue(.object(members)).description)
    }

    /// Writes all bytes. Returns the error number of a failure.
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
