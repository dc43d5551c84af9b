/// Recovery of a run folder when it is opened: a manifest that agrees with the segment files, and a report.
///
/// The files decide. In a listed segment, the events appended after the manifest was written are scanned, and those that are
/// no longer in the file are counted as missing. A file that the manifest does not list is scanned as a whole if it was
/// created later; an older one is left from a removal.
struct RunRecovery {
    private(set) var manifest: RunManifest
    private(set) var report = OpeningReport()
    /// True if the written manifest is damaged, or would not lead to the same result at the next opening.
    private(set) var needsSaving = false
    private let files: any FileSystem
    /// True if incomplete records are truncated and leftovers removed; false changes nothing on disk.
    private let isRepairing: Bool

    /// - Parameter content: the manifest as it was loaded.
    init(
        _ files: any FileSystem,
        path: String,
        _ content: StateFile.Content,
        isRepairing: Bool
    ) throws(FileError) {
        self.files = files
        self.isRepairing = isRepairing
        manifest = RunManifest(path: path)
        let segments = read(content)
        let written = segments == nil ? nil : manifest
        var listed: [Int: Segment] = [:]
        for segment in segments ?? [] { listed[segment.number] = segment }
        var firstSequence: Int?
        for number in try files.names(in: path).compactMap(Segment.number(in:)).orderedByNumber({ Int64($0) }) {
            manifest.nextNumber = max(manifest.nextNumber, number + 1)
            if let segment = listed.removeValue(forKey: number) {
                try addListed(segment)
            } else if let written, number < written.nextNumber {
                // Its removal was recorded in the manifest, but not carried out.
                if isRepairing { try files.remove(manifest.path(of: Segment(number: number, sequence: 1))) }
            } else {
                let first = try addUnlisted(number)
                firstSequence = firstSequence ?? first
            }
        }
        for segment in listed.values {
            countMissing(segment.pendingEvents)
            needsSaving = true
        }
        balance(written, from: written?.nextSequence ?? firstSequence ?? manifest.nextSequence)
        // Each bundle contained at least one event, so no bundle id can be higher than this.
        if case .lost = content { manifest.nextBundleID = manifest.nextSequence }
        report.events = manifest.pendingEvents
        report.bytes = manifest.pendingBytes
        report.lastActive = manifest.lastActive
    }

    /// Takes over the manifest, or the note on its damage.
    /// - Returns: the listed segments; `nil` without an intact manifest.
    private mutating func read(_ content: StateFile.Content) -> [Segment]? {
        switch content {
        case .none, .fromLater:
            return nil
        case .loaded(let bytes):
            return manifest.read(bytes)
        case .recovered(let bytes, let note):
            let segments = manifest.read(bytes)
            // One bundle id may have been assigned since the predecessor was written.
            manifest.nextBundleID += 1
            report.notes.append(Notice.Warning(.storeDamaged, note))
            needsSaving = true
            return segments
        case .lost(let note):
            report.notes.append(Notice.Warning(.storeDamaged, note))
            needsSaving = true
            return nil
        }
    }

    /// Counts sequence numbers found in no segment as damaged: they belonged to lines that can no longer be separated.
    /// - Parameter start: the first sequence number that the manifest as written does not count.
    private mutating func balance(_ written: RunManifest?, from start: Int) {
        let found = manifest.ledger.settled + manifest.pendingEvents
        let recorded = (written?.ledger.recorded ?? 0) + manifest.nextSequence - start
        manifest.ledger[.damaged] += max(0, recorded - found)
        manifest.ledger.recorded = manifest.ledger.settled + manifest.pendingEvents
    }

    // MARK: Segments

    /// Adds a segment from the manifest with the actual size of its file.
    private mutating func addListed(_ listed: Segment) throws(FileError) {
        var segment = listed
        let size = try files.size(of: manifest.path(of: segment)) ?? 0
        if size > segment.bytes {
            let tail = try scan(segment, from: segment.bytes)
            segment.add(tail)
            if let last = tail.lastActive { manifest.lastActive = last }
        } else if size < segment.bytes {
            segment.flight = nil
            segment.bytes = min(size, segment.consumed)
            segment.endSequence = segment.nextSequence
            if size > segment.consumed {
                segment.add(try scan(segment, from: segment.consumed, isCut: true))
            } else {
                segment.consumed = segment.bytes
            }
            countMissing(max(0, listed.endSequence - segment.endSequence))
        }
        if segment.bytes < listed.bytes { needsSaving = true }
        addPending(segment)
    }

    /// Adds a segment that the manifest does not contain, and removes its file if it is empty.
    /// - Returns: the sequence number of its first event.
    private mutating func addUnlisted(_ number: Int) throws(FileError) -> Int {
        var segment = Segment(number: number, sequence: manifest.nextSequence)
        let scan = try scan(segment, from: 0)
        if let first = scan.firstSequence { segment.nextSequence = max(1, first - scan.damagedBeforeFirst) }
        segment.endSequence = segment.nextSequence
        segment.add(scan)
        if let last = scan.lastActive { manifest.lastActive = last }
        if scan.tornBytes > 0 { needsSaving = true }
        if segment.bytes > 0 {
            addPending(segment)
        } else if isRepairing {
            try files.remove(manifest.path(of: segment))
        }
        return segment.nextSequence
    }

    private mutating func addPending(_ segment: Segment) {
        if segment.pendingBytes > 0 { manifest.append(segment) }
    }

    private mutating func countMissing(_ events: Int) {
        manifest.ledger[.missing] += events
        report.missingEvents += events
    }

    /// Scans the lines of a segment from `offset`, and truncates an incomplete record at the end.
    /// - Parameter isCut: true if the file is shorter than the manifest states: the bytes at its end then belong to a
    ///   record that is missing, not to one that was never completed.
    private mutating func scan(
        _ segment: Segment,
        from offset: Int,
        isCut: Bool = false
    ) throws(FileError) -> SegmentScan {
        let path = manifest.path(of: segment)
        let known = offset == segment.bytes ? segment.endSequence : segment.nextSequence
        let scan = try SegmentScan(files, path: path, from: offset, lowestSequence: offset == 0 ? 1 : known)
        report.damagedRecords += scan.damaged
        if scan.tornBytes > 0 {
            report.tornBytes += scan.tornBytes
            if !isCut { manifest.ledger[.torn] += 1 }
            if isRepairing {
                let file = try files.open(path)
                defer { file.close() }
                try file.truncate(to: scan.end)
            }
        }
        return scan
    }
}
