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
        let gone = goneQueues
        guard let parts = resumedParts(without: gone) else { return }
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

    /// Prepares the parts on the disk of queues that are recorded to in memory.
    /// - Returns: those that can be recorded to; `nil` if one with events cannot, since later events have to follow these.
    private mutating func resumedParts(without gone: Set<String>) -> [DestinationQueue]? {
        var parts: [DestinationQueue] = []
        for index in queues.others.indices {
            let queue = queues.others[index]
            guard !queue.isInMemory, !gone.contains(queue.queue.own.path), queues.isRecordedInMemory(queue.id) else {
                continue
            }
            do {
                try queues.others[index].queue.resume()
                parts.append(queues.others[index])
            } catch {
                // Without events, another folder serves as well.
                guard queue.queue.isEmpty else { return nil }
            }
        }
        return parts
    }

    /// Transfers all queues, and the events in memory, to a store on the disk.
    /// - Returns: false if an operation fails. This store then has the queues on the disk, with the events that were moved.
    private mutating func moveBack(to next: inout EventStore, without gone: Set<String>) -> Bool {
        next.takeOver(queues.others.filter { !$0.isInMemory }, without: gone)
        queues.others.removeAll { !$0.isInMemory }
        guard moveEvents(to: &next) else {
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
        for queue in queues.firstLast {
            if queue.queue.isEmpty { next.takeIn(queue) } else { next.queues.close([queue]) }
        }
        if let state { next.shared.takeUp(state) }
        next.shared.release()
        shared.release()
        sessionLock?.unlock()
        return true
    }

    /// Moves the events of the queues that are recorded to, from the oldest on.
    /// - Returns: false if an operation fails; the rest stays in memory.
    private mutating func moveEvents(to next: inout EventStore) -> Bool {
        for index in queues.indices where queues[index].isOpen {
            guard let heir = next.queues.index(openFor: queues[index].format) else { continue }
            do throws(FileError) {
                while try next.queues[heir].queue.takeSegment(of: &queues[index].queue) {}
            } catch {
                return false
            }
        }
        return true
    }

    // MARK: Leaving memory

    /// Moves events in memory to the disk before the end of the process, if the disk is usable. Tries again at once after a
    /// failure, since there is no later time.
    package mutating func leaveMemory() {
        guard isOpen, isInMemory || queues.others.contains(where: \.isInMemory) else { return }
        for _ in 0..<FileError.attempts where isInMemory { returnToDisk(at: nil) }
        absorb()
        let left = home == nil ? 0 : queues.eventsInMemory
        if left > 0 { findings.append(.warning("\(left) events that were kept in memory alone are lost.")) }
    }

    /// Moves the events of closed queues in memory to the disk; each event keeps its id.
    private mutating func absorb() {
        guard home == nil else { return }
        for queue in queues.others where queue.isInMemory {
            let (ledger, _) = take(eventsOf: queue)
            takeIn(queue, ledger)
        }
        queues.others.removeAll(where: \.isInMemory)
    }

    /// Takes over the readable events and the accounting of a queue whose folder was removed.
    mutating func takeGone(_ queue: DestinationQueue) {
        let (ledger, events) = take(eventsOf: queue)
        queues[heir(of: queue)].queue.takeIn(ledger)
        if events > 0 { findings.append(.warning("\(events) events went with \(queue.queue.own.path).")) }
    }

    /// Appends the readable events of an abandoned queue; each keeps its id.
    /// - Returns: the queue's accounting without these events, and the number of lost events.
    private mutating func take(eventsOf queue: DestinationQueue) -> (ledger: Ledger, lost: Int) {
        let heir = heir(of: queue)
        var ledger = queue.queue.ledger
        var lost = 0
        for range in queue.queue.own.pendingRanges {
            guard queue.destination == queues[heir].destination, let reading = queue.reading(of: range) else {
                ledger[.missing] += range.events
                lost += range.events
                continue
            }
            ledger[.damaged] += reading.range.damaged
            ledger[.missing] += reading.range.missing
            lost += range.events - reading.records.count
            for record in reading.records {
                do {
                    var line = EventLine(json: reading.bytes[record.json])
                    try queues[heir].queue.append(
                        &line,
                        partition: reading.partition(of: record),
                        isActive: record.isActive,
                        timestamp: record.timestamp
                    )
                    ledger.recorded -= 1
                } catch {
                    ledger[.unstored] += 1
                    lost += 1
                }
            }
        }
        return (ledger, lost)
    }

    /// Returns the index of the queue that takes over the events or the accounting of a closed one: of the same format.
    private func heir(of queue: DestinationQueue) -> Int {
        queues.index(openFor: queue.destination.format.name) ?? 0
    }

    /// Takes over the accounting and the dead letters of an empty in-memory queue.
    mutating func takeIn(_ queue: DestinationQueue, _ ledger: Ledger? = nil) {
        let heir = heir(of: queue)
        queues[heir].queue.takeIn(ledger ?? queue.queue.ledger)
        do {
            let letters = try queue.folder.deadLetters.all()
            guard !letters.isEmpty else { return }
            try queues[heir].folder.deadLetters.add(letters)
        } catch {
            findings.append(.warning("\(error)"))
        }
    }
}

extension DestinationQueue {
    /// Returns the records of a range; `nil` if its file does not exist or is not readable.
    fileprivate func reading(of range: QueueRange) -> QueueReading? {
        do {
            return try QueueReading(queue.source(of: range), range, maxRawBytes: .max)
        } catch {
            return nil
        }
    }

    /// True if the queue's folder was removed. Costs one file lookup.
    var isGone: Bool {
        do {
            return try files.size(of: queue.own.path + "/lock") == nil
        } catch {
            // An error of the lookup does not prove that the folder is gone.
            return false
        }
    }
}
