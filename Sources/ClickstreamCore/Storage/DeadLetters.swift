/// An event that a server will never take, put aside with the reason.
package struct DeadLetter: Sendable, Equatable {
    /// The event's JSON, as it was recorded.
    package var json: [UInt8]
    /// The HTTP status that it was refused with.
    package var status: Int
    package var reason: String
    /// How many requests were made with it before it was put aside; requeued and put aside again, all of them.
    package var attempts: Int
    /// When it was put aside.
    package var setAside: Timestamp

    package init(json: [UInt8], status: Int, reason: String, attempts: Int, setAside: Timestamp) {
        self.json = json
        self.status = status
        self.reason = reason
        self.attempts = attempts
        self.setAside = setAside
    }

    private var event: JSONValue? { try? JSONReader.parse(json) }  // what is no JSON has no name and no id

    package var eventID: String { event?["event_id"]?.string ?? "" }
    package var eventName: String { event?["event_type"]?.string ?? "" }
    /// When the event was recorded.
    package var timestamp: Timestamp {
        Timestamp(milliseconds: event?["timestamp"]?.integer ?? setAside.milliseconds)
    }

    // MARK: As a line

    private static let memberNames = ["set_aside", "status", "attempts", "reason", "event"]
    private static let possibleAttempts: ClosedRange<Int64> = 0...1 << 32
    private static let beforeEvent = Array(#","event":"#.utf8)

    /// One JSON object: what is known of it, and last the event, byte by byte.
    package var line: [UInt8] {
        func number(_ value: Int64) -> JSONValue { JSONValue(.number(JSONNumber(integer: value))) }
        var bytes: [UInt8] = []
        JSONValue(
            .object([
                JSONMember("set_aside", number(setAside.milliseconds)),
                JSONMember("status", number(Int64(status))),
                JSONMember("attempts", number(Int64(attempts))),
                JSONMember("reason", JSONValue(.string(reason))),
            ])
        ).write(into: &bytes)
        bytes.removeLast()
        return bytes + Self.beforeEvent + json + [UInt8(ascii: "}")]
    }

    /// Reads a line back; `nil` when it is not such a line.
    init?(line: [UInt8]) {
        guard let value = try? JSONReader.parse(line),  // a line that is no JSON is none of ours
            let status = value["status"]?.integer, let attempts = value["attempts"]?.integer,
            let reason = value["reason"]?.string, let setAside = value["set_aside"]?.integer,
            value.members?.map(\.name) == Self.memberNames, Self.possibleAttempts ~= attempts,
            // Quotation marks inside the reason are escaped, so that these bytes stand before the event first.
            let start = line.firstRange(of: Self.beforeEvent)?.upperBound, line.last == UInt8(ascii: "}")
        else { return nil }
        self.init(
            json: Array(line[start..<line.count - 1]),
            status: Int(status),
            reason: reason,
            attempts: Int(attempts),
            setAside: Timestamp(milliseconds: setAside)
        )
    }
}

/// The dead-letter store of an app: the file `dead`, one event a line, for people to look at, to requeue or to remove.
///
/// Capped: at most ``mostLetters`` of ``mostBytes`` in all, the oldest go first. Every change reads and replaces the file
/// under the state's lock, which is cheap enough for what should not happen.
package struct DeadLetters: Sendable {
    package static let mostLetters = 1_000
    package static let mostBytes = 4_194_304

    private let folder: StoreFolder
    private let file: StateFile

    package init(_ files: any FileSystem, _ folder: StoreFolder, isDurable: Bool = false) {
        self.folder = folder
        file = StateFile(files, path: folder.path + "/dead", kind: "clickstream-dead", isDurable: isDurable)
    }

    /// All that were put aside, the oldest first.
    package func all() throws(StoreError) -> [DeadLetter] {
        let content: StateFile.Content
        do {
            content = try file.load()
        } catch {
            throw StoreError(error)
        }
        switch content {
        case .none, .lost:
            return []
        case .loaded(let bytes), .recovered(let bytes, _):
            return bytes.split(separator: UInt8(ascii: "\n")).compactMap { DeadLetter(line: Array($0)) }
        case .fromLater(let version):
            throw .laterVersion(path: file.path, version: version)
        }
    }

    /// Where they are.
    package var path: String { file.path }

    /// What is wrong with the file: how many lines cannot be read, and what a person should know of the file as a whole.
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

    /// Writes the file anew with what can be read of it.
    package func repair() throws(StoreError) {
        try change { _ in }
    }

    /// Puts events aside. One that was before keeps its place at the end, with all its attempts.
    package func add(_ letters: [DeadLetter]) throws(StoreError) {
        try change { kept in
            for var letter in letters {
                let id = letter.eventID
                if let index = kept.firstIndex(where: { $0.eventID == id && $0.json == letter.json }) {
                    letter.attempts += kept[index].attempts
                    kept.remove(at: index)
                }
                kept.append(letter)
            }
            var bytes = kept.reduce(0) { $0 + $1.json.count }
            while kept.count > Self.mostLetters || (bytes > Self.mostBytes && kept.count > 1) {
                bytes -= kept.removeFirst().json.count
            }
        }
    }

    /// Takes out those with these event ids, or all.
    /// - Returns: what was taken out, the oldest first.
    @discardableResult
    package func remove(_ ids: Set<String>? = nil) throws(StoreError) -> [DeadLetter] {
        var removed: [DeadLetter] = []
        try change { kept in
            removed = kept.filter { ids?.contains($0.eventID) ?? true }
            if let ids { kept.removeAll { ids.contains($0.eventID) } } else { kept = [] }
        }
        return removed
    }

    private func change(_ body: (inout [DeadLetter]) -> Void) throws(StoreError) {
        let lock: (any FileLock)?
        do {
            lock = try folder.lockState()
        } catch {
            throw StoreError(error)
        }
        defer { lock?.unlock() }
        var letters = try all()
        body(&letters)
        try file.save(Array(letters.map(\.line).joined(separator: [UInt8(ascii: "\n")])))
    }
}
