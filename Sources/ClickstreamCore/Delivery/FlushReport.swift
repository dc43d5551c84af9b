/// What became of the events that a flush found in the queue.
public struct FlushReport: Sendable, Hashable {
    /// Events that the server took.
    public var sent = 0
    /// Events that are still in the queue.
    public var retained = 0
    /// Events that the server refused for good.
    public var rejected = 0
    /// Events put aside, because the server will never take them.
    public var setAside = 0
    /// Bytes of JSON that were sent, before compression.
    public var rawBytes = 0
    /// Bytes of the bodies as they went over the wire, failed attempts included.
    public var sentBytes = 0
    /// Requests made.
    public var attempts = 0
    /// Why events were retained; `nil` when none were.
    public var lastError: String?

    /// Whether nothing is left to send.
    public var isComplete: Bool { retained == 0 }

    public init() {}
}

extension FlushReport {
    /// The report of a flush that was asked for in a child of `fork`.
    static let inChild: FlushReport = {
        var report = FlushReport()
        report.lastError = "this process is a child of fork, and the client belongs to its parent"
        return report
    }()

    /// Counts a flush to another destination in: everything adds up.
    mutating func join(_ other: FlushReport) {
        let (left, reason) = (retained, lastError)
        add(other)
        retained += left
        lastError = reason ?? other.lastError
    }

    /// Counts a further attempt in: what was sent adds up, what is left is as the later one found it.
    package mutating func add(_ later: FlushReport) {
        sent += later.sent
        rejected += later.rejected
        setAside += later.setAside
        rawBytes += later.rawBytes
        sentBytes += later.sentBytes
        attempts += later.attempts
        retained = later.retained
        lastError = later.lastError
    }

    /// What came after it stood at `earlier`; what is left is as it was found last.
    func since(_ earlier: FlushReport) -> FlushReport {
        var report = self
        report.sent -= earlier.sent
        report.rejected -= earlier.rejected
        report.setAside -= earlier.setAside
        report.rawBytes -= earlier.rawBytes
        report.sentBytes -= earlier.sentBytes
        report.attempts -= earlier.attempts
        return report
    }
}

/// What a report says of events that are left when the deadline of a flush has passed.
package enum DeadlineReason {
    private static let text = "the deadline has passed"
    private static let link = "; before that: "

    /// - Parameter failure: why what was tried before had failed, if it had.
    static func text(after failure: String?) -> String {
        failure.map { text + link + $0 } ?? text
    }

    package static func isGiven(by reason: String) -> Bool { reason.hasPrefix(text) }

    /// Why what was tried before had failed; `nil` when nothing had.
    package static func failure(in reason: String) -> String? {
        reason.hasPrefix(text + link) ? String(reason.dropFirst(text.count + link.count)) : nil
    }
}
