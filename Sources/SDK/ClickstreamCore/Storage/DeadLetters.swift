/// Event that a server permanently rejects, with the reason.
package struct DeadLetter: Sendable, Equatable {
    /// The event's JSON, as recorded; several events, separated by commas, if they were recorded together.
    package var json: [UInt8]
    /// The HTTP status of the rejection.
    package var status: Int
    package var reason: String
    /// The number of requests that contained the event, including those before it was requeued.
    package var attempts: Int
    /// The time at which the event became a dead letter.
    package var setAside: Timestamp
    /// The event's partition key in its queue.
    package var partition: PartitionKey?

    package init(
        json: [UInt8],
        status: Int,
        reason: String,
        attempts: Int,
        setAside: Timestamp,
        partition: PartitionKey? = nil
    ) {
        self.partition = partition
        self.json = json
        self.status = status
        self.reason = reason
        self.attempts = attempts
        self.setAside = setAside
    }

    // Text that is not JSON has no name and no id.
    private var event: JSONValue? { try? JSONReader.parse(json) }

    /// The events' JSON array, if the record contains several.
    private var list: [UInt8]? {
        guard event == nil else { return nil }
        let list = [UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]
        // Text that is not JSON is no list either.
        return (try? JSONReader.parse(list)) == nil ? nil : list
    }

    /// The id of the event; of several events, that of the first.
    package var eventID: String {
        let first = event ?? list.flatMap { try? JSONReader.parse($0).array?.first }  // parsed before
        return first?[FieldName.eventID]?.string ?? first?["_id"]?.string ?? ""
    }
    package var eventName: String { event?[FieldName.eventType]?.string ?? "" }
    /// The time at which the event was recorded.
    package var timestamp: Timestamp {
        Timestamp(milliseconds: event?[FieldName.timestamp]?.integer ?? setAside.milliseconds)
    }

    // MARK: As a line

    private static let memberNames = ["set_aside", "status", "attempts", "reason", "event"]
    private static let partitionedNames = ["set_aside", "status", "attempts", "partition", "reason", "event"]
    private static let possibleAttempts: ClosedRange<Int64> = 0...1 << 32
    private static let beforeEvent = Array(#","event":"#.utf8)

    /// The dead letter as one JSON object; the event comes last, byte for byte.
    package var line: [UInt8] {
        var bytes: [UInt8] = []
        var members: [JSONMember] = [
            .number("set_aside", setAside.milliseconds), .number("status", status), .number("attempts", attempts),
        ]
        if let partition { members.append(.text("partition", partition.text)) }
        members.append(.text("reason", reason))
        JSONValue(.object(members)).write(into: &bytes)
        bytes.removeLast()
        return bytes + Self.beforeEvent + (list ?? json) + [UInt8(ascii: "}")]
    }

    /// Decodes a line; returns `nil` if it is not a dead letter.
    init?(line: [UInt8]) {
        guard let value = try? JSONReader.parse(line),  // a line that is not JSON is not a dead letter
            let status = value["status"]?.integer, let attempts = value["attempts"]?.integer,
            let reason = value["reason"]?.string, let setAside = value["set_aside"]?.integer,
            let names = value.members?.map(\.name), [Self.memberNames, Self.partitionedNames].contains(names),
            Self.possibleAttempts ~= attempts,
            // Quotation marks inside the reason are escaped, so the first match precedes the event.
            let start = line.firstRange(of: Self.beforeEvent)?.upperBound, line.last == UInt8(ascii: "}")
        else { return nil }
        // An event is an object: an array contains events that were recorded together.
        let isList = line[start] == UInt8(ascii: "[")
        self.init(
            json: Array(isList ? line[(start + 1)..<(line.count - 2)] : line[start..<(line.count - 1)]),
            status: Int(status),
            reason: reason,
            attempts: Int(attempts),
            setAside: Timestamp(milliseconds: setAside),
            partition: value["partition"]?.string.flatMap { PartitionKey($0) }
        )
    }
}

/// Dead-letter store of an app: the file `dead`, one event per line, for inspection, requeueing or removal.
///
/// Limited to ``maxLetters`` letters and ``maxBytes`` bytes in total; the oldest are removed first. Every change
/// reads and replaces the file under the state's lock. The cost is acceptable because dead letters are rare.
package struct DeadLetters: Sendable {
    package static let maxLetters = 1_000
    package static let maxBytes = 4_194_304

    private let folder: StoreFolder
    private let file: StateFile

    package init(_ files: any FileSystem, _ folder: StoreFolder, isDurable: Bool = false) {
        self.folder = folder
        file = StateFile(files, path: folder.deliveryPath + "/dead", kind: "clickstream-dead", isDurable: isDurable)
    }

    /// Returns all dead letters, oldest first.
    package func all() throws(StoreError) -> [DeadLetter] {
        guard let bytes = try file.loadIntact() else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { DeadLetter(line: Array($0)) }
    }

    /// The path of the file.
    package var path: String { file.path }

    /// Checks the file: returns the number of unreadable lines, and a description of damage to the file as a whole.
    package func damage() throws(StoreError) -> (unreadable: Int, report: String?) {
        let content: StateFile.Content
        do {
            content = try file.load()
        } catch {
            throw StoreError(error)
        }
        func unreadable(_ bytes: [UInt8]) -> Int {
            bytes.split(separator: UInt8(ascii: "\n")).count { DeadLetter(line: Array($0)) == nil }
        }
        switch content {
        case .none, .fromLater: return (0, nil)
        case .loaded(let bytes): return (unreadable(bytes), nil)
        case .recovered(let bytes, let report): return (unreadable(bytes), report)
        case .lost(let report): return (0, report)
        }
    }

    /// Rewrites the file with its readable lines.
    package func repair() throws(StoreError) {
        try change { _ in }
    }

    /// Adds dead letters. A letter that already exists moves to the end, and its attempts add up.
    /// - Parameter run: the path of the run folder that contains the events; `nil` for events that are in none.
    /// - Returns: false if another process has withdrawn the consent for that folder; nothing is added then.
    @discardableResult
    package func add(_ letters: [DeadLetter], ofRun run: String? = nil) throws(StoreError) -> Bool {
        try change(unlessWithdrawn: run) { kept in
            for var letter in letters {
                let id = letter.eventID
                if let index = kept.firstIndex(where: { $0.eventID == id && $0.json == letter.json }) {
                    letter.attempts += kept[index].attempts
                    kept.remove(at: index)
                }
                kept.append(letter)
            }
            var bytes = kept.reduce(0) { $0 + $1.json.count }
            while kept.count > Self.maxLetters || (bytes > Self.maxBytes && kept.count > 1) {
                bytes -= kept.removeFirst().json.count
            }
        }
    }

    /// Removes the letters with these event ids, or all.
    /// - Returns: the removed letters, oldest first.
    @discardableResult
    package func remove(_ ids: Set<String>? = nil) throws(StoreError) -> [DeadLetter] {
        var removed: [DeadLetter] = []
        try change { kept in
            removed = kept.filter { ids?.contains($0.eventID) ?? true }
            if let ids { kept.removeAll { ids.contains($0.eventID) } } else { kept = [] }
        }
        return removed
    }

    /// Removes what a withdrawal of consent has left of the file, so that none of it is queued again.
    /// - Throws: the disk's error if the file is to be removed, and cannot be.
    package func removeWithdrawn() throws(StoreError) {
        let lock = try lockState()
        defer { lock?.unlock() }
        try removeFiles(in: withdrawalList())
    }

    /// - Returns: false if the run folder is to be emptied; nothing is changed then.
    @discardableResult
    private func change(
        unlessWithdrawn run: String? = nil,
        _ body: (inout [DeadLetter]) -> Void
    ) throws(StoreError) -> Bool {
        let lock = try lockState()
        defer { lock?.unlock() }
        let withdrawn = try withdrawalList()
        if let run, withdrawn.runs.contains(where: { run == "\(folder.path)/\($0)" }) { return false }
        try removeFiles(in: withdrawn)
        var letters = try all()
        body(&letters)
        try file.save(Array(letters.map(\.line).joined(separator: [UInt8(ascii: "\n")])))
        return true
    }

    private func lockState() throws(StoreError) -> (any FileLock)? {
        do {
            return try folder.lockState()
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns what a withdrawal has still to remove, as last saved by any process. The lock of the state is held.
    private func withdrawalList() throws(StoreError) -> WithdrawalList {
        guard let bytes = try folder.state.loadIntact() else { return WithdrawalList() }
        return WithdrawalList(entries: StoredState(json: bytes)?.withdrawn ?? [])
    }

    private func removeFiles(in withdrawn: WithdrawalList) throws(StoreError) {
        guard !withdrawn.isEmpty else { return }
        do {
            for name in StoreFolder.deadLetterNames {
                let path = "\(folder.deliveryPath)/\(name)"
                if withdrawn.covers(String(path.dropFirst(folder.path.count + 1))) { try folder.files.remove(path) }
            }
        } catch {
            throw StoreError(error)
        }
    }
}
