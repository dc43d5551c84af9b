/// Return of a store in memory to the disk.
extension EventStore {
    /// The interval in milliseconds between attempts to return to the disk.
    private static let returnInterval: Int64 = 10_000

    /// Tries to return to the disk, at most every ten seconds. Events in memory are moved to the ends of the queues on the
    /// disk; once there is none left, new events are recorded there.
    /// - Parameter timestamp: the current time; `nil` skips the interval.
    mutating func returnToDisk(at timestamp: Timestamp?) {
        guard let home else { return }
        if let timestamp {
            guard let last = lastReturn else {
                lastReturn = timestamp
                return
            }
            guard abs(timestamp - last) >= Self.returnInterval else { return }
            lastReturn = timestamp
        }
        let gone = queues.gone
        guard let parts = queues.resumeParts(without: gone) else { return }
        do {
            var next = try opened(
                for: queues.first.destination,
                limits: home.limits,
                launches: hasSession,
                keepsIDs: true,
                continuing: parts
            )
            if moveBack(to: &next, without: gone) { self = next }
        } catch {
            // Already reported when the store moved to memory.
        }
    }

    /// Transfers all queues, and the events in memory, to a store on the disk.
    /// - Returns: false if an operation fails. This store then has the queues on the disk, with the events that were moved.
    private mutating func moveBack(to next: inout EventStore, without gone: Set<String>) -> Bool {
        next.findings += next.queues.takeOver(queues.removeParts(), without: gone)
        guard next.queues.takeEvents(of: &queues) else {
            next.shared.release()
            next.sessionLock?.unlock()
            findings += next.takeOpeningNotices()
            let memory = queues.others
            queues.others = []
            queues.close(next.queues.firstLast)
            queues.others += memory
            return false
        }
        next.findings.append(.warning("Events are kept in \(next.folder.path) again."))
        next.findings += next.queues.takeRest(of: queues)
        if let state { next.shared.takeUp(state) }
        next.shared.release()
        shared.release()
        sessionLock?.unlock()
        return true
    }

    // MARK: Leaving memory

    /// Moves events in memory to the disk before the end of the process, if the disk is usable. Tries again at once after a
    /// failure, since there is no later time.
    package mutating func leaveMemory() {
        guard isOpen, isInMemory || queues.others.contains(where: \.isInMemory) else { return }
        for _ in 0..<FileError.attempts where isInMemory { returnToDisk(at: nil) }
        if home == nil { findings += queues.absorbMemory() }
        let left = home == nil ? 0 : queues.eventsInMemory
        if left > 0 { findings.append(.warning("\(left) events that were kept in memory alone are lost.")) }
    }
}
