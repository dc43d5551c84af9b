public import ClickstreamCore

/// Consent, erasure, middleware, timed events, and attributes of a scope.
extension ClickstreamAnalytics {
    // MARK: Consent

    /// Stores a person's decision on purposes, and performs its consequences before it returns.
    ///
    /// `granted` for analytics records the events that wait, in order, with their original times. `denied` drops them, and
    /// removes all queued events of every format from the disk, also if the process is killed meanwhile. Without consent to
    /// personalization events carry neither user id nor user attributes. Before ``initSDK(_:)`` the decision takes effect
    /// with the launch. See `Docs/privacy.md`.
    public static func setConsent(_ decision: ConsentDecision, for purposes: ConsentPurpose...) {
        setConsent(decision, for: purposes)
    }

    package static func setConsent(_ decision: ConsentDecision, for purposes: [ConsentPurpose]) {
        Facade.current.call(isVital: true) { $0.access.setConsent(decision, for: purposes, at: $1) }
    }

    /// The stored decision on a purpose; `.undecided` before ``initSDK(_:)``.
    public static func consent(for purpose: ConsentPurpose) -> ConsentDecision {
        client?.consent(for: purpose) ?? .undecided
    }

    /// Removes the identity, all queued events, dead letters, crash reports and sessions from the disk, and continues as a
    /// new installation; see `ClickstreamClient.eraseAll()`.
    public static func eraseAll() {
        Facade.current.call(isVital: true) { $0.eraseAll(at: $1) }
    }

    // MARK: Middleware

    /// Adds a function that sees each event of the app before it is validated, on the caller's thread, after the functions
    /// added before. It may change or drop the event; both are counted by its name.
    ///
    /// Added before ``initSDK(_:)``, it also sees the events that are recorded after it and wait for the start, on the thread
    /// of the start. It stays until ``shutdown()``. Events of the lifecycle and of automatic capture, user attributes and global attributes do not
    /// pass.
    /// - Parameters:
    ///   - name: identifies the function; a function of the same name is replaced.
    ///   - body: called by any thread, at the same time; must not record events.
    public static func addMiddleware(
        _ name: String,
        _ body: @escaping @Sendable (inout DraftEvent) -> DraftEvent.Decision
    ) {
        Facade.current.changeMiddleware { $0.addMiddleware(name, body) }
    }

    /// Removes a function; does nothing if there is none of that name.
    public static func removeMiddleware(_ name: String) {
        Facade.current.changeMiddleware { $0.removeMiddleware(name) }
    }

    // MARK: Timing

    /// Starts or restarts a timing: the next event of that name carries `_event_duration`, the milliseconds since this call
    /// without the time in the background and that in which the machine was suspended. At most 100 timings run.
    public static func startTiming(_ name: String) {
        Facade.current.call { $0.startTiming(name, at: $1) }
    }

    /// Ends a timing without an event.
    public static func cancelTiming(_ name: String) {
        Facade.current.call { recorder, _ in recorder.cancelTiming(name) }
    }

    // MARK: Attributes of a scope

    /// Runs `body`, and adds `attributes` to each event that it, and the tasks that it starts, record meanwhile.
    ///
    /// Scopes nest: of one name the innermost scope's value is used; an event's own attribute precedes it, and it precedes a
    /// global attribute. Events of the lifecycle and of automatic capture have no scope. Detached tasks, threads and dispatch
    /// queues do not inherit it.
    public static func withAttributes<Result>(
        _ attributes: ClickstreamAttribute,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try ScopedAttributes.$current.withValue(ScopedAttributes.nested(attributes), operation: body)
    }

    /// Runs the asynchronous `body` with `attributes`; the equivalent of the synchronous form.
    public static func withAttributes<Result>(
        _ attributes: ClickstreamAttribute,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await ScopedAttributes.$current.withValue(
            ScopedAttributes.nested(attributes),
            operation: body,
            isolation: isolation
        )
    }
}
