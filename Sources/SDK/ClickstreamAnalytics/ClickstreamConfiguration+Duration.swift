import ClickstreamCore

/// The published settings in milliseconds as `Duration`; fractions of a millisecond have no effect.
extension ClickstreamConfiguration {
    /// ``sendEventsInterval`` as a duration: the time between automatic flushes; zero disables them.
    public var flushInterval: Duration {
        get { current.sendInterval }
        set { set { $0.sendInterval = max(.zero, newValue) } }
    }

    /// ``sessionTimeoutDuration`` as a duration: the time in the background after which a new session starts.
    public var sessionTimeout: Duration {
        get { current.sessionTimeout }
        set { set { $0.sessionTimeout = max(.zero, newValue) } }
    }
}
