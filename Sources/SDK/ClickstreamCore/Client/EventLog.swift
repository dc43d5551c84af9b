/// The log of events on disk: the store, the record under construction, and the losses not reported yet.
///
/// A store can move, to memory or to a new folder, with any append or save. ``EventStore/hasNotices`` is then true, and the
/// session and the identity are to be saved there.
package struct EventLog: ~Copyable {
    package var store: EventStore
    /// The record that ``append(isActive:at:)`` stores.
    package var line = EventLine()
    /// Scratch buffer for fast-path events that do not fit on the stack.
    let spare = ScratchBuffer()
    /// True if the latest event could not be stored.
    private(set) var isFailing = false
    /// Events lost since the latest one that was stored.
    private var lostInARow = 0
    /// The last activity that the stored state contains: of the session, and of the queue.
    private var savedActivity: (session: Timestamp?, queue: Timestamp?)
    private(set) var observesLines: Bool

    package init(_ store: consuming EventStore, observesLines: Bool) {
        self.store = store
        self.observesLines = observesLines
    }

    /// Adds the line of every later event to its notice.
    package mutating func observeLines() {
        observesLines = true
    }

    // MARK: Events

    /// Stores the event in ``line``. To be followed by ``report(_:_:violations:failure:logsEvents:isOutside:into:)``.
    /// - Returns: the reason if it cannot be stored.
    mutating func append(isActive: Bool, at timestamp: Timestamp) -> FileError? {
        do throws(FileError) {
            try store.append(&line, isActive: isActive, timestamp: timestamp)
            isFailing = false
            return nil
        } catch {
            isFailing = true
            lostInARow += 1
            return error
        }
    }

    /// Stores the event in ``line``, which is no activity of an app's session, and reports it or its loss.
    package mutating func record(
        _ name: String,
        _ id: UniqueID,
        violations: [Violation],
        logsEvents: Bool,
        at timestamp: Timestamp,
        into notices: inout [Notice]
    ) {
        let failure = append(isActive: false, at: timestamp)
        if store.hasNotices { notices += store.takeOpeningNotices() }
        report(
            name,
            id,
            violations: violations,
            failure: failure,
            logsEvents: logsEvents,
            isOutside: false,
            into: &notices
        )
    }

    /// Reports the event that was appended, or its loss.
    mutating func report(
        _ name: String,
        _ id: UniqueID,
        violations: [Violation],
        failure: FileError?,
        logsEvents: Bool,
        isOutside: Bool,
        into notices: inout [Notice]
    ) {
        if let failure {
            store.count(.unstored)
            notices.append(.unstored(name: name, id: id, reason: failure))
            // Once: a caller from outside the app gets a report for each event.
            if lostInARow == 1, !isOutside {
                let message = "Events are lost, and counted, until they can be stored again: \(failure)"
                notices.append(.warning(.init(.diskFailing, message)))
            }
            return
        }
        if lostInARow > 0 {
            let message = "The disk takes events again; \(lostInARow) were lost meanwhile."
            notices.append(.warning(.init(.diskWorking, message)))
            lostInARow = 0
        }
        reportEvictions(into: &notices)
        if observesLines || logsEvents {
            notices.append(.recorded(name: name, id: id, line: line.json, violations: violations))
        } else if !violations.isEmpty {
            notices.append(.recorded(name: name, id: id, line: [], violations: violations))
        }
    }

    /// Reports the evictions since the last call.
    package mutating func reportEvictions(into notices: inout [Notice]) {
        for eviction in store.takeEvictions() {
            notices.append(.evicted(events: eviction.events, reason: eviction.reason))
        }
    }

    /// Stores an event in another format.
    /// - Returns: the reason if it cannot be stored.
    mutating func append(
        _ json: [UInt8],
        partition: PartitionKey?,
        format: FormatName,
        isActive: Bool,
        at timestamp: Timestamp
    ) -> FileError? {
        do throws(FileError) {
            try store.append(json, partition: partition, format: format, isActive: isActive, timestamp: timestamp)
            return nil
        } catch {
            return error
        }
    }

    // MARK: State

    /// Saves this process's session in the shared state, whose lock is held.
    /// - Parameters:
    ///   - owing: names of the events that follow from the state; the next launch records them if this process ends before.
    ///   - versions: of the launch before, if the owed events are updates.
    ///   - viewBefore: the view before the one that is owed.
    ///   - isRepeated: true if the same save was tried before, and its failure reported.
    /// - Returns: true if the store moved.
    mutating func save(
        _ session: SessionMachine.Stored,
        lastView: Timestamp?,
        owing events: [String],
        versions: LaunchMachine.Versions?,
        viewBefore: Timestamp?,
        isRepeated: Bool,
        warnings: inout [Notice]
    ) -> Bool {
        let entry = StoredSession(
            run: store.run,
            session: session,
            queueActive: store.lastActive,
            lastView: lastView,
            debt: events.isEmpty
                ? nil
                : StoredSession.Debt(
                    sequence: store.nextSequence,
                    events: events,
                    versions: versions,
                    lastView: viewBefore
                )
        )
        let number = entry.session.number
        let isNewNumber = number > (store.state?.lastNumber ?? 0)
        if isNewNumber { store.state?.lastNumber = number }
        store.state?.sessions.removeAll { $0.run == entry.run }
        store.state?.sessions.append(entry)
        do {
            // Twice: damage to one file does not free a number that was used.
            try store.saveState(twice: isNewNumber)
            savedActivity = (entry.session.lastActive, entry.queueActive)
        } catch {
            if store.leaveIfGone(at: nil) { return true }
            if !isRepeated { warnings.append(.warning(.init(.stateNotSaved, "\(error)"))) }
        }
        return false
    }

    /// True if the state has to be saved for an event at this time to count as the last activity.
    ///
    /// On a clock that was set back, the event can have the time at which the queue was last active when the state was
    /// saved. Then the queue does not show that the event is later.
    @inline(__always)
    func hidesActivity(at timestamp: Timestamp) -> Bool {
        timestamp == savedActivity.queue && timestamp != savedActivity.session
    }
}
