/// Notification of an action or decision of the library, delivered to observers of a client.
///
/// Notices are delivered in order, outside the client's lock, on the thread of the call that caused them (uploads: on
/// the uploader's thread).
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Notice: Sendable, Hashable {
    /// An event was stored. `line` is its JSON, as it will appear in the request's array.
    case recorded(name: String, id: UniqueID, line: [UInt8], violations: [Violation])
    /// An event in another format than the clickstream one was stored. `line` is its JSON, as it will appear in the
    /// request's array.
    case captured(format: FormatName, line: [UInt8])
    /// An event was lost because it could not be stored: `reason` is the failed file operation.
    case unstored(name: String, id: UniqueID, reason: FileError)
    /// A call violated the rules and produced no event of its own (a bad event name, user attribute, user id, …); the
    /// `_clickstream_error` event that replaces it is also reported as recorded.
    case rejected([Violation])
    /// The session continues or a new one starts, at a launch or a return to the foreground. `reason` is a text for a
    /// person, such as `gap 31m < timeout 1h`, and may change. Delivered before the events that follow from the decision.
    case sessionDecided(number: Int, isNew: Bool, reason: String)
    /// A batch was delivered: number of events, bytes of JSON, bytes sent.
    case uploaded(events: Int, rawBytes: Int, sentBytes: Int)
    /// A flush ended before all events were delivered; they are kept and retried.
    case retained(events: Int, reason: FlushError)
    /// The server accepts nothing from this client (401, 403, a redirect), or a web page came in place of its reply
    /// (``FlushError/webPage(status:)``); the events are kept. Each of the two is reported once, until a delivery succeeds
    /// or the endpoint or the cookie changes.
    case deliveryRefused(FlushError)
    /// Events that the server permanently rejects were moved to the dead letters. `reason` is the refusal of the first.
    case setAside(events: Int, reason: FlushError)
    /// Events were removed unsent because a limit of the store was reached, consent was withdrawn, or everything was erased.
    case evicted(events: Int, reason: EvictionReason)
    /// A problem of the store, the configuration or a call that needs attention; ``Warning/code`` is its kind.
    case warning(Warning)
}
