/// Transfer of queues, and of their events and accounting, to the queues of the next opening of the store.
///
/// Events and accounting of a queue go to the open queue of its format.
extension QueueList {
    /// The paths of the run folders of queues whose folders were removed; determined before the folders are created again.
    var gone: Set<String> { Set(firstLast.filter(\.isGone).map(\.queue.own.path)) }

    /// Ends the open segments, so that the next events begin new ones.
    /// - Returns: false if that is impossible: a folder was removed, or a file has no name.
    mutating func endSegments(without gone: Set<String>) -> Bool {
        for index in indices where self[index].isOpen {
            if gone.contains(self[index].queue.own.path) { return false }
            guard self[index].queue.endSegment() else { return false }
        }
        return true
    }

    // MARK: From one opening to the next

    /// Takes over the former queues that are not recorded to here: closed, or if their folders were removed, their readable
    /// events.
    /// - Returns: problems to report.
    mutating func takeOver(_ former: [DestinationQueue], without gone: Set<String>) -> [Notice.Warning] {
        let continued = paths
        var warnings: [Notice.Warning] = []
        for queue in former {
            if gone.contains(queue.queue.own.path) {
                let (ledger, lost) = take(eventsOf: queue)
                self[heir(of: queue)].queue.takeIn(ledger)
                if lost > 0 {
                    warnings.append(Notice.Warning(.eventsLost, "\(lost) events went with \(queue.queue.own.path)."))
                }
            } else if !continued.contains(queue.queue.own.path) {
                close([queue])
            }
        }
        return warnings
    }

    /// Transfers the queues with events to `next`, and ends all others.
    /// - Returns: problems to report.
    mutating func retire(to next: inout QueueList) -> [Notice.Warning] {
        var warnings: [Notice.Warning] = []
        next.close(firstLast.filter { !$0.queue.isEmpty })
        for queue in firstLast where queue.queue.isEmpty && queue.isInMemory {
            if queue.destination.appID == next.first.destination.appID { warnings += next.takeIn(queue) }
        }
        for index in indices where self[index].queue.isEmpty && !self[index].isInMemory {
            self[index].close()
            next.takeUnsaved(of: self[index])
        }
        others = []
        return warnings
    }

    /// Releases the run folders of queues that are delivered and not recorded to.
    /// - Returns: problems to report.
    mutating func releaseDelivered() -> [Notice.Warning] {
        guard hasClosed else { return [] }
        var warnings: [Notice.Warning] = []
        for var queue in removeDelivered() {
            if queue.isInMemory { warnings += takeIn(queue) }
            queue.close()
            takeUnsaved(of: queue)
        }
        return warnings
    }

    // MARK: From memory to the disk

    /// Prepares the parts on the disk of queues that are recorded to in memory.
    /// - Returns: those that can be recorded to; `nil` if one with events cannot, since later events have to follow these.
    mutating func resumeParts(without gone: Set<String>) -> [DestinationQueue]? {
        var parts: [DestinationQueue] = []
        for index in others.indices {
            let queue = others[index]
            guard !queue.isInMemory, !gone.contains(queue.queue.own.path), isRecordedInMemory(queue.id) else {
                continue
            }
            do {
                try others[index].queue.resume()
                parts.append(others[index])
            } catch {
                // Without events, another folder serves as well.
                guard queue.queue.isEmpty else { return nil }
            }
        }
        return parts
    }

    /// Removes the queues on the disk, while the first is in memory.
    mutating func removeParts() -> [DestinationQueue] {
        let parts = others.filter { !$0.isInMemory }
        others.removeAll { !$0.isInMemory }
        return parts
    }

    /// Moves the events of the open queues in memory to the ends of the queues here, from the oldest on.
    /// - Returns: false if an operation fails; the rest stays in memory.
    mutating func takeEvents(of memory: inout QueueList) -> Bool {
        for index in memory.indices where memory[index].isOpen {
            guard let heir = self.index(openFor: memory[index].format) else { continue }
            do throws(FileError) {
                while try self[heir].queue.takeSegment(of: &memory[index].queue) {}
            } catch {
                return false
            }
        }
        return true
    }

    /// Takes over queues in memory: those with events closed, the accounting of all others.
    /// - Returns: problems to report.
    mutating func takeRest(of memory: QueueList) -> [Notice.Warning] {
        var warnings: [Notice.Warning] = []
        for queue in memory.firstLast {
            if queue.queue.isEmpty { warnings += takeIn(queue) } else { close([queue]) }
        }
        return warnings
    }

    /// Moves the events of closed queues in memory to the disk; each event keeps its id.
    /// - Returns: problems to report.
    mutating func absorbMemory() -> [Notice.Warning] {
        var warnings: [Notice.Warning] = []
        for queue in others where queue.isInMemory {
            let (ledger, _) = take(eventsOf: queue)
            warnings += takeIn(queue, ledger)
        }
        others.removeAll(where: \.isInMemory)
        return warnings
    }

    // MARK: Events and accounting

    /// Returns the index of the queue that takes over the events or the accounting of a closed one: of the same format.
    private func heir(of queue: DestinationQueue) -> Int { index(openFor: queue.format) ?? 0 }

    /// Appends the readable events of an abandoned queue; each keeps its id.
    /// - Returns: the queue's accounting without these events, and the number of lost events.
    private mutating func take(eventsOf queue: DestinationQueue) -> (ledger: Ledger, lost: Int) {
        let heir = heir(of: queue)
        var ledger = queue.queue.ledger
        var lost = 0
        for range in queue.queue.own.pendingRanges {
            guard queue.destination == self[heir].destination, let reading = queue.reading(of: range) else {
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
                    try self[heir].queue.append(
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

    /// Takes over the accounting and the dead letters of an empty queue in memory.
    /// - Returns: problems to report.
    private mutating func takeIn(_ queue: DestinationQueue, _ ledger: Ledger? = nil) -> [Notice.Warning] {
        let heir = heir(of: queue)
        self[heir].queue.takeIn(ledger ?? queue.queue.ledger)
        do {
            let letters = try queue.folder.deadLetters.all()
            if !letters.isEmpty { try self[heir].folder.deadLetters.add(letters) }
            return []
        } catch {
            return [Notice.Warning(.eventsLost, "\(error)")]
        }
    }

    /// Counts the outcomes that the manifest of a closed queue of the same app could not take.
    private mutating func takeUnsaved(of queue: DestinationQueue) {
        guard queue.queue.own.manifestError != nil, queue.destination.appID == first.destination.appID,
            let heir = index(openFor: queue.format)
        else { return }
        self[heir].queue.takeIn(queue.queue.own.unsavedOutcomes)
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
