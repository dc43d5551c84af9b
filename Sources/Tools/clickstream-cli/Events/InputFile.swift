import ClickstreamCore
import Glibc

/// Reader of a whole file or of standard input, for formats that are not read by lines.
///
/// Reads pipes like files, so that a script may be generated: `replay -`, `replay <(make-script)`.
enum InputFile {
    /// Interval at which a blocked reader checks for cancellation, in milliseconds.
    private static let cancellationInterval: Int32 = 100
    private static let pieceBytes = 262_144
    /// Flags for opening an input. Without `O_NONBLOCK`, a named pipe blocks until a process writes to it, also after a signal.
    static let openFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK

    /// Name of a path in messages.
    static func name(of path: String) -> String { path == "-" ? "standard input" : path }

    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - maxBytes: maximum number of bytes to read.
    ///   - folderAdvice: advice for a path that is a folder.
    /// - Throws: ``CommandFailure`` with the cause, also for text in UTF-16; `CancellationError` when the task is
    ///   cancelled.
    static func bytes(of path: String, maxBytes: Int, folderAdvice: String) throws -> [UInt8] {
        let isStandard = path == "-"
        let descriptor = isStandard ? STDIN_FILENO : open(path, openFlags)
        guard descriptor >= 0 else { throw failure(of: path, errno) }
        defer {
            if !isStandard { close(descriptor) }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(of: path, errno) }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw CommandFailure(.inputMissing, "cannot read \(name(of: path)): it is a folder; \(folderAdvice)")
        }
        var bytes: [UInt8] = []
        if status.st_mode & S_IFMT == S_IFREG { bytes.reserveCapacity(min(Int(status.st_size), maxBytes)) }
        while bytes.count < maxBytes {
            guard try hasInput(descriptor) else { continue }
            var count = 0
            var reason: Int32 = 0
            bytes += [UInt8](unsafeUninitializedCapacity: min(pieceBytes, maxBytes - bytes.count)) {
                memory,
                initialized in
                count = read(descriptor, memory.baseAddress, memory.count)
                if count < 0 { reason = errno }
                initialized = max(0, count)
            }
            if count == 0 { break }
            if count < 0, reason != EINTR, reason != EAGAIN { throw failure(of: path, reason) }
        }
        try refuseUTF16(bytes, name: name(of: path))
        return bytes
    }

    /// Blocks until a descriptor can be read or is at its end, for an interval at most.
    /// - Returns: false if it has no input yet.
    /// - Throws: `CancellationError` when the task is cancelled.
    static func hasInput(_ descriptor: Int32) throws -> Bool {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&input, 1, cancellationInterval)
        try Task.checkCancellation()
        return ready > 0
    }

    /// - Throws: ``CommandFailure`` with the remedy if the beginning of an input is text in UTF-16.
    static func refuseUTF16(_ bytes: some Collection<UInt8>, name: String) throws(CommandFailure) {
        guard bytes.isUTF16 else { return }
        throw CommandFailure(.badData, "cannot read \(name): \(TextEncoding.utf16Refusal)")
    }

    /// Failure to open or read a path.
    static func failure(of path: String, _ reason: Int32) -> CommandFailure {
        let words = String(cString: strerror(reason))
        switch reason {
        case ENOENT, ENOTDIR:
            return CommandFailure(.inputMissing, "cannot read \(path): no such file; check the name")
        case EACCES, EPERM:
            return CommandFailure(.noPermission, "cannot read \(path): permission denied; check its permissions")
        case EIO:
            return CommandFailure(.inputOutput, "cannot read \(name(of: path)): \(words); check the file and its disk")
        default:
            return CommandFailure(.inputMissing, "cannot read \(name(of: path)): \(words); check the file")
        }
    }
}
