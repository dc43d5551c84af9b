/// What the state says of one process's session.
package struct StoredSession: Sendable, Equatable {
    /// The number of the run folder that the process records in.
    package var run: Int
    package var session: SessionMachine.Stored
    /// When the run's queue had last been active when this was saved: once it says otherwise, its word is the later one.
    package var queueActive: Timestamp?
    /// The wall time of the session's latest screen view.
    package var lastView: Timestamp?
    /// What was decided with this state, and may not have been recorded.
    package var debt: Debt?

    /// Events that follow from the state that they are saved with. The state goes to disk first: a process that dies in
    /// between leaves them to the next launch.
    package struct Debt: Sendable, Equatable {
        /// The sequence number in the run that the first of them gets.
        package var sequence: Int
        /// Their names, in order.
        package var events: [String]
        /// The versions that an update was found against.
        package var versions: LaunchMachine.Versions?
        /// The latest view before the one that is owed.
        package var lastView: Timestamp?
        /// Whether the first of them have been recorded; not stored, since the run tells it.
        package private(set) var isBegun = false

        package init(
            sequence: Int,
            events: [String],
            versions: LaunchMachine.Versions? = nil,
            lastView: Timestamp? = nil
        ) {
            self.sequence = sequence
            self.events = events
            self.versions = versions
            self.lastView = lastView
        }

        /// What is still owed by a run whose next record gets the number `next`; `nil` when it is nothing.
        func left(at next: Int) -> Debt? {
            let recorded = max(0, next - sequence)
            guard recorded < events.count else { return nil }
            var left = self
            left.sequence += recorded
            left.events.removeFirst(recorded)
            left.isBegun = isBegun || recorded > 0
            return left
        }
    }

    package init(
        run: Int,
        session: SessionMachine.Stored,
        queueActive: Timestamp? = nil,
        lastView: Timestamp? = nil,
        debt: Debt? = nil
    ) {
        self.run = run
        self.session = session
        self.queueActive = queueActive
        self.lastView = lastView
        self.debt = debt
    }

    /// What became of it, as its run folder says: when it was last active, and what it still owes.
    package mutating func settle(lastActive: Timestamp?, nextSequence: Int) {
        if let lastActive, lastActive != queueActive { session.lastActive = lastActive }
        debt = debt?.left(at: nextSequence)
        if let debt, debt.events.contains(EventName.screenView) { lastView = debt.lastView }
    }

    /// Whether there are events of the session, but not that of its start.
    var lacksStart: Bool { debt.map { $0.isBegun && $0.events.contains(EventName.sessionStart) } ?? false }

    // MARK: As JSON

    var json: JSONValue.Kind {
        func number(_ value: Int64) -> JSONValue.Kind { .number(JSONNumber(integer: value)) }
        var members = [
            JSONMember("run", number(Int64(run))),
            JSONMember("id", .string(session.id)),
            JSONMember("number", number(Int64(session.number))),
            JSONMember("start", number(session.start.milliseconds)),
            JSONMember("last_active", number(session.lastActive.milliseconds)),
        ]
        if let queueActive { members.append(JSONMember("queue_active", number(queueActive.milliseconds))) }
        if let lastView { members.append(JSONMember("last_view", number(lastView.milliseconds))) }
        if let debt {
            var owed = [
                JSONMember("sequence", number(Int64(debt.sequence))),
                JSONMember("events", .array(debt.events.map { JSONValue(.string($0)) })),
            ]
            if let versions = debt.versions {
                owed.append(JSONMember("app_version", .string(versions.app)))
                owed.append(JSONMember("os_version", .string(versions.system)))
            }
            if let view = debt.lastView { owed.append(JSONMember("last_view", number(view.milliseconds))) }
            members.append(JSONMember("owes", .object(owed)))
        }
        return .object(members)
    }

    /// Reads it back; `nil` when it is not such a value.
    init?(_ value: JSONValue) {
        guard let run = value["run"]?.integer, let id = value["id"]?.string, let number = value["number"]?.integer,
            let start = value["start"]?.integer, let active = value["last_active"]?.integer,
            StoredState.possibleNumbers ~= run, StoredState.possibleNumbers ~= number
        else { return nil }
        var debt: Debt?
        if let owed = value["owes"] {
            guard let sequence = owed["sequence"]?.integer, StoredState.possibleNumbers ~= sequence,
                let events = owed["events"]?.array
            else { return nil }
            debt = Debt(sequence: Int(sequence), events: events.compactMap(\.string))
            if let app = owed["app_version"]?.string, let system = owed["os_version"]?.string {
                debt?.versions = LaunchMachine.Versions(app: app, system: system)
            }
            debt?.lastView = owed["last_view"]?.integer.map(Timestamp.init(milliseconds:))
        }
        self.init(
            run: Int(run),
            session: SessionMachine.Stored(
                id: id,
                number: Int(number),
                start: Timestamp(milliseconds: start),
                lastActive: Timestamp(milliseconds: active)
            ),
            queueActive: value["queue_active"]?.integer.map(Timestamp.init(milliseconds:)),
            lastView: value["last_view"]?.integer.map(Timestamp.init(milliseconds:)),
            debt: debt
        )
    }
}

extension StoredSession.Debt {
    /// The versions that the next launch compares with, so that it finds again what is still owed.
    func versionsBefore(_ stored: LaunchMachine.Versions?) -> LaunchMachine.Versions? {
        guard !events.contains(EventName.firstOpen) else { return nil }
        var before = stored
        if let versions, events.contains(EventName.appUpdate) { before?.app = versions.app }
        if let versions, events.contains(EventName.osUpdate) { before?.system = versions.system }
        return before
    }
}

extension SessionMachine.Stored {
    /// Whether `other` was active later; of two alike, the one with the greater number counts as later.
    package func precedes(_ other: SessionMachine.Stored) -> Bool {
        (lastActive, number) < (other.lastActive, other.number)
    }
}
