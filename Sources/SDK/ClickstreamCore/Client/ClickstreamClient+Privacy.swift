/// Consent, erasure, middleware, and timed events.
extension ClickstreamClient {
    // MARK: Consent

    /// Stores a person's decision on purposes, and performs its consequences before it returns.
    ///
    /// `granted` for analytics records the events that wait, in order, with their original times. `denied` drops them, and
    /// removes all queued events, dead letters and crash reports of every format from the disk; a request in progress is not
    /// cut off. The removal is complete even if the process is killed meanwhile: the next launch finishes it. A withdrawal
    /// of another purpose removes queued events too, since they carry its data; afterwards events are recorded without it.
    /// Removed events are counted as `consent-dropped`.
    ///
    /// Other processes of the same store apply the decision before their next request, login or session: after the call, each
    /// completes at most the request in progress to each server. Costs some file operations; callable from any thread.
    public func setConsent(_ decision: ConsentDecision, for purposes: ConsentPurpose...) {
        setConsent(decision, for: purposes)
    }

    package func setConsent(_ decision: ConsentDecision, for purposes: [ConsentPurpose]) {
        perform { $0.access.setConsent(decision, for: purposes, at: $1) }
    }

    /// The stored decision on a purpose.
    public func consent(for purpose: ConsentPurpose) -> ConsentDecision {
        owner.isCurrent ? shared.read { $0.access.admission.consent[purpose] } : .undecided
    }

    /// Removes the identity, all queued events, dead letters, crash reports, sessions and decisions on consent from the
    /// disk, and continues as a new installation: with new ids, from `_first_open`.
    ///
    /// Global attributes of the app, timings and the screen are forgotten; those of the configuration stay. What the app or
    /// the platform sets stays too: the configured ids, the vendor id and the advertising id of the device. The accounting
    /// keeps the numbers of events, those removed as `purged`. A kill in between is finished by the next launch. Callable from any thread.
    public func eraseAll() {
        perform { $0.eraseAll(at: $1) }
    }

    // MARK: Middleware

    /// Adds a function that sees each event of the app before it is validated, on the caller's thread, after the functions
    /// added before. It may change or drop the event; both are counted by its name. A function of the same name is replaced.
    ///
    /// Applies to the app's calls that record an event; events of the lifecycle and of automatic capture, user attributes
    /// and global attributes do not pass. Costs less than 100 nanoseconds and the function's own time per event.
    /// - Parameters:
    ///   - name: identifies the function in the accounting.
    ///   - body: called by any thread, at the same time; must not record events.
    public func addMiddleware(_ name: String, _ body: @escaping @Sendable (inout DraftEvent) -> DraftEvent.Decision) {
        RecordingExtensions.use()
        middleware.withLock { $0.add(Middleware(name, body)) }
    }

    /// Removes a function; does nothing if there is none of that name.
    public func removeMiddleware(_ name: String) {
        middleware.withLock { $0.remove(name) }
    }

    // MARK: Timing

    /// Starts or restarts a timing: the next event of that name carries `_event_duration`, the milliseconds since this call
    /// without the time in the background and that in which the machine was suspended. At most 100 timings run; further ones
    /// are refused with a warning.
    public func startTiming(_ name: String) {
        perform { $0.startTiming(name, at: $1) }
    }

    /// Ends a timing without an event.
    public func cancelTiming(_ name: String) {
        perform { recorder, _ in recorder.cancelTiming(name) }
    }
}

extension ClickstreamClient {
    /// Records an event with the scoped attributes of the task and the changes of the middleware.
    @inline(never)
    func recordExtended(_ draft: DraftEvent, found: [Violation] = [], as userID: String? = nil) {
        record(draft.scoped, found: found, as: userID)
    }

    /// Records an event of the app after it has passed the middleware.
    /// - Parameters:
    ///   - found: violations found before.
    ///   - userID: the user whose event it is; `nil` for the current one.
    ///   - moment: the time of the event; `nil` for now.
    package func record(
        _ draft: DraftEvent,
        found: [Violation] = [],
        as userID: String? = nil,
        at moment: Moment? = nil
    ) {
        guard isOurs else { return }
        var draft = draft
        let outcome = middleware.withLock { $0 }.run(&draft)
        shared.record(draft, after: outcome, found: found, as: userID, at: moment)
        timers.arm()
    }
}

extension DraftEvent {
    /// The event with the attributes of the current scope; its own take precedence.
    package var scoped: DraftEvent {
        guard var attributes = ScopedAttributes.current else { return self }
        attributes.merge(self.attributes)
        return DraftEvent(name, attributes: attributes, items: items)
    }
}
