import ClickstreamCore
import Synchronization

/// Shard of a server's events: a run folder, a lock and buffers of its own, for a part of the visitors.
///
/// An event of a visitor is always recorded to the same shard, so that the events of a visitor keep their order. Shards share
/// nothing that recording writes to, since a cache line that several cores write to costs more than the encoding of an
/// event. Thread-safe.
final class EventShard: Sendable {
    struct State: ~Copyable {
        var log: EventLog
        var configuration: ClickstreamClient.Configuration
        var globals: GlobalAttributes
        var isEnabled = true
        let writer: VisitorWriter
        var notices: [Notice] = []
        /// The use of the store beyond which the shards share it anew.
        var grant: StoreUse
        /// Events that this process recorded or refused.
        var recorded = 0
        /// Events that this process refused, by reason.
        var refused: [EventOutcome: Int] = [:]
    }

    private let state: Locked<State>
    private let ids: any IDSource
    let device: ClickstreamClient.Device
    /// The parts of the session table that belong to this shard, by ``SessionTable/stripe(of:)``; empty without a table.
    private let sessions: [SessionStripe]
    /// True if each event has all attributes of its user.
    let sendsUserAttributes: Atomic<Bool>
    /// True if events of some name are sampled.
    let samples: Atomic<Bool>
    private let report: @Sendable ([Notice], Bool) -> Void

    /// Opens the store of the app with a run folder for this shard.
    /// - Parameters:
    ///   - configuration: its global attributes are valid: see ``Validator/checkGlobals(_:existing:reportsSuggestions:into:)``.
    ///   - number: the number of the shard, from 0.
    ///   - ids: the source of event ids, not shared with another shard unless it must produce one sequence.
    ///   - report: receives notices outside the lock, and true if recorded events are printed.
    init(
        _ configuration: ClickstreamClient.Configuration,
        number: Int,
        budget: StoreBudget,
        device: ClickstreamClient.Device,
        storage: String,
        files: any FileSystem,
        ids: any IDSource,
        sessions table: SessionTable?,
        observesLines: Bool,
        report: @escaping @Sendable ([Notice], Bool) -> Void
    ) throws(StoreError) {
        let store = try EventStore.opened(
            files: files,
            root: storage,
            destination: Destination(configuration),
            limits: budget.limits(ofShard: number),
            goesToMemory: true,
            launches: false
        )
        self.ids = ids
        self.device = device
        self.report = report
        sendsUserAttributes = Atomic(configuration.sendsUserAttributesInEveryEvent)
        samples = Atomic(!configuration.sampling.isEmpty)
        sessions = table.map { table in (0..<SessionTable.stripeCount).map { table[stripe: $0] } } ?? []
        state = Locked(
            State(
                log: EventLog(store, observesLines: observesLines),
                configuration: configuration,
                globals: GlobalAttributes(configuration.globalAttributes),
                writer: VisitorWriter(appID: configuration.appID, app: device.app),
                grant: budget.firstGrant
            )
        )
        change { state in state.notices += state.log.store.takeOpeningNotices() }
    }

    /// Reads or changes the state under the lock, then reports its notices.
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, notices, printsEvents) = state.withLock { state in
            let result = body(&state)
            if state.notices.isEmpty { return (result, [Notice](), false) }
            defer { state.notices = [] }
            return (result, state.notices, state.configuration.logsEvents)
        }
        if !notices.isEmpty { report(notices, printsEvents) }
        return result
    }

    /// Changes the state under the lock.
    /// - Returns: the notices, which the caller is to report outside its own locks.
    func collectingNotices(_ body: (inout State) -> Void) -> [Notice] {
        state.withLock { state in
            body(&state)
            defer { state.notices = [] }
            return state.notices
        }
    }

    /// Reads or changes the state under the lock. Its notices are reported by the next ``change(_:)``.
    func changeQuietly<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    // MARK: Recording

    /// Records an event of a visitor. On return it survives the death of the process.
    /// - Parameter stripe: the part of the session table that contains the visitor's device.
    /// - Returns: true if the shard exceeds its grant: call ``StoreBudget/divide(among:)`` then.
    func record(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        for visitor: Visitor,
        stripe: Int,
        at time: Timestamp
    ) -> Bool {
        if visitor.isUsual {
            return record(name, attributes, items, usual: visitor, found: [], stripe: stripe, at: time)
        }
        var found: [Violation] = []
        if let checked = visitor.checked(into: &found) {
            return record(name, attributes, items, usual: checked, found: found, stripe: stripe, at: time)
        }
        change { state in
            guard state.isRecording else { return state.refuse() }
            for violation in found { state.reject(violation) }
        }
        return false
    }

    @inline(__always)
    private func record(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        usual visitor: Visitor,
        found: [Violation],
        stripe: Int,
        at time: Timestamp
    ) -> Bool {
        let sendsAttributes = sendsUserAttributes.load(ordering: .relaxed) || name == EventName.profileSet
        if samples.load(ordering: .relaxed), let rate = rate(of: name) {
            guard Sampler.position(of: name, deviceID: visitor.deviceID) < rate else {
                changeQuietly { $0.isRecording ? $0.drop(as: .sampledOut) : $0.refuse() }
                return false
            }
            return VisitorFields.of(visitor, at: time, userAttributes: sendsAttributes) { fields in
                record(visitor, fields, stripe: stripe, at: time) { state, session in
                    state.record(name, attributes, items, visitor, fields, found, session, ids, at: time, sampled: rate)
                }
            }
        }
        return VisitorFields.of(visitor, at: time, userAttributes: sendsAttributes) { fields in
            guard items.isEmpty, found.isEmpty else {
                return record(visitor, fields, stripe: stripe, at: time) { state, session in
                    state.record(name, attributes, items, visitor, fields, found, session, ids, at: time)
                }
            }
            return FastPathEvent.attempt(name, attributes) { attempt in
                record(visitor, fields, stripe: stripe, at: time) { state, session in
                    if state.record(name, attributes, attempt, fields, session, ids, at: time) { return }
                    state.record(name, attributes, items, visitor, fields, found, session, ids, at: time)
                }
            }
        }
    }

    /// The share of devices that record events of a name; `nil` for all of them.
    private func rate(of name: String) -> Double? { changeQuietly { $0.configuration.sampling[name] } }

    /// Calls `body` under the lock with the session that the table assigns to a visitor without one, after `_session_start`
    /// of a session that starts.
    @inline(__always)
    private func record(
        _ visitor: borrowing Visitor,
        _ fields: VisitorFields,
        stripe: Int,
        at time: Timestamp,
        _ body: (inout State, Visitor.Session?) -> Void
    ) -> Bool {
        change { state in
            guard state.isRecording else {
                state.refuse()
                return false
            }
            if visitor.session == nil, !sessions.isEmpty {
                let (session, isNew) = sessions[stripe].session(of: visitor.deviceID, at: time)
                if isNew { state.start(session, copy visitor, fields, ids, at: time) }
                body(&state, session)
            } else {
                body(&state, nil)
            }
            return state.use.exceeds(state.grant)
        }
    }
}

extension EventShard.State {
    /// True if the configuration requires a consent that no one can give for all visitors.
    private var lacksConsent: Bool {
        // A pattern, since `!=` would compare the texts of the cases for each event.
        if case .notRequired = configuration.consent { return false }
        return true
    }

    /// False while recording is disabled, without consent, and after the end.
    var isRecording: Bool { isEnabled && log.store.isOpen && !lacksConsent }

    /// Counts an event while ``isRecording`` is false.
    mutating func refuse() {
        drop(as: isEnabled && log.store.isOpen ? .consentDropped : .disabled)
    }

    /// Counts an event that is not recorded.
    mutating func drop(as outcome: EventOutcome) {
        recorded += 1
        refused[outcome, default: 0] += 1
        log.store.count(outcome)
    }

    /// Counts an event that a rule rejects, and reports it.
    mutating func reject(_ violation: Violation) {
        recorded += 1
        refused[.rejected, default: 0] += 1
        log.store.countRejected(violation.code)
        notices.append(.rejected([violation]))
    }

    /// Records an event on the fast path.
    /// - Returns: false if the rules may have a finding.
    @inline(__always)
    mutating func record(
        _ name: String,
        _ attributes: Attributes,
        _ attempt: FastPathEvent.Attempt,
        _ fields: VisitorFields,
        _ session: Visitor.Session?,
        _ ids: any IDSource,
        at time: Timestamp
    ) -> Bool {
        let count =
            fields.count + VisitorWriter.sessionAttributeCount + attributes.count + globals.attributes.count
        guard case .made(let event) = attempt,
            let json = globals.json(for: attributes, count: count, hasReservedNames: true)
        else { return false }
        let id = ids.next()
        writer.write(event, id: id, fields, session: session, globals: json, at: time, into: &log.line)
        append(name, id, [], at: time)
        return true
    }

    /// Records an event on the general path.
    /// - Parameter rate: the share of devices that record events of this name; `nil` for all of them.
    mutating func record(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        _ visitor: Visitor,
        _ fields: VisitorFields,
        _ found: [Violation],
        _ session: Visitor.Session?,
        _ ids: any IDSource,
        at time: Timestamp,
        sampled rate: Double? = nil
    ) {
        let composer = VisitorComposer(writer: writer, globals: globals.attributes, ids: ids)
        let (composed, rejected) = composer.compose(
            name,
            attributes,
            items,
            visitor,
            fields,
            session: session,
            found: found,
            sampled: rate,
            into: &log.line,
            at: time
        )
        if let rejected { reject(rejected) }
        append(composed.name, composed.id, composed.violations, at: time)
    }

    /// Records `_session_start` of a session that was assigned to a visitor.
    @inline(never)
    mutating func start(
        _ session: Visitor.Session,
        _ visitor: Visitor,
        _ fields: VisitorFields,
        _ ids: any IDSource,
        at time: Timestamp
    ) {
        record(EventName.sessionStart, [:], [], visitor, fields, [], session, ids, at: time)
    }

    /// Stores the event in the log's line.
    @inline(__always)
    private mutating func append(_ name: String, _ id: UniqueID, _ violations: [Violation], at time: Timestamp) {
        recorded += 1
        log.record(
            name,
            id,
            violations: violations,
            logsEvents: configuration.logsEvents,
            at: time,
            into: &notices
        )
    }
}
