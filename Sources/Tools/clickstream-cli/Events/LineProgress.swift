import ClickstreamCore

/// Progress in a long file with rate and remaining time, on standard error.
///
/// Shown on a terminal only, after the first second, and not if results go to the same terminal.
final class LineProgress {
    private static let firstAfter: Int64 = 1_000
    private static let interval: Int64 = 200

    private let size: Int?
    private let start = SystemDependencies.time.now().steady
    private var lines = 0
    private var shownAt: Int64?

    /// - Returns: `nil` if progress is not shown.
    init?(of reader: LineReader) {
        guard Console.showsProgress, !Console.isTerminal else { return nil }
        size = reader.size
    }

    /// Counts a processed line.
    func advance(_ reader: LineReader) {
        lines += 1
        // Reading the clock costs as much as a short line.
        guard lines % 64 == 0 else { return }
        let now = SystemDependencies.time.now().steady
        guard now - start >= Self.firstAfter, now - (shownAt ?? 0) >= Self.interval else { return }
        shownAt = now
        Console.showProgress(Self.text(lines: lines, bytes: reader.bytesRead, of: size, after: now - start))
    }

    /// Removes the progress line.
    func end() {
        if shownAt != nil { Console.showProgress("") }
    }

    /// `45 %, 310000 lines/s, 12 s left`; without a size `8200 lines, 310000 lines/s`.
    static func text(lines: Int, bytes: Int, of size: Int?, after milliseconds: Int64) -> String {
        let rate = lines * 1_000 / Int(max(1, milliseconds))
        guard let size, size > 0, bytes > 0 else { return "\(Plural.count(lines, "line")), \(rate) lines/s" }
        let left = Double(milliseconds) / 1_000 * Double(max(0, size - bytes)) / Double(bytes)
        return "\(min(100, bytes * 100 / size)) %, \(rate) lines/s, \(Int(min(left, 1e9).rounded(.up))) s left"
    }
}
