extension ClickstreamClient {
    /// Records an event with items: as ``recordEvent(_:_:_:)``.
    public func recordEvent(_ name: String, _ attributes: Attributes = Attributes(), items: [Attributes]) {
        recordEvent(name, attributes, items)
    }

    /// Records an event of another user than the current one, such as the customer for whom an agent acts.
    ///
    /// The event has the `unique_id`, user id and attributes with which that user was last logged in here; an unknown
    /// user has this device's `unique_id`. The current user, the session and the screen stay. Costs an encoding of both
    /// users more than ``recordEvent(_:_:_:)``.
    /// - Parameters:
    ///   - name: the name of the event.
    ///   - attributes: the attributes of the event.
    ///   - user: the user id, 1 to 256 characters; any other id is recorded as `_clickstream_error` instead of the event.
    ///   - items: at most 100; each needs an `id`.
    public func recordEvent(
        _ name: String,
        _ attributes: Attributes = Attributes(),
        items: [Attributes] = [],
        user: String
    ) {
        recordExtended(DraftEvent(name, attributes: attributes, items: items), as: user)
    }

    /// Keeps a message that the next crash is recorded with, in `_exception_breadcrumbs`: the latest 50, each cut at 480
    /// bytes with its time. Costs a write of less than 512 bytes while crashes are tracked.
    package func leaveBreadcrumb(_ message: String) {
        perform { $0.leaveBreadcrumb(message, at: $1) }
    }
}
