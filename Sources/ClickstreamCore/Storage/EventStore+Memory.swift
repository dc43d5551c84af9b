/// The way of a store whose folder cannot be used: it goes on in memory, and back to the disk as soon as it can.
///
/// What is recorded meanwhile is delivered like everything else, and does not survive the process, unless the disk can be
/// used again before its orderly end. The memory is bounded by ``QueueLimits/inMemory``; what is past that is evicted and
/// counted. What went wrong is said once for each move.
extension EventStore {
    /// Where a store is kept, and how much of it.
    struct Place: Sendable {
        var files: any FileSystem
        var root: String
        var limits: QueueLimits
    }

    /// How long the disk is left alone after it could not be used, in milliseconds.
    static let patience: Int64 = 10_000

    /// Whether what is recorded now lasts as long as the process only.
    package var isInMemory: Bool { home != nil }

    // MARK: Opening

    /// Opens the store for a launch: on the disk, or, when its folder cannot be used, in memory.
    ///
    /// In memory it begins with the identity and the session of the folder, where they can be read.
    /// - Parameter goesToMemory: whether it does, now and later.
    /// - Throws: why neither can be: a later version wrote the store, the disk itself is broken (`EIO`), or memory will not do.
    package static func opened(
        files: any FileSystem,
        root: String,
        destination: Destination,
        limits: QueueLimits,
        goesToMemory: Bool
    ) throws(StoreError) -> EventStore {
        do {
            var store = try EventStore(
                files: files,
                root: root,
                destination: destination,
                limits: limits,
                launches: true
            )
            store.goesToMemory = goesToMemory
            return store
        } catch {
            guard goesToMemory, error.leavesMemory else { throw error }
            let place = Place(files: files, root: root, limits: limits)
            return try inMemory(instead: place, because: error, destination: destination, queueID: 1)
        }
    }

    private static func inMemory(
        instead home: Place,
        because error: StoreError,
        destination: Destination,
        queueID: Int,
        isLaunch: Bool = true
    ) throws(StoreError) -> EventStore {
        let files = TransientFileSystem()
        let root = "memory"
        let limits = home.limits.inMemory
        let folder = try StoreFolder(files, root: root, appID: destination.appID)
        if isLaunch { copyState(from: home, to: folder, of: destination.appID) }
        var store = try EventStore(
            files: files,
            root: root,
            destination: destination,
            limits: limits,
            launches: isLaunch,
            queueID: queueID
        )
        store.goesToMemory = true
        store.home = home
        store.findings.append(
            .warning(
                "Events are kept in memory alone, at most \(limits.maxEvents ?? 0) of \(limits.maxBytes) bytes, until the "
                    + "store can be used: \(error)"
            )
        )
        return store
    }

    /// What can be read of the identity and the session goes along.
    private static func copyState(from home: Place, to folder: StoreFolder, of appID: String) {
        let path = "\(home.root)/\(StoreFolder.escaped(appID))"
        for name in ["state", "state.old"] {
            // Where it cannot be read, or is nobody's, the app starts as if it had just been installed: that is said.
            guard let bytes = try? home.files.contents(of: "\(path)/\(name)") else { continue }
            do {
                try folder.files.replace("\(folder.path)/\(name)", with: bytes, durably: false)
            } catch {
                return
            }
        }
    }

    // MARK: Moving

    /// Appends an event that the disk refused: in a folder that is made anew, or in memory.
    mutating func append(
        _ line: inout EventLine,
        isActive: Bool,
        timestamp: Timestamp,
        after failure: FileError
    ) throws(FileError) {
        guard leave(because: failure, at: timestamp) else { throw failure }
        do {
            try current.queue.append(&line, isActive: isActive, timestamp: timestamp)
        } catch {
            guard leave(because: error, at: timestamp, looksAgain: false) else { throw error }
            try current.queue.append(&line, isActive: isActive, timestamp: timestamp)
        }
    }

    /// Whether our folder on the disk was removed or moved away by somebody. Costs a look at one file.
    package var isGone: Bool { isOpen && home == nil && current.isGone }

    /// Goes on elsewhere, when our folder was removed by somebody. Costs a look at one file.
    /// - Returns: whether it was.
    package mutating func leaveIfGone(at timestamp: Timestamp? = nil) -> Bool {
        guard isOpen, goesToMemory, home == nil, current.isGone else { return false }
        return leave(because: FileError(.open, current.queue.own.path, errno: FileError.absent), at: timestamp)
    }

    /// Makes the records of our open segment findable again if another program removed, renamed or replaced its file: in our
    /// folder, or, if that is gone too, elsewhere. Costs a look at two files.
    /// - Returns: whether the store moved elsewhere.
    package mutating func keepNamed() -> Bool {
        guard isOpen, home == nil else { return false }
        do {
            try current.queue.keepNamed()
        } catch {
            if leave(because: error, at: nil) { return true }
        }
        return leaveIfGone()
    }

    /// Goes on elsewhere because the disk does not let us go on here.
    /// - Parameter looksAgain: whether the folder may be made anew; otherwise it is memory.
    /// - Returns: whether it does: not for what passes by itself, such as a full disk, nor from memory. A store that never goes
    ///   to memory is made anew if records of its open segment have nowhere else to go.
    package mutating func leave(because error: FileError, at timestamp: Timestamp?, looksAgain: Bool = true) -> Bool {
        guard isOpen, home == nil, error.meansLostPlace else { return false }
        let hasRecords = current.queue.own.openSegment.map { $0.bytes > 0 } == true
        guard goesToMemory || hasRecords && looksAgain && current.isGone else { return false }
        // The lock is that of a state which is left behind.
        shared.abandon()
        let gone = goneQueues
        let hasSession = sessionLock != nil
        if looksAgain {
            do {
                var next = try EventStore(
                    files: files,
                    root: place.root,
                    destination: current.destination,
                    limits: place.limits,
                    launches: hasSession,
                    queueID: nextQueueID
                )
                next.goesToMemory = goesToMemory
                next.findings = [.warning("The store was opened anew: \(error)")]
                move(to: &next, without: gone)
                self = next
                return true
            } catch {
                // Then memory it is.
            }
        }
        guard goesToMemory else { return false }
        do {
            var next = try EventStore.inMemory(
                instead: place,
                because: StoreError(error),
                destination: current.destination,
                queueID: nextQueueID,
                isLaunch: false
            )
            next.lastReturn = timestamp
            move(to: &next, without: gone)
            self = next
            return true
        } catch {
            return false
        }
    }

    /// Looks whether the disk can be used again, every ten seconds at most; what is recorded from then on goes there.
    /// - Parameter timestamp: now; `nil`: it is looked in any case.
    mutating func returnToDisk(at timestamp: Timestamp?) {
        guard let home else { return }
        if let timestamp {
            guard let last = lastReturn else {
                lastReturn = timestamp
                return
            }
            guard abs(timestamp - last) >= Self.patience else { return }
            lastReturn = timestamp
        }
        let gone = goneQueues
        do {
            var next = try EventStore(
                files: home.files,
                root: home.root,
                destination: current.destination,
                limits: home.limits,
                launches: true,
                queueID: nextQueueID
            )
            next.goesToMemory = true
            next.findings.append(.warning("Events are kept in \(next.folder.path) again."))
            shared.abandon()
            move(to: &next, without: gone)
            self = next
            // What nobody is just sending needs no memory any more.
            absorb { $0.segments.allSatisfy { $0.flight == nil } }
        } catch {
            // Still not: that is said already.
        }
    }

    /// The queues whose folders were removed by somebody; to be found out before these are made anew.
    private var goneQueues: Set<Int> { Set((former + [current]).filter(\.isGone).map(\.id)) }

    private mutating func move(to next: inout EventStore, without gone: Set<Int>) {
        if let state { next.shared.takeUp(state) }
        next.shared.abandon()
        for queue in former + [current] where gone.contains(queue.id) {
            let (ledger, events) = next.take(eventsOf: queue)
            next.current.queue.takeIn(ledger)
            if events > 0 {
                next.findings.append(.warning("\(events) events went with \(queue.queue.own.path)."))
            }
        }
        former.removeAll { gone.contains($0.id) }
        if gone.contains(current.id) {
            sessionLock?.unlock()
            next.former = former
        } else {
            retire(to: &next)
        }
    }

    // MARK: Leaving memory

    /// Before the end: what is still in memory goes to the disk, if that can be used.
    package mutating func leaveMemory() {
        guard isOpen, isInMemory || former.contains(where: \.isInMemory) else { return }
        returnToDisk(at: nil)
        absorb { _ in true }
        let left = home == nil ? 0 : current.queue.pendingEvents
        if left > 0 { findings.append(.warning("\(left) events that were kept in memory alone are lost.")) }
    }

    /// Moves the events of queues in memory to the disk; each keeps its id.
    private mutating func absorb(where isReady: (RunFolder) -> Bool) {
        guard home == nil else { return }
        for queue in former where queue.isInMemory && isReady(queue.queue.own) {
            let (ledger, _) = take(eventsOf: queue)
            takeIn(queue, ledger)
        }
        former.removeAll { $0.isInMemory && isReady($0.queue.own) }
    }

    /// Appends what can be read of a queue that is left; each event keeps its id.
    /// - Returns: the queue's books without these events, and how many others were pending.
    private mutating func take(eventsOf queue: DestinationQueue) -> (ledger: Ledger, lost: Int) {
        var ledger = queue.queue.ledger
        var lost = 0
        for range in queue.queue.own.pendingRanges {
            guard queue.destination == current.destination, let reading = queue.reading(of: range) else {
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
                    try current.queue.append(&line, isActive: record.isActive, timestamp: record.timestamp)
                    ledger.recorded -= 1
                } catch {
                    ledger[.unstored] += 1
                    lost += 1
                }
            }
        }
        return (ledger, lost)
    }

    /// Takes over the books, and what was put aside, of a queue in memory that holds nothing any more.
    mutating func takeIn(_ queue: DestinationQueue, _ ledger: Ledger? = nil) {
        current.queue.takeIn(ledger ?? queue.queue.ledger)
        do {
            let letters = try queue.folder.deadLetters.all()
            guard !letters.isEmpty else { return }
            try folder.deadLetters.add(letters)
        } catch {
            findings.append(.warning("\(error)"))
        }
    }
}

extension DestinationQueue {
    /// The records of a range; `nil` if its file is gone or cannot be read.
    fileprivate func reading(of range: QueueRange) -> QueueReading? {
        do {
            return try QueueReading(queue.source(of: range), range, maxRawBytes: .max)
        } catch {
            return nil
        }
    }

    /// Whether its folder was removed by somebody. Costs a look at one file.
    var isGone: Bool {
        do {
            return try files.size(of: queue.own.path + "/lock") == nil
        } catch {
            // What cannot be looked at may well be there.
            return false
        }
    }
}

extension StoreError {
    /// Whether a launch goes on in memory: not for a store that a newer version wrote, nor on a disk that is broken.
    fileprivate var leavesMemory: Bool {
        switch self {
        case .laterVersion: false
        case .failed(let error): error.errno != FileError.broken
        case .foreignFolder, .notFolder, .notWritable: true
        }
    }
}
