extension SharedRecorder {
    /// Limit on the runs of a closure that itself changes the configuration in each of them. Between threads each repetition is
    /// a change that another thread has made.
    private static let maxConfigurationAttempts = 1_000

    /// Changes the configuration by a closure that is called outside the lock, on a copy. Repeats the call if the
    /// configuration was changed meanwhile.
    /// - Returns: true if the interval of automatic flushes has changed.
    func changeConfiguration(_ body: (inout ClickstreamClient.Configuration) -> Void) -> Bool {
        var attempt = 1
        while true {
            // Not compared by value: a configuration with NaN does not equal itself.
            var (changed, revision) = read { ($0.configuration, $0.access.settings.revision) }
            body(&changed)
            let isLast = attempt == Self.maxConfigurationAttempts
            let hasNewInterval: Bool? = receive { recorder, moment in
                let interval = recorder.configuration.sendInterval
                guard isLast || recorder.access.settings.revision == revision else { return nil }
                recorder.configure(changed, at: moment)
                return recorder.configuration.sendInterval != interval
            }
            if let hasNewInterval { return hasNewInterval }
            attempt += 1
        }
    }
}
