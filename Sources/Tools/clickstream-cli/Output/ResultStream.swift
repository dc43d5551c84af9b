import Glibc
import Synchronization

/// Standard output, or a file, written in large pieces. Callable from any thread.
final class ResultStream: Sendable {
    static let standard = ResultStream(descriptor: STDOUT_FILENO)

    private let descriptor: Int32
    private let waiting = Mutex<[UInt8]>([])

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Buffers a line, given without its line feed; writes the buffer once it has 64 KiB.
    func write(line: [UInt8]) throws {
        try waiting.withLock { waiting in
            waiting.append(contentsOf: line)
            waiting.append(UInt8(ascii: "\n"))
            if waiting.count >= 65_536 { try pass(&waiting) }
        }
    }

    /// Writes the buffer.
    func flush() throws {
        try waiting.withLock { try pass(&$0) }
    }

    private func pass(_ bytes: inout [UInt8]) throws {
        let failure = Console.besideProgress { Console.write(bytes, to: descriptor) }
        bytes.removeAll(keepingCapacity: true)
        // A reader that closes the pipe, such as `head`, ends the command without a message.
        if failure == EPIPE { throw CommandFailure(.readerLeft, "") }
        if let failure {
            throw CommandFailure(
                .inputOutput,
                "cannot write to standard output: \(String(cString: strerror(failure))); check the file or pipe that it goes to"
            )
        }
    }
}
