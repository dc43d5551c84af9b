import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines of a text that arrives in pieces. Uses memory for the longest line, not for the whole text.
///
/// Skips and counts empty lines. Removes a carriage return at the end of a line and a byte order mark at the beginning of the
/// text.
package struct LineSplitter: Sendable {
    /// Maximum length of a line in bytes: 64 MiB.
    package static let longestLine = 67_108_864

    /// One line with its number, from 1.
    package struct Line: Sendable, Hashable {
        package var number: Int
        /// `nil` for a skipped line that is too long.
        package var bytes: [UInt8]?

        package init(number: Int, bytes: [UInt8]?) {
            self.number = number
            self.bytes = bytes
        }
    }

    /// Number of bytes of the lines returned or skipped.
    package private(set) var bytesRead = 0

    private let maxBytes: Int
    private var number = 0
    private var buffer: [UInt8] = []
    private var start = 0
    /// End of the part of the buffer searched for a line feed.
    private var searched = 0
    private var hasEnded = false
    private var isPassingOver = false

    /// - Parameter maxBytes: maximum length of a line; longer ones are skipped.
    package init(maxBytes: Int = LineSplitter.longestLine) {
        self.maxBytes = maxBytes
    }

    /// Appends a piece of the text. All complete lines must have been read.
    package mutating func append(_ piece: [UInt8]) {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer += piece
    }

    /// Ends the text: its last line needs no line feed.
    package mutating func end() {
        hasEnded = true
    }

    /// The next line that is not empty; `nil` if another piece is needed, or at the end.
    package mutating func next() -> Line? {
        while let end = endOfLine() {
            var line = buffer[start..<end]
            start = min(end + 1, buffer.count)
            searched = start
            number += 1
            bytesRead += line.count + 1
            // A line that came with its end may be too long, too.
            if isPassingOver || line.count > maxBytes {
                isPassingOver = false
                return Line(number: number, bytes: nil)
            }
            if number == 1 { line = line.withoutByteOrderMark }
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            return Line(number: number, bytes: Array(line))
        }
        return nil
    }

    /// End of the next line in the buffer; `nil` if there is none.
    private mutating func endOfLine() -> Int? {
        let from = searched
        let found = buffer.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, from < bytes.count else { return nil }
            let newline = memchr(base + from, Int32(UInt8(ascii: "\n")), bytes.count - from)
            return newline.map { UnsafeRawPointer($0) - base }
        }
        if let found { return found }
        searched = buffer.count
        if hasEnded { return start < buffer.count || isPassingOver ? buffer.count : nil }
        if buffer.count - start > maxBytes { isPassingOver = true }
        if isPassingOver {
            bytesRead += buffer.count - start
            buffer.removeAll(keepingCapacity: true)
            (start, searched) = (0, 0)
        }
        return nil
    }
}
