/// Makes events: applies the rules to drafts and encodes them with the context.
struct EventComposer: Sendable {
    let ids: any IDSource
    var context: EventContext
    private var advice = Advice()

    init(ids: any IDSource, context: EventContext) {
        self.ids = ids
        self.context = context
    }

    /// An event that was encoded, with the findings of the rules.
    struct Composed {
        var event: Event
        var verdict: AttributeVerdict
        var violations: [Violation]
        var isCallers: Bool
    }

    /// Encodes a draft into `line`.
    /// - Parameter found: violations found earlier, which come first.
    mutating func compose(
        _ draft: EventDraft,
        found: [Violation] = [],
        into line: inout EventLine,
        at moment: Moment
    ) -> Composed {
        context.followZone(at: moment.wall)
        var violations = found
        var event = Event(
            draft.name,
            id: draft.id ?? ids.next(),
            timestamp: moment.wall,
            preset: draft.preset,
            own: draft.own,
            items: draft.items
        )
        let verdict = verdict(on: event, into: &violations)
        if !event.items.isEmpty { event.items = Validator.checkItems(event.items, into: &violations) }
        // An error event has the code of the mistake that it reports, not of one of its own.
        let reportsError = event.name == EventName.clickstreamError && !event.preset.isEmpty
        line.removeAll()
        context.writer.write(
            event,
            globals: context.globals.attributes,
            verdict: verdict,
            error: reportsError ? nil : violations.firstError,
            at: moment,
            into: &line
        )
        return Composed(event: event, verdict: verdict, violations: violations, isCallers: draft.isCallers)
    }

    /// Encodes a usual event into `line`.
    /// - Parameter count: the number of its attributes, the library's and global ones included.
    /// - Returns: its id; `nil` if its global attributes have to be checked with it.
    @inline(__always)
    mutating func compose(
        _ event: FastPathEvent,
        _ attributes: Attributes,
        count: Int,
        into line: inout EventLine,
        at moment: Moment
    ) -> UniqueID? {
        // Before the JSON is read, which a change of the context would otherwise retain.
        context.followZone(at: moment.wall)
        guard let json = context.globals.json(for: attributes, count: count, hasReservedNames: false) else {
            return nil
        }
        let id = ids.next()
        line.removeAll()
        context.writer.write(event, id: id, globals: json, at: moment, into: &line)
        return id
    }

    /// Number of attributes of a usual event, the library's and global ones included.
    @inline(__always)
    func count(of attributes: Attributes) -> Int {
        context.writer.presets.count + attributes.count + context.globals.attributes.count
    }

    /// Encodes `_session_start` of an earlier session into `line`.
    ///
    /// A launch that dies before its state is saved records the event again: the id depends on the session alone.
    func compose(startOf stored: SessionMachine.Stored, into line: inout EventLine, at moment: Moment) -> UniqueID {
        let text = "\(context.deviceID) \(stored.id) \(EventName.sessionStart)"
        let bits = SHA256.digest(of: Array(text.utf8)).prefix(16)
        let (high, low) = (bits.prefix(8), bits.suffix(8))
        let id = UniqueID(
            randomBitsHigh: high.reduce(0) { $0 << 8 | UInt64($1) },
            low: low.reduce(0) { $0 << 8 | UInt64($1) }
        )
        let start = Moment(wall: stored.start, steady: moment.steady)
        var then = context
        then.session = Session(id: stored.id, number: stored.number, start: stored.start, takenUpAt: start)
        then.followZone(at: stored.start)
        line.removeAll()
        then.writer.write(
            Event(EventName.sessionStart, id: id, timestamp: stored.start),
            globals: [:],
            verdict: AttributeVerdict(),
            error: nil,
            at: start,
            into: &line
        )
        return id
    }

    /// Encodes `_app_exception` with the current context, whose offset from GMT is that of the last event.
    /// - Parameter breadcrumbs: the messages before the crash, one a line; empty if there are none.
    func crashReport(
        message: String,
        stack: String,
        breadcrumbs: String = "",
        isVisible: Bool,
        at moment: Moment
    ) -> CrashReport {
        let event = Event(
            EventName.appException,
            id: ids.next(),
            timestamp: moment.wall,
            preset: [
                AttributeName.exceptionMessage: CrashReport.cut(message: message),
                AttributeName.exceptionStack: CrashReport.cut(stack: stack),
                AttributeName.exceptionBreadcrumbs: breadcrumbs.isEmpty ? nil : CrashReport.cut(stack: breadcrumbs),
            ]
        )
        // Global attributes that do not fit are reported in the event alone: the process ends.
        var violations: [Violation] = []
        let verdict = verdict(on: event, into: &violations)
        var line = EventLine()
        context.writer.write(
            event,
            globals: context.globals.attributes,
            verdict: verdict,
            error: violations.firstError,
            at: moment,
            into: &line
        )
        return CrashReport(id: event.id, timestamp: moment.wall, movesLastActive: isVisible, line: line.json)
    }

    /// `_app_exception` of a crash that has not happened: without time, message and stack.
    func crashDraft(isVisible: Bool) -> CrashDraft {
        let session = context.session
        let report = crashReport(
            message: "",
            stack: "",
            isVisible: isVisible,
            at: Moment(wall: session.start, steady: session.takenUp)
        )
        return CrashDraft(report: report, steadyAtSessionStart: session.takenUp - session.elapsedBefore)
    }

    /// The event's own and global attributes that the rules keep.
    private func verdict(on event: borrowing Event, into violations: inout [Violation]) -> AttributeVerdict {
        // Copied, so that the closure below does not copy the event.
        let (presets, preset) = (context.writer.presets, event.preset)
        return Validator.checkAttributes(
            own: event.own,
            globals: context.globals.attributes,
            presetCount: presets.count
                + preset.elements.count { !Validator.isErrorAttribute($0.name) && !presets.contains($0.name) },
            isPreset: { presets.contains($0) || preset[$0] != nil },
            into: &violations
        )
    }

    // MARK: Suggested limits

    /// Suggested limits that a caller's event exceeds, each name once.
    mutating func suggestions(for composed: Composed) -> [Violation] {
        guard composed.isCallers else { return [] }
        let (event, presets) = (composed.event, context.writer.presets)
        var findings: [Violation] = []
        advice.check(
            at: event.name,
            event.own,
            globals: context.globals.attributes,
            presetCount: presets.count + event.preset.elements.count { !presets.contains($0.name) },
            verdict: composed.verdict,
            items: event.items,
            into: &findings
        )
        return findings
    }

    /// As ``suggestions(for:)``, for a usual event: only the number of its attributes can exceed a limit.
    mutating func suggestions(forCount count: Int, of name: String) -> [Violation] {
        advice.check(atCount: count, of: name)
    }

    /// The global attributes that the rules accept, and the violations of the others.
    func check(globals: Attributes) -> (accepted: Attributes, refused: [Violation]) {
        var refused: [Violation] = []
        let accepted = Validator.checkGlobals(globals, existing: context.globals.attributes, into: &refused)
        return (accepted, refused)
    }

    /// Suggested limits that accepted global attributes exceed.
    mutating func suggestions(forGlobals accepted: Attributes) -> [Violation] {
        var findings: [Violation] = []
        advice.check(atGlobals: accepted, into: &findings)
        return findings
    }

    /// Suggested limits that accepted user attributes exceed.
    /// - Parameter count: how many the user has.
    mutating func suggestions(forUser accepted: Attributes, count: Int) -> [Violation] {
        var findings: [Violation] = []
        advice.check(atUser: accepted, count: count, into: &findings)
        return findings
    }
}
