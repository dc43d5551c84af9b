public import FoundationEssentials

/// State of a client for display and diagnosis. Each property takes the client's lock; in a child of `fork` they have the
/// values of a client that has ended.
extension ClickstreamClient {
    /// A session as its events report it.
    public struct CurrentSession: Sendable, Hashable {
        /// The value of `_session_id`.
        public let id: String
        /// The ordinal of the session in this installation, from 1.
        public let number: Int
        /// The time at which the session began.
        public let start: Date
    }

    /// True if events are recorded: the client has not ended and is not disabled.
    public var isRecording: Bool { owner.isCurrent && shared.read { $0.isRecording } }

    /// The id of the logged-in user; `nil` without a login.
    public var userID: String? { owner.isCurrent ? shared.read { $0.access.user.login?.id } : nil }

    /// The session of events recorded now; `nil` after the end of the client. A return to the foreground after the
    /// session's timeout begins the next one.
    public var currentSession: CurrentSession? {
        owner.isCurrent ? shared.read { $0.access.currentSession } : nil
    }
}

extension RecorderAccess {
    fileprivate var currentSession: ClickstreamClient.CurrentSession? {
        guard lifecycle.visibility != .ended else { return nil }
        let start = Date(timeIntervalSince1970: Double(session.start.milliseconds) / 1_000)
        return ClickstreamClient.CurrentSession(id: session.id, number: session.number, start: start)
    }
}
