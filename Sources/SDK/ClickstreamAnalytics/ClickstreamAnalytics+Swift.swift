public import ClickstreamCore

/// Calls beside those of the published API, in terms of Swift's own types.
extension ClickstreamAnalytics {
    // MARK: Events

    /// Records an event with items.
    /// - Parameters:
    ///   - eventName: the name, as for ``recordEvent(_:_:_:)``.
    ///   - attributes: the attributes, as for ``recordEvent(_:_:_:)``.
    ///   - items: the items, at most 100; each requires ``Item/ITEM_ID``.
    public static func recordEvent(
        _ eventName: String,
        _ attributes: ClickstreamAttribute = [:],
        items: [ClickstreamAttribute]
    ) {
        recordEvent(eventName, attributes, items)
    }

    /// Records an event of another user than the current one, such as the customer for whom an agent acts.
    ///
    /// The event has the `unique_id`, user id and attributes with which that user was last logged in here; an unknown
    /// user has this device's `unique_id`. The current user, the session and the screen stay.
    /// - Parameters:
    ///   - eventName: the name, as for ``recordEvent(_:_:_:)``.
    ///   - attributes: the attributes, as for ``recordEvent(_:_:_:)``.
    ///   - items: the items, at most 100; each requires ``Item/ITEM_ID``.
    ///   - user: the user id, 1 to 256 characters; any other id is recorded as `_clickstream_error` instead of the event.
    public static func recordEvent(
        _ eventName: String,
        _ attributes: ClickstreamAttribute = [:],
        items: [ClickstreamAttribute] = [],
        user: String
    ) {
        Facade.current.record(DraftEvent(eventName, attributes: attributes, items: items), as: user)
    }

    // MARK: State

    /// True if events are recorded: the SDK is running and not disabled.
    public static var isRecording: Bool { client?.isRecording ?? false }

    /// The id of the logged-in user; `nil` without a login, before ``initSDK(_:)`` and after ``shutdown()``.
    public static var userId: String? { client?.userID }

    /// The current session: id, number and start; `nil` before ``initSDK(_:)`` and after ``shutdown()``.
    public static var currentSession: ClickstreamClient.CurrentSession? { client?.currentSession }

    // MARK: Observation

    /// The notices from now on, as an asynchronous sequence: `for await notice in ClickstreamAnalytics.notices() { … }`.
    ///
    /// Registered before ``initSDK(_:)``, it also contains the notices of the launch. A call that records never waits for
    /// the reader. The sequence ends when its task is cancelled; it continues over ``shutdown()`` and the next start. Each
    /// event costs a copy of its line while the sequence exists.
    /// - Parameter limit: the maximum number of notices that wait for the reader; beyond it the oldest are dropped.
    public static func notices(bufferingNewest limit: Int = 1_000) -> AsyncStream<ClickstreamNotice> {
        .notices(bufferingNewest: limit) { observe($0) }
    }
}
