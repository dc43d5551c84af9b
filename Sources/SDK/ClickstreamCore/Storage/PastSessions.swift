/// Sessions of ended processes, as a launch finds them in the state and in their run folders.
package struct PastSessions: Sendable, Equatable {
    /// All of them; a crash in the foreground counts as activity.
    package let ended: [StoredSession]
    /// The one that was active last, which may continue; `nil` if none may.
    package let latest: StoredSession?

    /// - Parameters:
    ///   - crashes: reports of crashes, oldest first.
    ///   - mayContinue: false if a session of another process is running.
    package init(_ ended: [StoredSession], crashes: [StoredCrash], mayContinue: Bool) {
        var ended = ended
        let crashes = crashes.filter(\.report.movesLastActive)
        for index in ended.indices {
            for crash in crashes where crash.run == ended[index].run {
                ended[index].session.lastActive = crash.report.timestamp
            }
        }
        var latest = mayContinue ? ended.max { $0.session.precedes($1.session) } : nil
        for crash in crashes where crash.run == nil { latest?.session.lastActive = crash.report.timestamp }
        self.ended = ended
        self.latest = latest
    }

    /// The input of the lifecycle at a launch.
    package func past(_ state: StoredState, lastNumber: Int, isAlone: Bool) -> Lifecycle.Past {
        Lifecycle.Past(
            session: latest?.session,
            lastView: latest?.lastView,
            owesStart: latest?.debt?.events.contains(EventName.sessionStart) == true,
            lastNumber: lastNumber,
            versions: ended.compactMap(\.debt).reduce(state.versions) { $1.versionsBefore($0) },
            isAlone: isAlone
        )
    }

    /// Sessions that have events, but no `_session_start`.
    /// - Parameter run: run folder of the session that continues: its start is recorded by the launch.
    package func lackingStart(exceptRun run: Int?) -> [SessionMachine.Stored] {
        ended.filter { $0.lacksStart && $0.run != run }.map(\.session)
    }
}
