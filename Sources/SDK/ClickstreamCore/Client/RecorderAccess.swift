/// Access to the recording of a client, under its lock: admits, encodes and stores events, and saves the state with them.
///
/// Lower part of a ``Recorder``, which decides from inputs. Other modules and observers have the package operations alone. Not
/// copyable, so that it cannot be kept beyond the call that received it.
package struct RecorderAccess: ~Copyable {
    var settings: ClientSettings
    var lifecycle: Lifecycle
    var composer: EventComposer
    var log: EventLog
    var admission: Admission
    var crashDraft: CrashDraftFile
    /// Notices that have not been taken by ``finish()``.
    var notices: [Notice]
    /// See ``observe(_:)``.
    package internal(set) var observer: (any RecorderObserver)?
    /// False while the device is offline, as reported by the platform's adapter.
    package var isOnline = true

    package var configuration: ClickstreamClient.Configuration { settings.configuration }
    package var device: ClickstreamClient.Device { composer.context.device }
    package var isEnabled: Bool { admission.isEnabled }
    /// False if events are dropped; see ``refusal``.
    @inline(__always)
    var isRecording: Bool { lifecycle.visibility != .ended && admission.isAdmitting }
    /// The outcome of events that are dropped because recording is disabled, closed by consent, or has ended; `nil` if they are
    /// not.
    var refusal: EventOutcome? { lifecycle.visibility == .ended ? .disabled : admission.refusal }

    // MARK: Events

    /// Records an event.
    /// - Parameters:
    ///   - found: violations found before the rules are applied.
    ///   - now: the time of the call, if it differs from the event's.
    mutating func emit(_ draft: EventDraft, found: [Violation] = [], at moment: Moment, now: Moment? = nil) {
        let composed = composer.compose(draft, found: found, into: &log.line, at: moment)
        append(
            composed.event.name,
            composed.event.id,
            isActive: composer.context.isActive,
            at: moment.wall,
            violations: composed.violations
        )
        warn(of: composer.suggestions(for: composed))
        noteActivity(at: now ?? moment)
    }

    /// Reports a violation, and records `_clickstream_error` with its code and reason.
    mutating func reject(_ violation: Violation, at moment: Moment) {
        notices.append(.rejected([violation]))
        let preset: Attributes = [
            AttributeName.errorCode: violation.code.rawValue,
            AttributeName.errorMessage: violation.message,
        ]
        emit(EventDraft(EventName.clickstreamError, preset: preset), at: moment)
    }

    mutating func warn(_ code: Notice.Warning.Code, _ message: String) {
        notices.append(.warning(.init(code, message)))
    }

    mutating func warn(of suggestions: [Violation]) {
        for suggestion in suggestions {
            warn(.suggestion, "suggestion \(suggestion.code): \(suggestion.message)")
        }
    }

    /// Stores the event in the log's line.
    mutating func append(
        _ name: String,
        _ id: UniqueID,
        isActive: Bool,
        at timestamp: Timestamp,
        violations: [Violation]
    ) {
        // First: saving takes over a refusal of consent by another process.
        if log.store.isStateUnsaved, admission.isOpen { saveState(isRepeated: true) }
        guard admission.isOpen else {
            hold(HeldEvents.Event(name, id, log.line.json, isActive, timestamp, violations))
            return
        }
        let failure = log.append(isActive: isActive, at: timestamp)
        if log.store.hasNotices { followStore() }
        log.report(
            name,
            id,
            violations: violations,
            failure: failure,
            logsEvents: settings.configuration.logsEvents,
            isOutside: lifecycle.visibility == .outside,
            into: &notices
        )
    }

    /// An event that was stored in the foreground is the app's last activity.
    @inline(__always)
    mutating func noteActivity(at moment: Moment) {
        guard composer.context.isActive, !log.isFailing else { return }
        lifecycle.wasActive(at: moment)
        if log.hidesActivity(at: moment.wall) { saveState() }
    }

    // MARK: Notices

    /// Ends a use of the recorder: brings the draft for a crash up to date, and returns the notices since the last call.
    mutating func finish() -> [Notice] {
        let revision = composer.context.revision &+ settings.revision &+ admission.revision
        if crashDraft.revision != revision { keepCrashDraft(revision) }
        return takeNotices()
    }

    mutating func takeNotices() -> [Notice] {
        guard !notices.isEmpty else { return [] }
        defer { notices.removeAll(keepingCapacity: true) }
        return notices
    }

    mutating func note(_ notice: Notice) {
        notices.append(notice)
    }

    /// Adds the line of every later event to its notice.
    mutating func observeLines() {
        log.observeLines()
    }
}
