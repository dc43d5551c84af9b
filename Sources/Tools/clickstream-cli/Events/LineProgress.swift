/// Progress in a long file with rate and remaining time.
final class LineProgress {
    /// Lines after which the progress is updated: reading the clock costs as much as a short line.
    private static let step = 64

    private let line: ProgressLine
    private let size: Int?
    private var lines = 0

    /// - Returns: `nil` if progress is not shown.
    init?(of reader: LineReader) {
        guard let line = ProgressLine("line") else { return nil }
        self.line = line
        size = reader.size
    }

    /// Counts a processed line.
    func advance(_ reader: LineReader) {
        lines += 1
        guard lines % Self.step == 0 else { return }
        line.advance(by: Self.step, share: size.flatMap { $0 > 0 ? Double(reader.bytesRead) / Double($0) : nil })
    }

    /// Removes the progress line.
    func end() {
        line.end()
    }
}

extension LineReader {
    /// Calls a closure with each line that is not empty, and shows the progress.
    /// - Throws: as ``next()`` and the closure; `CancellationError` when the task is cancelled.
    func eachLine(_ receive: (Line) throws -> Void) throws {
        let progress = LineProgress(of: self)
        defer { progress?.end() }
        while let line = try next() {
            try Task.checkCancellation()
            try receive(line)
            progress?.advance(self)
        }
    }
}
