/// Something that the library did or decided, told to whoever observes a client.
///
/// Notices are delivered in order, outside the client's lock, on the thread of the call that caused them (uploads: on
/// the uploader's).
public enum Notice: Sendable, Hashable {
    /// An event was stored. `line` is its JSON, as it will stand in the request's array.
    case recorded(name: String, id: UniqueID, line: [UInt8], violations: [Violation])
    /// An event could not be stored: it is lost, and this says why.
    case unstored(name: String, id: UniqueID, reason: String)
    /// A call was against the rules and left no event of its own (a bad event name, user attribute, user id, …); the
    /// `_clickstream_error` event that stands for it is reported as recorded too.
    case rejected([Violation])
    /// Why the session goes on or a new one starts, at a launch or a return to the foreground: a sentence for a person, such
    /// as `gap 31m < timeout 1h`. It comes before the events that follow from the decision.
    case sessionDecided(number: Int, isNew: Bool, reason: String)
    /// A batch arrived: so many events, so many bytes of JSON, so many bytes sent.
    case uploaded(events: Int, rawBytes: Int, sentBytes: Int)
    /// A batch could not be delivered now; its events are kept.
    case retained(events: Int, reason: String)
    /// Events that the server will never take were put aside.
    case setAside(events: Int, reason: String)
    /// Events were removed unsent, because of a cap.
    case evicted(events: Int, reason: String)
    /// Something about the store or the configuration that a person should know.
    case warning(String)
}
