package import ClickstreamCore

/// Damage of a store on disk.
package struct StoreFinding: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// A damaged record; only its event is lost.
        case damagedRecord = "damaged_record"
        /// An incomplete record at the end of a file.
        case tornEnd = "torn_end"
        /// Events whose file is missing or truncated.
        case missingEvents = "missing_events"
        /// The ledger of a run.
        case damagedManifest = "damaged_books"
        /// The file with identity and session.
        case damagedState = "damaged_state"
        /// The file with the profiles of known users.
        case damagedUsers = "damaged_users"
        /// The dead letters.
        case damagedDeadLetters = "damaged_dead_letters"
        /// The marker file of the store.
        case damagedMark = "damaged_mark"
    }

    package var kind: Kind
    package var path: String
    /// Offset in the file; `nil` for the file as a whole.
    package var offset: Int?
    /// Number of events lost.
    package var events: Int
    /// The damage and its consequence.
    package var message: String
}

/// Check of every record of a store, of all formats. Changes and locks nothing.
package struct StoreCheck: Sendable {
    /// The number of complete pending records.
    package private(set) var events = 0
    package private(set) var runs = 0
    package private(set) var findings: [StoreFinding] = []
    private let files: any FileSystem
    private static let pieceBytes = 1_048_576

    /// - Parameter pause: called before reading a record again that a running process may be writing.
    package init(_ files: any FileSystem, _ folder: StoreFolder, pause: () -> Void = {}) throws(StoreError) {
        self.files = files
        try StoreError.mapping {
            try check(markOf: folder)
            try check(stateOf: folder)
            try check(usersOf: folder, pause)
            try check(deadLettersOf: folder)
            for number in try folder.runs() {
                try check(run: folder.path(ofRun: number), pause)
            }
            for format in try folder.formats() {
                let other = folder.folder(existing: format)
                try check(deadLettersOf: other)
                for number in try other.runs() {
                    try check(run: other.path(ofRun: number), pause)
                }
            }
        }
    }

    private mutating func check(markOf folder: StoreFolder) throws(FileError) {
        let path = "\(folder.path)/\(StoreFolder.mark)"
        let mark = try files.contents(of: path)
        guard mark.flatMap({ StateFile.decode($0, kind: StoreFolder.mark) }) == nil else { return }
        add(.damagedMark, path, "\(path) is damaged; the next process rewrites it")
    }

    private mutating func check(stateOf folder: StoreFolder) throws {
        let path = folder.state.path
        switch try folder.state.load() {
        case .none: break
        case .fromLater(let version): throw StoreError.laterVersion(path: path, version: version)
        case .loaded(let bytes):
            guard StoredState(json: bytes) == nil else { return }
            add(.damagedState, path, "\(path) holds no state; the app starts as if it had just been installed")
        case .recovered(_, let report): add(.damagedState, path, report)
        case .lost(let report):
            add(.damagedState, path, "\(report); the app starts as if it had just been installed")
        }
    }

    private mutating func check(usersOf folder: StoreFolder, _ pause: () -> Void) throws {
        for attempt in 1...3 {
            guard let bytes = try folder.state.loadIntact(), let stored = StoredState(json: bytes)?.users else {
                return
            }
            let log = UserLog(folder)
            var users = KnownUsers(current: stored.current)
            guard let damage = try log.read(stored, into: &users) else { return }
            if attempt == 3 { return add(.damagedUsers, log.path(stored.position.file), damage) }
            // A running process may have replaced the file since the state was read.
            pause()
        }
    }

    private mutating func check(deadLettersOf folder: StoreFolder) throws(StoreError) {
        let letters = folder.deadLetters
        let (unreadable, report) = try letters.damage()
        if let report { add(.damagedDeadLetters, letters.path, report) }
        guard unreadable > 0 else { return }
        add(
            .damagedDeadLetters,
            letters.path,
            events: unreadable,
            "cannot read \(unreadable) \(unreadable == 1 ? "line" : "lines") of \(letters.path): the dead letters in them are lost"
        )
    }

    private mutating func check(run path: String, _ pause: () -> Void) throws(StoreError) {
        guard var (folder, report) = try RunFolder.snapshot(files, path: path) else { return }
        runs += 1
        for _ in 0..<3 where report.tornBytes > 0 || report.missingEvents > 0 {
            pause()
            guard let again = try RunFolder.snapshot(files, path: path) else { return }
            (folder, report) = again
        }
        for note in report.notes { add(.damagedManifest, folder.manifestFile.path, note.message) }
        if report.tornBytes > 0 {
            add(
                .tornEnd,
                path,
                events: 1,
                "\(report.tornBytes) bytes in \(path) belong to an incomplete record; the next process removes them"
            )
        }
        if report.missingEvents > 0 {
            add(
                .missingEvents,
                path,
                events: report.missingEvents,
                "\(report.missingEvents) events in \(path) are missing: their file is gone, or shorter than before"
            )
        }
        for range in folder.pendingRanges {
            do throws(FileError) {
                try check(range)
            } catch {
                // Delivered or evicted since the snapshot.
                if error.isMissingFile { continue }
                throw StoreError(error)
            }
        }
    }

    /// Checks every line of a range.
    private mutating func check(_ range: QueueRange) throws(FileError) {
        var start = range.from
        var length = Self.pieceBytes
        var lowest = range.nextSequence
        while start < range.to {
            let bytes = try files.read(range.file, range: start..<min(range.to, start + length))
            let read = bytes.withUnsafeBytes { check($0, at: start, of: range, &lowest) }
            guard read > 0 else {
                // The piece contains no line feed.
                if start + bytes.count >= range.to || bytes.isEmpty { return }
                length *= 2
                continue
            }
            start += read
        }
    }

    /// - Returns: the end of the last complete line.
    private mutating func check(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int,
        of range: QueueRange,
        _ lowest: inout Int
    ) -> Int {
        var start = 0
        while let end = EventRecord.endOfLine(from: start, in: bytes) {
            let before = events
            _ = EventRecord.forEach(
                in: start..<end,
                of: bytes,
                sequences: lowest..<max(lowest, Segment.lastSequence + 1)
            ) { record, _ in
                events += 1
                lowest = record.sequence + 1
                return true
            }
            if events == before {
                add(
                    .damagedRecord,
                    range.file,
                    at: offset + start,
                    events: 1,
                    "the record at byte \(offset + start) of \(range.file) is damaged: its event is lost"
                )
            }
            start = end + 1
        }
        return start
    }

    private mutating func add(
        _ kind: StoreFinding.Kind,
        _ path: String,
        at offset: Int? = nil,
        events: Int = 0,
        _ message: String
    ) {
        findings.append(StoreFinding(kind: kind, path: path, offset: offset, events: events, message: message))
    }
}
