import ClickstreamCore

/// Settings in milliseconds as `Duration`; fractions of a millisecond are dropped.
extension ClickstreamConfiguration {
    /// ``sendEventsInterval`` as a duration: the time between automatic flushes; zero disables them.
    public var flushInterval: Duration {
        get { .milliseconds(current.sendInterval) }
        set { set { $0.sendInterval = max(0, newValue.wholeMilliseconds) } }
    }

    /// ``sessionTimeoutDuration`` as a duration: the time in the background after which a new session starts.
    public var sessionTimeout: Duration {
        get { .milliseconds(current.sessionTimeout) }
        set { sessionTimeoutDuration = newValue.wholeMilliseconds }
    }

    /// ``maxEventAge`` as a duration: the maximum age of a stored event.
    public var maxEventLifetime: Duration? {
        get { current.maxEventAge.map { .milliseconds($0) } }
        set { maxEventAge = newValue?.wholeMilliseconds }
    }

    /// ``connectTimeout`` as a duration.
    public var connectionTimeout: Duration {
        get { .milliseconds(current.connectTimeout) }
        set { connectTimeout = newValue.wholeMilliseconds }
    }

    /// ``requestTimeout`` as a duration: from the first byte sent to the last byte received.
    public var transferTimeout: Duration {
        get { .milliseconds(current.requestTimeout) }
        set { requestTimeout = newValue.wholeMilliseconds }
    }

    // MARK: Chained calls

    /// Sets ``flushInterval``.
    @discardableResult
    public func withSendEventsInterval(_ interval: Duration) -> ClickstreamConfiguration {
        flushInterval = interval
        return self
    }

    /// Sets ``sessionTimeout``.
    @discardableResult
    public func withSessionTimeoutDuration(_ timeout: Duration) -> ClickstreamConfiguration {
        sessionTimeout = timeout
        return self
    }
}
