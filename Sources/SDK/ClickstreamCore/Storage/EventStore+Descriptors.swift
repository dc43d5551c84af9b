/// Recovery from a host that closes descriptors it did not open, such as a program that becomes a daemon after the client has started.
///
/// With the descriptors the locks are gone: another process may have taken the run folders, and delivered their events. The content on
/// disk is complete, so the store is opened again as at a launch, and nothing in memory is written.
extension EventStore {
    /// True while the store holds the locks of its session and of its run folders. One system call for each.
    var holdsLocks: Bool {
        sessionLock?.isHeld ?? true
            && queues.indices.allSatisfy { queues[$0].locks.allSatisfy(\.isHeld) }
    }

    /// Opens the store again if it does not hold its locks.
    /// - Returns: true if it was opened again.
    @discardableResult
    mutating func keepLocks() -> Bool {
        guard isOpen, home == nil, !holdsLocks else { return false }
        return reopen(because: FileError(.lock, queues.first.queue.own.path, errno: FileError.closed))
    }

    /// Opens the store again. Events of former destinations of the same app go to its present one, as after a launch.
    /// - Returns: false if the store cannot be opened now; each call tries again.
    mutating func reopen(because error: FileError) -> Bool {
        guard isOpen, home == nil else { return false }
        shared.release()
        // The locks that are still held, such as those of run folders that were taken since.
        sessionLock?.unlock()
        for index in queues.indices where isReopened(queues[index]) {
            for lock in queues[index].locks { lock.unlock() }
        }
        do {
            var next = try opened(
                for: queues.first.destination,
                limits: limits,
                launches: sessionLock != nil,
                runAfter: run
            )
            next.findings.append(
                .warning(
                    "The program closed descriptors of the store, which was opened again in \(next.folder.path), with all events: "
                        + "\(error.account). Start the client after the program has closed what it inherited."
                )
            )
            if let state { next.shared.takeUp(state) }
            next.shared.release()
            for queue in queues.firstLast where queue.isOpen {
                guard let index = next.queues.index(openFor: queue.destination.format.name) else { continue }
                next.queues[index].queue.takeIn(queue.queue.own.unsavedOutcomes)
            }
            next.queues.close(queues.others.filter { !isReopened($0) })
            self = next
            return true
        } catch {
            return false
        }
    }

    /// True for a queue whose run folders another opening of the store takes.
    private func isReopened(_ queue: DestinationQueue) -> Bool { queue.isOpen || queue.folder.path == folder.path }
}
