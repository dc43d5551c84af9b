/// Outcome of storing an event in another format.
package enum StorageOutcome: Sendable, Equatable {
    /// The event survives the death of the process.
    case stored
    /// The store is in memory: the event is lost with the process.
    case keptInMemory
    /// Recording is switched off.
    case disabled
    /// Too many events wait for consent.
    case dropped
    /// The client has ended, or the format has no queue.
    case closed
    case failed(FileError)
}

/// Event in the clickstream format that a caller wrote to a line.
package struct WrittenEvent: Sendable {
    package var name: String
    package var id: UniqueID
    package var violations: [Violation]

    package init(name: String, id: UniqueID, violations: [Violation]) {
        self.name = name
        self.id = id
        self.violations = violations
    }
}

/// Events of other modules: in the clickstream format, and in other formats, each with a queue of its own.
///
/// The module that defines a format opens its queue and encodes its events; without such a module nothing here is called.
extension RecorderAccess {
    /// The current user.
    package var user: User { composer.context.user }

    /// The current session.
    package var session: Session { lifecycle.session }

    /// Returns a new identifier.
    package func newID() -> UniqueID { composer.ids.next() }

    /// Records an event of the library in the clickstream format.
    /// - Parameters:
    ///   - moment: the time of the event.
    ///   - now: the time of the call, which counts as the app's activity.
    package mutating func record(_ draft: EventDraft, at moment: Moment, now: Moment) {
        if let refusal { return log.store.count(refusal) }
        emit(draft, at: moment, now: now)
    }

    /// Records an event of the library without items and data of the app: as a draft, with the same bytes, but without
    /// the checks that it needs.
    /// - Parameters:
    ///   - moment: the time of the event.
    ///   - now: the time of the call, which counts as the app's activity.
    ///   - attributes: appends at most ``maxEncodedAttributes`` attributes with different reserved names; see
    ///     ``EventLine/append(_:_:)-(CapturedField,String)``.
    /// - Returns: false if global attributes may have the same names, or may be too many: nothing is recorded.
    package mutating func record(
        _ name: CapturedName,
        _ id: UniqueID,
        at moment: Moment,
        now: Moment,
        attributes: (inout EventLine) -> Void
    ) -> Bool {
        let globals = composer.context.globals
        let count = globals.attributes.count + Self.maxEncodedAttributes
        guard isRecording, let json = globals.json(for: [:], count: count, hasReservedNames: true) else { return false }
        log.line.removeAll()
        composer.context.writer.write(
            name.rawValue,
            id: id,
            globals: json,
            at: moment,
            into: &log.line,
            attributes: attributes
        )
        append(name.rawValue, id, isActive: composer.context.isActive, at: moment.wall, violations: [])
        noteActivity(at: now)
        return true
    }

    /// The global attributes.
    package var globalAttributes: Attributes { composer.context.globals.attributes }

    /// The app whose store is open.
    package var appID: String { settings.appID }

    /// The source of event ids.
    package var ids: any IDSource { composer.ids }

    /// Records an event that `encode` writes to a line, without data of the app. The session and the screens of the app stay as
    /// they are.
    /// - Parameter encode: not called while recording is disabled. Returns the event in the line, `nil` if there is none, and the
    ///   violations that reject the caller's event.
    package mutating func record(
        at moment: Moment,
        encode: (inout EventLine) -> (event: WrittenEvent?, rejected: [Violation])
    ) {
        if let refusal { return log.store.count(refusal) }
        let (event, rejected) = encode(&log.line)
        for violation in rejected { log.store.countRejected(violation.code) }
        if !rejected.isEmpty { notices.append(.rejected(rejected)) }
        guard let event else { return }
        append(event.name, event.id, isActive: false, at: moment.wall, violations: event.violations)
    }

    /// Limit on the attributes of an event that are encoded without checks, those of all events included.
    package static var maxEncodedAttributes: Int { 64 }

    /// Opens a queue for events in the format of `destination`, or changes the destination of the queue that is open for it.
    ///
    /// An error is reported: without a queue the events of the format are dropped, with one the destination stays.
    package mutating func open(_ destination: Destination) {
        guard log.store.isOpen else { return }
        do {
            if log.store.isRecorded(destination.format.name) {
                try log.store.redirect(to: destination)
            } else {
                try log.store.open(destination)
            }
        } catch {
            warn(.formatUnavailable, "The queue of the format \(destination.format.name) cannot be opened: \(error)")
        }
        notices += log.store.takeOpeningNotices()
    }

    /// Stores an event whose queue was opened by ``open(_:)``. Events of the end of the app are stored too.
    /// - Parameters:
    ///   - json: the event in that format, one JSON text without a line feed. Several events, separated by commas, are
    ///     stored, sent and set aside together.
    ///   - partition: the key of its batch, if the format has partitions.
    /// - Returns: the outcome, which is reported and counted already.
    @discardableResult
    package mutating func store(
        _ json: [UInt8],
        partition: PartitionKey?,
        format: FormatName,
        at moment: Moment
    ) -> StorageOutcome {
        guard isEnabled, log.store.isOpen else {
            log.store.count(.disabled, format: format)
            return isEnabled ? .closed : .disabled
        }
        guard log.store.isRecorded(format) else { return .closed }
        let isActive = composer.context.isActive
        switch admission.verdict {
        case .now:
            return store(json, partition, format, isActive: isActive, at: moment.wall)
        case .hold:
            let isHeld = hold(HeldEvents.Event(json, format: format, partition, isActive, moment.wall))
            return isHeld ? .keptInMemory : .dropped
        case .drop(let outcome):
            log.store.count(outcome, format: format)
            return .disabled
        }
    }

    /// Stores an event that is admitted.
    mutating func store(
        _ json: [UInt8],
        _ partition: PartitionKey?,
        _ format: FormatName,
        isActive: Bool,
        at timestamp: Timestamp
    ) -> StorageOutcome {
        guard log.store.isRecorded(format) else { return .closed }
        let failure = log.append(json, partition: partition, format: format, isActive: isActive, at: timestamp)
        if log.store.hasNotices { followStore() }
        if let failure {
            log.store.count(.unstored, format: format)
            warn(.formatEventLost, "An event in the format \(format) is lost: \(failure)")
        } else if log.observesLines {
            notices.append(.captured(format: format, line: json))
        }
        log.reportEvictions(into: &notices)
        return failure.map { .failed($0) } ?? (log.store.isInMemory ? .keptInMemory : .stored)
    }

    /// Returns a number for the next partition of a format, which no process of the store has used before. Costs a
    /// replacement of the stored state.
    package mutating func nextPartition(of format: FormatName) -> Int {
        changeState { access in
            let number = (access.log.store.state?.partitions[format] ?? 0) + 1
            access.log.store.state?.partitions[format] = number
            do {
                try access.log.store.saveState(twice: true)
            } catch {
                access.warn(.stateNotSaved, "\(error)")
            }
            return number
        }
    }
}
