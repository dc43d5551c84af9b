/// Deadline of work that continues while it makes progress: a maximum time without progress. Times are in milliseconds.
struct ProgressDeadline: Sendable {
    private let timeout: Int64
    private var progress: Int
    private var end: Int64

    /// - Parameters:
    ///   - timeout: the maximum time without progress.
    ///   - progress: a count that only grows.
    init(after timeout: Int64, progress: Int, at now: Int64) {
        self.timeout = timeout
        self.progress = progress
        end = now + timeout
    }

    /// Returns the time left, at least 1: the whole time if the count has grown since the last call.
    mutating func timeLeft(progress: Int, at now: Int64) -> Int64 {
        if progress > self.progress {
            self.progress = progress
            end = now + timeout
        }
        return max(1, end - now)
    }
}
