extension Notice {
    /// Problem of the store, the configuration or a call that needs attention.
    public struct Warning: Sendable, Hashable, CustomStringConvertible {
        /// The kind of the problem.
        public let code: Code
        /// One line for a person, without attribute values. It may change; ``code`` does not.
        public let message: String

        /// Creates a warning.
        package init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        /// ``message``.
        public var description: String { message }
    }
}

extension Notice.Warning {
    /// Kind of a problem: what is affected, what is lost, what to do. Raw values are stable; `Docs/debugging.md` lists them.
    ///
    /// Further cases may be added: a `switch` outside this package needs `@unknown default`.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // MARK: Configuration

        /// A setting is not known, is set twice or is probably wrong; or its value cannot be used, and is ignored. Correct the
        /// setting that the message names.
        case settingInvalid = "setting_invalid"
        /// A running client keeps a setting: one that takes effect at a launch only, or an app id or endpoint for which no
        /// queue could be created. Nothing is lost. Set it before the launch, or configure it again once the disk is usable.
        case settingNotChanged = "setting_not_changed"
        /// No endpoint is configured. Events are kept until there is one.
        case endpointMissing = "endpoint_missing"
        /// SIGTERM and SIGINT end the process at once, since no handler could be installed. Events are kept, but not sent before
        /// the end. End the client in a handler of the app.
        case signalsNotHandled = "signals_not_handled"

        // MARK: Calls

        /// Calls before `initSDK` were lost, since only a limited number is held. Start the SDK earlier.
        case callsLost = "calls_lost"
        /// Part of a call was ignored: a timing above the limit, a custom variable, a user attribute that another function sets.
        /// Correct the call.
        case inputIgnored = "input_ignored"
        /// A recommended limit was exceeded, or a reserved name is not known. Nothing is lost. Reported once for each name.
        case suggestion
        /// A problem of an audit scope, such as its release without `commit`. The changes of the scope may have no event.
        case audit

        // MARK: Store

        /// The store's folder cannot be used: events are kept in memory, up to a smaller limit, and are lost with the process.
        /// Make the folder usable; the client returns to it. Ends with ``storeRestored``.
        case storeInMemory = "store_in_memory"
        /// Events are stored on the disk again, with those from memory.
        case storeRestored = "store_restored"
        /// The store continues in a new file or folder, since its files were removed, or their descriptors closed, by the
        /// program or another one. Find what changes the store's folder; see ``eventsLost`` for losses.
        case storeReopened = "store_reopened"
        /// A file with state, profiles of users or accounting is damaged. What was saved before, or is readable, is used; later
        /// changes are lost. No event is lost by it, but delivered ones may be sent again.
        case storeDamaged = "store_damaged"
        /// The stored state cannot be read: a client that launches has a new identity, as after an installation; a running one
        /// keeps its own. Queued events are not affected.
        case stateLost = "state_lost"
        /// Another process holds the lock of the state for too long, such as one that was stopped. The state is changed without
        /// the lock: a session number may be used twice. End the other process.
        case stateLocked = "state_locked"
        /// Session, identity, consent or accounting cannot be saved. The next save includes them; a launch before it continues
        /// with what was saved before. Free disk space, or correct permissions.
        case stateNotSaved = "state_not_saved"
        /// Recorded events could not be flushed to the physical disk, and may be lost with the power. They survive the end of the
        /// process.
        case notSynchronized = "not_synchronized"

        // MARK: Events

        /// Events cannot be stored: each is lost, and counted, until ``diskWorking``. Reported once when that begins. Free disk
        /// space, or correct permissions.
        case diskFailing = "disk_failing"
        /// Events can be stored again; the message has the number of events lost since ``diskFailing``.
        case diskWorking = "disk_working"
        /// Queued events cannot be read for sending. They are kept, and read again later.
        case queueUnreadable = "queue_unreadable"
        /// Recorded events or dead letters are lost: another program removed their files, or they were in memory alone at the
        /// end of the process.
        case eventsLost = "events_lost"
        /// The queue of a further format cannot be opened or redirected. Without a queue, events of this format are dropped;
        /// otherwise they are sent to the former endpoint.
        case formatUnavailable = "format_unavailable"
        /// An event of a further format was lost, since it could not be stored. Reported for each event, as
        /// ``Notice/unstored(name:id:reason:)`` is for the clickstream format.
        case formatEventLost = "format_event_lost"

        // MARK: Privacy

        /// Events, dead letters or crashes without consent could not be removed. They are not sent; the removal is repeated with
        /// each flush and change of the state. Correct permissions.
        case withdrawalIncomplete = "withdrawal_incomplete"
        /// After an erasure no new session could start, since the store cannot be opened again: the session continues with the
        /// new identity.
        case sessionNotRestarted = "session_not_restarted"

        // MARK: Crashes

        /// A crash of this process will be recorded without its latest context or breadcrumbs, or not at all, since its file
        /// cannot be written. Free disk space, or correct permissions.
        case crashReportingFailed = "crash_reporting_failed"
        /// A file with a recorded crash is damaged or cannot be written: the crash is lost; or it cannot be read or removed now:
        /// a later launch tries again.
        case crashFileFailed = "crash_file_failed"
    }
}
