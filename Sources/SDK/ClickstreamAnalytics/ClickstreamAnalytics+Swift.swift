public import ClickstreamCore

/// Calls beside those of the published API, in terms of Swift's own types.
extension ClickstreamAnalytics {
    // MARK: Events

    /// Records an event of another user than the current one, such as the customer for whom an agent acts.
    ///
    /// The event has the `unique_id`, user id and attributes with which that user was last logged in here; an unknown
    /// user has this device's `unique_id`. The current user, the session and the screen stay.
    /// - Parameters:
    ///   - eventName: the name, as for ``recordEvent(_:_:_:)``.
    ///   - attributes: the attributes, as for ``recordEvent(_:_:_:)``.
    ///   - items: the items, at most 100; each requires ``Item/ITEM_ID``.
    ///   - user: the user id, 1 to 256 characters; any other id is recorded as `_clickstream_error` instead of the event. `nil`
    ///     for the current user, also if none is logged in.
    public static func recordEvent(
        _ eventName: String,
        _ attributes: ClickstreamAttribute = [:],
        _ items: [ClickstreamAttribute] = [],
        user: String?
    ) {
        Facade.current.record(DraftEvent(eventName, attributes: attributes, items: items), as: user)
    }

    /// Records an event whose attributes are in a dictionary: in the order of their names, since a dictionary has none.
    ///
    /// A literal is not a dictionary here: its attributes keep the order in which they are written.
    /// - Parameters:
    ///   - eventName: the name, as for ``recordEvent(_:_:_:)``.
    ///   - attributes: the attributes; `nil` leaves one out.
    ///   - items: the items, at most 100; each requires ``Item/ITEM_ID``.
    ///   - user: the id of another user than the current one; `nil` for the current one.
    @_disfavoredOverload
    public static func recordEvent<Name: StringProtocol>(
        _ eventName: String,
        _ attributes: [Name: (any AttributeValueConvertible)?],
        _ items: [ClickstreamAttribute] = [],
        user: String? = nil
    ) {
        recordEvent(eventName, ClickstreamAttribute(attributes), items, user: user)
    }

    // MARK: Attributes

    /// Adds the attributes of a dictionary to every event from now on, in the order of their names.
    @_disfavoredOverload
    public static func addGlobalAttributes<Name: StringProtocol>(_ attributes: [Name: (any AttributeValueConvertible)?])
    {
        addGlobalAttributes(ClickstreamAttribute(attributes))
    }

    /// Removes global attributes from every event from now on. Unknown names are ignored.
    public static func deleteGlobalAttributes(_ names: [String]) {
        Facade.current.call { recorder, _ in recorder.deleteGlobalAttributes(names) }
    }

    /// Sets the attributes of a dictionary for the current user, in the order of their names, and records the whole profile as
    /// `_profile_set`.
    @_disfavoredOverload
    public static func addUserAttributes<Name: StringProtocol>(_ attributes: [Name: (any AttributeValueConvertible)?]) {
        addUserAttributes(ClickstreamAttribute(attributes))
    }

    // MARK: End

    /// Shuts the SDK down as ``shutdown()``, after a last delivery of the queued events. Events that other threads record
    /// meanwhile are stored.
    /// - Parameter deadline: the time after which no request begins; unsent events are kept for the next process. A request in
    ///   progress then is awaited, since its events would be sent twice if it were cut off.
    /// - Returns: the outcome of the delivery; empty if the SDK was not running.
    @discardableResult
    public static func shutdown(deadline: Duration) async -> FlushReport {
        await Facade.current.shutdown(deadline: deadline)
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
    public static func notices(bufferingNewest limit: Int = 1_000) -> AsyncStream<Notice> {
        .notices(bufferingNewest: limit) { observe($0) }
    }
}
