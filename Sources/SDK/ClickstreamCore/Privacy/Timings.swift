/// Running timings by event name, measured on ``Moment/awake``: without the time in the background and without that in
/// which the machine was suspended.
struct Timings: Sendable, Equatable {
    /// The maximum number of running timings.
    static let maxCount = 100

    /// The readings of the foreground clock at which the timings started.
    private var starts: [String: Int64] = [:]
    /// The total time in the background, in milliseconds.
    private var background: Int64 = 0
    /// The time of the last change to the background; `nil` in the foreground.
    private var pausedAt: Int64?

    var isEmpty: Bool { starts.isEmpty }

    func isTimed(_ name: String) -> Bool { starts[name] != nil }

    /// Milliseconds of foreground until `now`.
    private func reading(at now: Int64) -> Int64 { (pausedAt ?? now) - background }

    /// Starts or restarts a timing.
    /// - Returns: false if there are too many.
    mutating func start(_ name: String, at now: Int64) -> Bool {
        guard starts[name] != nil || starts.count < Self.maxCount else { return false }
        starts[name] = reading(at: now)
        return true
    }

    /// Ends a timing.
    /// - Returns: its duration in milliseconds without the time in the background; `nil` if it is not running.
    mutating func end(_ name: String, at now: Int64) -> Int64? {
        starts.removeValue(forKey: name).map { max(0, reading(at: now) - $0) }
    }

    /// The app became invisible.
    mutating func pause(at now: Int64) {
        if pausedAt == nil { pausedAt = now }
    }

    /// The app became visible.
    mutating func resume(at now: Int64) {
        guard let since = pausedAt else { return }
        background += max(0, now - since)
        pausedAt = nil
    }

    mutating func removeAll() {
        starts = [:]
    }
}
