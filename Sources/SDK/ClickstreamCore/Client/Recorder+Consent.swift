/// Consent of a running client: decisions, events that wait, withdrawal.
extension Recorder {
    /// The decision on a purpose.
    package func consent(for purpose: ConsentPurpose) -> ConsentDecision { gate.consent[purpose] }

    /// True if the lifecycle is tracked: recording is enabled and not closed by consent.
    var isTracking: Bool { isEnabled && gate.analytics != .closed }

    /// The outcome of an event that is not recorded.
    var refusal: Ledger.Outcome {
        isEnabled && lifecycle.visibility != .ended && gate.analytics == .closed ? .consentDropped : .disabled
    }

    /// Takes over the stored decisions at a launch.
    mutating func beginConsent() {
        if gate.analytics == .holding { held.begin(lifecycle.stored) }
        if gate.analytics == .closed { profileBeforeClosing = user }
        updatePath()
    }

    // MARK: Decisions

    /// Takes a decision, and performs its consequences for events that wait or are queued.
    package mutating func setConsent(_ decision: ConsentDecision, for purposes: [ConsentPurpose], at moment: Moment) {
        guard lifecycle.visibility != .ended, log.store.isOpen, !purposes.isEmpty else { return }
        changeState { recorder in
            var consent = recorder.log.store.state?.consent ?? recorder.gate.consent
            consent.decide(decision, for: purposes)
            recorder.apply(consent, at: moment)
        }
    }

    /// Takes over decisions of other processes; to be called with the lock of the shared state.
    mutating func takeSharedConsent() {
        guard let state = log.store.state, !isApplyingConsent else { return }
        if state.consent.revision > gate.consent.revision, lifecycle.visibility != .ended {
            apply(state.consent, at: nil)
        } else if log.store.hasWithdrawal {
            isApplyingConsent = true
            completeWithdrawal()
            isApplyingConsent = false
        }
    }

    /// - Parameter moment: `nil` for a decision of another process: no event follows from it.
    private mutating func apply(_ consent: Consent, at moment: Moment?) {
        isApplyingConsent = true
        defer { isApplyingConsent = false }
        let before = gate
        let next = gate.with(consent)
        let withdraws = before.withdraws(to: next)
        log.store.state?.consent = consent
        if withdraws, moment != nil {
            for warning in log.store.beginWithdrawal() { notices.append(.warning(warning)) }
        }
        // Events that are to be recorded stay owed until they are; those to be dropped count as having happened.
        let refused = before.analytics == .holding && next.analytics == .closed ? held.end() : []
        gate = next.analytics == .closed ? next : before.pending(consent)
        // First: a process that ends in between leaves the rest to the next launch.
        saveState()
        gate = next
        drop(refused)
        updatePath()
        composer.context.isPersonalized = next.isPersonalized
        if withdraws {
            dropHeldEvents()
            completeWithdrawal(ofAllQueues: true)
            crashDraft.forget()
        } else if log.store.hasWithdrawal {
            completeWithdrawal()
        }
        changeAdmission(from: before.analytics, at: moment)
        guard let moment, isRecording, next.isPersonalized else { return }
        let isNew = !before.isPersonalized && user.hasProfile
        let hasChanged = before.analytics == .closed && profileBeforeClosing.map { $0 != user } ?? false
        if isNew || hasChanged { emit(EventDraft(EventName.profileSet), at: moment) }
    }

    private mutating func changeAdmission(from before: ConsentGate.Admission, at moment: Moment?) {
        guard gate.analytics != before else { return }
        if before == .holding, gate.analytics == .open {
            record(held.end())
            saveState()
        }
        if gate.analytics == .holding { held.begin(lifecycle.stored) }
        if gate.analytics == .closed { profileBeforeClosing = user }
        if before == .closed, let moment { lifecycle.enable(at: moment) }
    }

    /// Records events that waited, in order and as they were encoded.
    private mutating func record(_ waiting: [HeldEvents.Event]) {
        for event in waiting {
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
    mutating func withhold(_ event: HeldEvents.Event) -> Bool {
        guard gate.analytics == .holding, held.add(event, most: configuration.maxHeldEvents) else {
            drop([event])
            return false
        }
        return true
    }

    /// Counts events that are dropped, for lack of consent.
    private mutating func drop(_ events: [HeldEvents.Event], as outcome: Ledger.Outcome = .consentDropped) {
        for event in events {
            if let format = event.captured?.format {
                log.store.count(outcome, format: format)
            } else {
                log.store.count(outcome)
            }
        }
    }

    /// Drops the events that wait.
    mutating func dropHeldEvents(as outcome: Ledger.Outcome = .consentDropped) {
        drop(held.removeAll(), as: outcome)
    }

    /// Removes what the state lists, and saves what is left.
    /// - Parameter ofAllQueues: true if the queues of this process are emptied even if they are not listed.
    mutating func completeWithdrawal(ofAllQueues: Bool = false, as outcome: Ledger.Outcome = .consentDropped) {
        let listed = log.store.state?.withdrawn ?? []
        let result = log.store.completeWithdrawal(ofAllQueues: ofAllQueues, as: outcome)
        // The file that a crash of this process would complete was removed too.
        if result.emptiesOwnRun { crashDraft.forget() }
        if ofAllQueues || result.emptiesOwnRun, let observer { observer.didRemoveEvents(&self) }
        if let warning = result.warnings.first {
            let others = result.warnings.count > 1 ? ", and \(result.warnings.count - 1) more" : ""
            notices.append(.warning(warning + others))
        }
        if result.events > 0 { notices.append(.evicted(events: result.events, reason: "no consent")) }
        guard log.store.state?.withdrawn != listed else { return }
        do {
            // Twice: the predecessor file must not list the folders either.
            try log.store.saveState(twice: true)
        } catch {
            notices.append(.warning("\(error)"))
        }
    }

    // MARK: Sampling and timing

    /// Recalculates the conditions of the fast path.
    mutating func updatePath() {
        isPlain = gate.analytics == .open && sampler.isEmpty && timings.isEmpty
    }

    /// True if an event of that name is neither sampled nor timed, nor withheld.
    func isUsual(_ name: String) -> Bool {
        gate.analytics != .closed && !timings.isTimed(name) && !sampler.isSampled(name)
    }

    /// The attributes that sampling and timing add to an event of the app, whose timing ends.
    /// - Returns: `nil` if the event is not in the sample.
    mutating func preset(of name: String, at moment: Moment) -> Attributes? {
        guard !isPlain else { return Attributes() }
        var preset = Attributes()
        if let duration = timings.end(name, at: moment.awake) {
            preset[AttributeName.eventDuration] = duration
            updatePath()
        }
        switch sampler.verdict(on: name) {
        case .unsampled: break
        case .kept(let rate): preset.set(AttributeName.samplingRate, to: .double(rate))
        case .sampledOut: return nil
        }
        return preset
    }

    /// Starts or restarts the timing of the next event of that name.
    package mutating func startTiming(_ name: String, at moment: Moment) {
        guard lifecycle.visibility != .ended else { return }
        if !timings.start(name, at: moment.awake) {
            notices.append(.warning("\"\(name.prefix(50))\" is not timed: \(Timings.most) timings are running."))
        }
        updatePath()
    }

    /// Ends a timing without an event.
    package mutating func cancelTiming(_ name: String) {
        _ = timings.end(name, at: 0)
        updatePath()
    }

    /// Takes over changed sampling rates.
    mutating func updateSampler() {
        sampler = Sampler(rates: configuration.sampling, deviceID: composer.context.deviceID)
        updatePath()
    }

    /// Counts the outcome of middleware for one event.
    package mutating func count(_ outcome: MiddlewareOutcome) {
        guard isRecording else {
            if outcome.droppedBy != nil { log.store.count(refusal) }
            return
        }
        log.store.count(outcome)
    }
}
