import ClickstreamCore
import ClickstreamJudges
import Glibc

/// Reader of the lines of a file or standard input. Uses memory for the longest line, not for the whole input.
///
/// Skips and counts empty lines. Removes a carriage return at the end of a line and a byte order mark at the beginning
/// of the input. Text in UTF-16 is one failure instead of one a line, also after empty lines. Throws `CancellationError` when
/// the task is cancelled, even while blocked.
final class LineReader {
    typealias Line = LineSplitter.Line

    static let longestLine = LineSplitter.longestLine
    private static let pieceBytes = 262_144
    private static let gzipMark: [UInt8] = [0x1F, 0x8B]

    /// Next part of an input.
    enum Part {
        /// A line that is not empty.
        case line(Line)
        /// The input has no further line yet.
        case pause
        case end
    }

    /// Name of the input in messages.
    let name: String
    /// Number of bytes of the lines returned or skipped, or of the gzip data.
    var bytesRead: Int { gunzip == nil ? lines.bytesRead : compressedBytes }
    /// Called when the input pauses; the time to flush buffered output.
    var isWaiting: () throws -> Void = {}
    /// Size of the file; `nil` for pipes and terminals.
    let size: Int?

    private let descriptor: Int32
    private let isOwned: Bool
    private var lines: LineSplitter
    /// First bytes of the input, by which UTF-16 is recognized.
    private var beginning: [UInt8] = []
    /// First bytes until gzip data can be recognized; `nil` afterwards.
    private var undecided: [UInt8]?
    private var gunzip: GzipStream?
    private var compressedBytes = 0
    private var hasEnded = false
    /// Damage of gzip data, thrown after the lines before it.
    private var damage: CommandFailure?

    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - acceptsGzip: true to decompress gzip data, of any number of members.
    ///   - maxLineBytes: maximum length of a line; longer ones are skipped.
    init(
        _ path: String,
        acceptsGzip: Bool = false,
        maxLineBytes: Int = LineReader.longestLine
    ) throws(CommandFailure) {
        lines = LineSplitter(maxBytes: maxLineBytes)
        undecided = acceptsGzip ? [] : nil
        if path == "-" {
            name = "standard input"
            descriptor = STDIN_FILENO
            isOwned = false
            size = nil
            return
        }
        let descriptor = open(path, InputFile.openFlags)
        guard descriptor >= 0 else { throw InputFile.failure(of: path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw CommandFailure(.inputMissing, "cannot read \(path): it is a folder; name a file in it")
        }
        name = path
        self.descriptor = descriptor
        isOwned = true
        size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// The next line that is not empty; `nil` at the end of the input.
    func next() throws -> Line? {
        while true {
            switch try part() {
            case .line(let line): return line
            case .pause: try isWaiting()
            case .end: return nil
            }
        }
    }

    /// The next line that is not empty, for a caller that has work to do when there is none yet. Blocks for an interval at most.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/badData`` after the last whole line of damaged gzip data.
    func part() throws -> Part {
        while true {
            if let line = lines.next() { return .line(line) }
            if let damage { throw damage }
            if hasEnded { return .end }
            if try inflate() { continue }
            guard try fill() else { return .pause }
        }
    }

    /// Reads a piece of the input.
    /// - Returns: false if it has none yet.
    private func fill() throws -> Bool {
        guard try InputFile.hasInput(descriptor) else { return false }
        var count = 0
        var reason: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { memory, initialized in
            count = read(descriptor, memory.baseAddress, Self.pieceBytes)
            if count < 0 { reason = errno }
            initialized = max(0, count)
        }
        if count < 0 {
            if reason == EINTR || reason == EAGAIN { return true }
            // Closed standard input.
            if reason == EBADF { throw InputFile.failure(of: name, reason) }
            throw CommandFailure(
                .inputOutput,
                "cannot read \(name): \(String(cString: strerror(reason))); check the file and its disk"
            )
        }
        try take(piece)
        return true
    }

    /// Passes on a piece of the input, empty at its end.
    private func take(_ piece: [UInt8]) throws(CommandFailure) {
        let isLast = piece.isEmpty
        var piece = piece
        if let held = undecided {
            piece = held + piece
            if piece.count < Self.gzipMark.count, !isLast {
                undecided = piece
                return
            }
            undecided = nil
            if piece.starts(with: Self.gzipMark) {
                do throws(GzipError) { gunzip = try GzipStream() } catch { throw failure(of: error) }
            }
        }
        if let gunzip {
            compressedBytes += piece.count
            gunzip.append(piece)
            guard isLast else { return }
            hasEnded = true
            // The last line of cut data is cut, too.
            if gunzip.isComplete { lines.end() } else { damage = failure(of: .truncated) }
            return
        }
        if isLast {
            hasEnded = true
            lines.append(piece)
            lines.end()
            return
        }
        lines.append(piece)
        try refuseUTF16(in: piece)
    }

    /// Decompresses a piece of the gzip data in memory.
    /// - Returns: false if there is none left.
    private func inflate() throws(CommandFailure) -> Bool {
        guard let gunzip else { return false }
        do throws(GzipError) {
            let piece = try gunzip.read(Self.pieceBytes)
            lines.append(piece)
            return !piece.isEmpty
        } catch {
            damage = failure(of: error)
            return true
        }
    }

    private func failure(of error: GzipError) -> CommandFailure {
        CommandFailure(
            .badData,
            "cannot read \(name) to its end: \(error); the lines before that are used; get the file again"
        )
    }

    /// Checks the first bytes of the input, which may arrive one at a time.
    private func refuseUTF16(in piece: [UInt8]) throws(CommandFailure) {
        guard beginning.count < TextEncoding.bytesOfUTF16 else { return }
        beginning += piece.prefix(TextEncoding.bytesOfUTF16 - beginning.count)
        try InputFile.refuseUTF16(beginning, name: name)
    }
}
