/// Deadline of work that continues while it makes progress: a maximum time without progress. Times are in milliseconds.
struct ProgressDeadline: Sendable {
    private let patience: Int64
    private var progress: Int
    private var end: Int64

    /// - Parameters:
    ///   - patience: the maximum time without progress.
    ///   - progress: a count that only grows.
    init(after patience: Int64, progress: Int, at now: Int64) {
        self.patience = patience
        self.progress = progress
        end = now + patience
    }

    /// Returns the time left, at least 1: the whole time if the count has grown since the last call.
    mutating func timeLeft(progress: Int, at now: Int64) -> Int64 {
        if progress > self.progress {
            self.progress = progress
            end = now + patience
        }
        return max(1, end - now)
    }
}
