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
