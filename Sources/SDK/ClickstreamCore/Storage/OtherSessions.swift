/// Sessions of other processes, as found when the store was opened.
struct OtherSessions: Sendable {
    /// The sessions of running processes.
    let living: [StoredSession]
    /// The sessions of ended processes, updated from their run folders.
    let past: [StoredSession]
    /// True if no other process has a session.
    let isAlone: Bool

    /// - Parameters:
    ///   - sessions: all sessions in the shared state.
    ///   - livingRuns: the run folders of running processes with a session.
    ///   - queue: the queue that adopted run folders of ended processes.
    init(
        _ sessions: [StoredSession],
        livingRuns: [Int],
        in folder: StoreFolder,
        _ queue: EventQueue
    ) throws(StoreError) {
        var past = sessions.filter { !livingRuns.contains($0.run) }
        for index in past.indices {
            let path = folder.path(ofRun: past[index].run)
            var run = queue.run(at: path)
            if run == nil { run = try RunFolder.found(folder.files, path: path) }
            past[index].settle(lastActive: run?.lastActive, nextSequence: run?.nextSequence ?? 1)
        }
        self.past = past
        living = sessions.filter { livingRuns.contains($0.run) }
        isAlone = livingRuns.isEmpty
    }
}
