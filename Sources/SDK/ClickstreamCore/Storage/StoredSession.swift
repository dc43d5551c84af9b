/// Session of one process as saved in the state.
package struct StoredSession: Sendable, Equatable {
    /// The number of the process's run folder.
    package var run: Int
    package var session: SessionMachine.Stored
    /// The run's last activity when this was saved; a different value in the run folder is more recent.
    package var queueActive: Timestamp?
    /// The wall time of the session's latest screen view.
    package var lastView: Timestamp?
    /// The events that were decided with this state and may not be recorded yet.
    package var debt: Debt?

    /// Events that follow from the state that they are saved with. The state is saved first: if the process ends in
    /// between, the next launch records them.
    package struct Debt: Sendable, Equatable {
        /// The sequence number of the first of these events in the run.
        package var sequence: Int
        /// Their names, in order.
        package var events: [String]
        /// The versions before an update.
        package var versions: LaunchMachine.Versions?
        /// The time of the last screen view before the one among these events.
        package var lastView: Timestamp?
        /// True if some of the events are recorded; not stored, since it follows from the run folder.
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

        /// Returns the events not recorded yet, given the number `next` of the run's next record; `nil` if there are
        /// none.
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

    /// Updates the session from its run folder: its last activity, and the events not recorded yet.
    package mutating func settle(lastActive: Timestamp?, nextSequence: Int) {
        if let lastActive, lastActive != queueActive { session.lastActive = lastActive }
        debt = debt?.left(at: nextSequence)
        if let debt, debt.events.contains(EventName.screenView) { lastView = debt.lastView }
    }

    /// True if events of the session are recorded, but not its session start.
    var lacksStart: Bool { debt.map { $0.isBegun && $0.events.contains(EventName.sessionStart) } ?? false }

    // MARK: As JSON

    var json: JSONValue.Kind {
        var members: [JSONMember] = [
            .number("run", run), .text("id", session.id), .number("number", session.number),
            .number("start", session.start.milliseconds), .number("last_active", session.lastActive.milliseconds),
        ]
        if let queueActive { members.append(.number("queue_active", queueActive.milliseconds)) }
        if let lastView { members.append(.number("last_view", lastView.milliseconds)) }
        if let debt {
            var owed: [JSONMember] = [
                .number("sequence", debt.sequence), .list("events", texts: debt.events),
            ]
            if let versions = debt.versions {
                owed += [.text("app_version", versions.app), .text("os_version", versions.system)]
            }
            if let view = debt.lastView { owed.append(.number("last_view", view.milliseconds)) }
            members.append(.object("owes", owed))
        }
        return .object(members)
    }

    /// Decodes the JSON; returns `nil` if it is not valid.
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
    /// Returns the versions that the next launch must compare with, so that it records the missing events again.
    func versionsBefore(_ stored: LaunchMachine.Versions?) -> LaunchMachine.Versions? {
        guard !events.contains(EventName.firstOpen) else { return nil }
        var before = stored
        if let versions, events.contains(EventName.appUpdate) { before?.app = versions.app }
        if let versions, events.contains(EventName.osUpdate) { before?.system = versions.system }
        return before
    }
}

extension SessionMachine.Stored {
    /// Returns true if `other` was active later; at equal times, true if it has the higher number.
    package func precedes(_ other: SessionMachine.Stored) -> Bool {
        (lastActive, number) < (other.lastActive, other.number)
    }
}
