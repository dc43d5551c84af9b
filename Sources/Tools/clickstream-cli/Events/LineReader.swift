import ClickstreamCore
import Glibc

/// Reader of the lines of a file or standard input. Uses memory for the longest line, not for the whole input.
///
/// Skips and counts empty lines. Removes a carriage return at the end of a line and a byte order mark at the beginning
/// of the input. Text in UTF-16 is one failure instead of one a line, also after empty lines. Throws `CancellationError` when
/// the task is cancelled, even while blocked.
final class LineReader {
    /// Maximum length of a line in bytes: 64 MiB.
    static let longestLine = 67_108_864
    private static let pieceBytes = 262_144

    /// One line with its number, from 1.
    struct Line {
        var number: Int
        /// `nil` for a skipped line longer than ``LineReader/longestLine``.
        var bytes: [UInt8]?
    }

    /// Name of the input in messages.
    let name: String
    /// Number of bytes of the lines returned or skipped.
    private(set) var bytesRead = 0
    /// Called when the input pauses; the time to flush buffered output.
    var isWaiting: () throws -> Void = {}
    /// Size of the file; `nil` for pipes and terminals.
    let size: Int?

    private let descriptor: Int32
    private let isOwned: Bool
    private var number = 0
    /// First bytes of the input, by which UTF-16 is recognized.
    private var beginning: [UInt8] = []
    private var buffer: [UInt8] = []
    private var start = 0
    /// End of the part of the buffer searched for a line feed.
    private var searched = 0
    private var hasEnded = false
    private var isPassingOver = false

    /// - Parameter path: a file, or `-` for standard input.
    init(_ path: String) throws(CommandFailure) {
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
            guard let end = try endOfLine() else { return nil }
            var line = buffer[start..<end]
            start = min(end + 1, buffer.count)
            searched = start
            number += 1
            bytesRead += line.count + 1
            if isPassingOver {
                isPassingOver = false
                return Line(number: number, bytes: nil)
            }
            if number == 1 { line = line.withoutByteOrderMark }
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            return Line(number: number, bytes: Array(line))
        }
    }

    /// End of the next line in the buffer, after filling it; `nil` if there is none.
    private func endOfLine() throws -> Int? {
        while true {
            let found = buffer.withUnsafeBytes { bytes -> Int? in
                guard let base = bytes.baseAddress, searched < bytes.count else { return nil }
                let newline = memchr(base + searched, Int32(UInt8(ascii: "\n")), bytes.count - searched)
                return newline.map { UnsafeRawPointer($0) - base }
            }
            if let found { return found }
            searched = buffer.count
            if hasEnded {
                if start < buffer.count || isPassingOver { return buffer.count }
                return nil
            }
            if buffer.count - start > Self.longestLine {
                isPassingOver = true
            }
            if isPassingOver {
                bytesRead += buffer.count - start
                buffer.removeAll(keepingCapacity: true)
                start = 0
            }
            try fill()
        }
    }

    private func fill() throws {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        searched = buffer.count
        // The piece doubles for a long line, so that the total copying is linear.
        let wanted = max(Self.pieceBytes, buffer.count)
        while true {
            guard try InputFile.hasInput(descriptor) else {
                try isWaiting()
                continue
            }
            var count = 0
            var reason: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: wanted) { memory, initialized in
                count = read(descriptor, memory.baseAddress, wanted)
                if count < 0 { reason = errno }
                initialized = max(0, count)
            }
            if count < 0 {
                if reason == EINTR || reason == EAGAIN { continue }
                // Closed standard input.
                if reason == EBADF { throw InputFile.failure(of: name, reason) }
                throw CommandFailure(
                    .inputOutput,
                    "cannot read \(name): \(String(cString: strerror(reason))); check the file and its disk"
                )
            }
            if count == 0 { hasEnded = true }
            buffer += piece
            try refuseUTF16(in: piece)
            return
        }
    }

    /// Checks the first bytes of the input, which may arrive one at a time.
    private func refuseUTF16(in piece: [UInt8]) throws(CommandFailure) {
        guard beginning.count < TextEncoding.bytesOfUTF16 else { return }
        beginning += piece.prefix(TextEncoding.bytesOfUTF16 - beginning.count)
        try InputFile.refuseUTF16(beginning, name: name)
    }
}
