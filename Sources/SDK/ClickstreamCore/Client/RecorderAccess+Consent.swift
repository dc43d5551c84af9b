/// Consent of a running client: decisions, events that wait, withdrawal.
extension RecorderAccess {
    // MARK: Decisions

    /// Takes a decision, and performs its consequences for events that wait or are queued.
    package mutating func setConsent(_ decision: ConsentDecision, for purposes: [ConsentPurpose], at moment: Moment) {
        guard lifecycle.visibility != .ended, log.store.isOpen, !purposes.isEmpty else { return }
        changeState { access in
            let stored = access.log.store.state?.consent
            access.apply(access.admission.consent(after: decision, for: purposes, stored: stored), at: moment)
        }
    }

    /// Takes over decisions of other processes; to be called with the lock of the shared state.
    mutating func takeSharedConsent() {
        guard let state = log.store.state else { return }
        if state.consent.isLater(than: admission.consent), lifecycle.visibility != .ended {
            apply(admission.consent.merged(with: state.consent), at: nil)
        } else if log.store.hasWithdrawal {
            completeWithdrawal()
        }
    }

    /// - Parameter moment: `nil` for a decision of another process: no event follows from it.
    private mutating func apply(_ consent: Consent, at moment: Moment?) {
        let decision = admission.take(consent)
        log.store.state?.consent = consent
        if decision.withdraws, moment != nil {
            for warning in log.store.beginWithdrawal() { notices.append(.warning(warning)) }
        }
        // First: a process that ends in between leaves the rest to the next launch. Nothing is taken over from other processes,
        // which would complete the withdrawal before it is saved.
        withState { access, findings in
            access.notices += findings
            access.save(HeldEvents.Debt())
        }
        let consequences = admission.apply(decision, lifecycle.stored, profile: user)
        drop(consequences.dropped)
        composer.context.allowedPurposes = admission.allowedPurposes
        if decision.withdraws {
            completeWithdrawal(ofAllQueues: true)
            crashDraft.forget()
        } else if log.store.hasWithdrawal {
            completeWithdrawal()
        }
        if let released = consequences.released {
            record(released)
            saveState()
        }
        guard let moment else { return }
        if consequences.reopens { lifecycle.enable(at: moment) }
        if consequences.recordsProfile, isRecording { emit(EventDraft(EventName.profileSet), at: moment) }
    }

    /// Records events that waited, in order and as they were encoded.
    private mutating func record(_ waiting: [HeldEvents.Event]) {
        for event in waiting {
            // A store in memory may return to the disk in between, and find there that another process has refused.
            guard admission.isOpen else {
                hold(event)
                continue
            }
            if let (format, partition) = event.captured {
                _ = store(event.json, partition, format, isActive: event.isActive, at: event.timestamp)
            } else if let id = event.id {
                log.line = EventLine(json: event.json[...])
                append(
                    event.name,
                    id,
                    isActive: event.isActive,
                    at: event.timestamp,
                    violations: event.violations
                )
            }
        }
    }

    // MARK: Events without consent

    /// Keeps an event until consent is given, or drops it.
    /// - Returns: false if the event was dropped.
    @discardableResult
    mutating func hold(_ event: HeldEvents.Event) -> Bool {
        let isHeld = admission.hold(event, limit: configuration.maxHeldEvents)
        if !isHeld { drop([event]) }
        return isHeld
    }

    /// Counts events that are dropped, for lack of consent.
    private mutating func drop(_ events: [HeldEvents.Event], as outcome: EventOutcome = .consentDropped) {
        for event in events {
            if let format = event.captured?.format {
                log.store.count(outcome, format: format)
            } else {
                log.store.count(outcome)
            }
        }
    }

    /// Drops the events that wait.
    mutating func dropHeldEvents(as outcome: EventOutcome = .consentDropped) {
        drop(admission.removeHeld(), as: outcome)
    }

    /// Removes what the state lists, and saves what is left.
    /// - Parameters:
    ///   - ofAllQueues: true if the queues of this process are emptied even if they are not listed.
    ///   - reason: the reason for the removal, for observers and the accounting.
    mutating func completeWithdrawal(ofAllQueues: Bool = false, for reason: Notice.EvictionReason = .consent) {
        let listed = log.store.state?.withdrawn ?? []
        let result = log.store.completeWithdrawal(ofAllQueues: ofAllQueues, as: EventOutcome(reason))
        let emptiesOwnRun = result?.emptiesOwnRun == true
        // The file that a crash of this process would complete was removed too.
        if emptiesOwnRun { crashDraft.forget() }
        if ofAllQueues || emptiesOwnRun, let observer { observer.didRemoveEvents() }
        if let warnings = result?.warnings, let warning = warnings.first {
            let others = warnings.count > 1 ? ", and \(warnings.count - 1) more" : ""
            warn(warning.code, warning.message + others)
        }
        if let events = result?.events, events > 0 {
            notices.append(.evicted(events: events, reason: reason))
        }
        guard log.store.state?.withdrawn != listed else { return }
        do {
            // Twice: the predecessor file must not list the folders either.
            try log.store.saveState(twice: true)
        } catch {
            warn(.stateNotSaved, "\(error)")
        }
    }
}
