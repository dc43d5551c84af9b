/// State of all processes of the store, and the draft for a crash of this one.
extension RecorderAccess {
    // MARK: State

    /// Runs `body` with the lock of the shared state, after reading changes of other processes. Can be nested.
    ///
    /// A state that cannot be read is not replaced: ``EventStore/saveState(twice:)`` then throws the reason.
    /// - Parameter body: may change ``EventStore/state`` and save it. Receives problems to report.
    mutating func withState<Result>(_ body: (inout RecorderAccess, [Notice]) -> Result) -> Result {
        let warnings = log.store.isOpen ? (try? log.store.current.shared.begin()) ?? [] : []
        defer {
            if log.store.isOpen { log.store.current.shared.end() }
        }
        return body(&self, warnings.map { .warning($0) })
    }

    /// As ``withState(_:)``, after taking over changes of other processes.
    @discardableResult
    mutating func changeState<Result>(_ body: (inout RecorderAccess) -> Result) -> Result {
        withState { access, findings in
            access.takeOver(findings)
            return body(&access)
        }
    }

    /// Takes over changes of other processes; to be called with the lock of the shared state.
    private mutating func takeOver(_ findings: [Notice]) {
        notices += findings
        if let shared = log.store.state {
            if shared.users.current != user { composer.context.user = shared.users.current }
            // Another process has erased the former one.
            if device.deviceID == nil, shared.deviceID != composer.context.deviceID {
                composer.context.deviceID = shared.deviceID
            }
        }
        takeSharedConsent()
    }

    /// Saves this process's session; see ``EventLog/save(_:lastView:owing:versions:viewBefore:isRepeated:warnings:)``.
    mutating func saveState(
        owing events: [String] = [],
        versions: LaunchMachine.Versions? = nil,
        viewBefore: Timestamp? = nil,
        isRepeated: Bool = false
    ) {
        let debt = HeldEvents.Debt(events: events, versions: versions, viewBefore: viewBefore)
        changeState { $0.save(debt, isRepeated: isRepeated) }
    }

    /// Saves this process's session; to be called with the lock of the shared state.
    mutating func save(_ new: HeldEvents.Debt, isRepeated: Bool = false) {
        let debt = admission.owe(new)
        let hasMoved = log.save(
            admission.stored(lifecycle.stored),
            lastView: lifecycle.lastView,
            owing: debt.events,
            versions: debt.versions,
            viewBefore: debt.viewBefore,
            isRepeated: isRepeated,
            warnings: &notices
        )
        if hasMoved { followStore() }
    }

    /// Saves session and identity in the store's new place, memory or disk.
    mutating func followStore() {
        notices += log.store.takeOpeningNotices()
        saveState(isRepeated: true)
        crashDraft.move()
    }

    // MARK: Crashes

    var recordsCrashes: Bool { isRecording && admission.isOpen && settings.configuration.tracksExceptions }

    /// Replaces the draft for a crash after a change of the context, the settings, the switch or consent.
    @inline(never)
    mutating func keepCrashDraft(_ revision: Int) {
        let warning = crashDraft.keep(
            revision: revision,
            for: log.store.isInMemory ? .none : recordsCrashes ? .record : .clear,
            path: { () throws(FileError) in try log.store.current.crashFiles.newPath(ofRun: log.store.run) },
            draft: { composer.crashDraft(isVisible: lifecycle.visibility.isVisible) }
        )
        if let warning { notices.append(warning) }
    }
}
