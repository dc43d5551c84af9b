/// Outcome of a flush for the events in the queue.
public struct FlushReport: Sendable, Hashable {
    /// Events that the server accepted.
    public var sent = 0
    /// Events that are still in the queue.
    public var retained = 0
    /// Events set aside as dead letters, because the server refused them for good.
    public var setAside = 0
    /// Bytes of JSON that were sent, before compression.
    public var rawBytes = 0
    /// Bytes of the bodies as they went over the wire, failed attempts included. A request without a connection, or that
    /// was cancelled, adds none.
    public var sentBytes = 0
    /// Requests made, including those without a connection.
    public var attempts = 0
    /// The reason for which events were retained; `nil` if none were.
    public var lastError: FlushError?

    /// True if no events are left to send.
    public var isComplete: Bool { retained == 0 }

    /// Creates the report of a flush of an empty queue.
    package init() {}
}

extension FlushReport {
    /// Report of a flush that is requested in a child of `fork`.
    static let inChild: FlushReport = {
        var report = FlushReport()
        report.lastError = .childProcess
        return report
    }()

    /// Adds a flush to another destination: all numbers add up.
    mutating func join(_ other: FlushReport) {
        let (left, reason) = (retained, lastError)
        add(other)
        retained += left
        lastError = reason ?? other.lastError
    }

    /// Adds a later attempt to the same destination: what was sent adds up, what is left is replaced.
    package mutating func add(_ later: FlushReport) {
        sent += later.sent
        setAside += later.setAside
        rawBytes += later.rawBytes
        sentBytes += later.sentBytes
        attempts += later.attempts
        retained = later.retained
        lastError = later.lastError
    }

    /// The part of the report after `earlier`; what is left is as in this one.
    func since(_ earlier: FlushReport) -> FlushReport {
        var report = self
        report.sent -= earlier.sent
        report.setAside -= earlier.setAside
        report.rawBytes -= earlier.rawBytes
        report.sentBytes -= earlier.sentBytes
        report.attempts -= earlier.attempts
        return report
    }
}
