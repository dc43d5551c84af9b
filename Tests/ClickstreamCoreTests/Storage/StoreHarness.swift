import ClickstreamCore
import ClickstreamSimulation
import Testing

/// A server that keeps what it was sent, and under which bundle id.
struct Inbox {
    struct Bundle: Equatable {
        var run: String
        var id: Int
        var events: [String]
    }

    var bundles: [Bundle] = []

    var events: [String] { bundles.flatMap(\.events) }
}

/// The JSON of the event `name`.
func json(_ name: String, padding: Int = 0) -> String {
    #"{"id":"\#(name)","text":"\#(String(repeating: "x", count: padding))"}"#
}

/// The name inside the JSON that ``json(_:padding:)`` made.
func name(inJSON bytes: some Sequence<UInt8>) -> String {
    let words = String(decoding: Array(bytes), as: UTF8.self).split(separator: "\"", omittingEmptySubsequences: false)
    return words.count > 3 ? String(words[3]) : ""
}

extension EventQueue {
    /// Opens the store of the app `app` below `/data`.
    init(on disk: MemoryFileSystem, limits: QueueLimits = QueueLimits()) throws(StoreError) {
        try self.init(disk, run: StoreFolder(disk, root: "/data", appID: "app").takeRun(), limits: limits)
    }

    mutating func append(
        _ name: String,
        padding: Int = 0,
        isActive: Bool = true,
        at milliseconds: Int64 = 1
    ) throws(FileError) {
        var line = EventLine(json: Array(json(name, padding: padding).utf8)[...])
        try append(&line, isActive: isActive, timestamp: Timestamp(milliseconds: milliseconds))
    }

    mutating func append(_ names: some Sequence<Int>) throws {
        for name in names { try append("e\(name)") }
    }

    /// Sends one batch of at most `maxEvents`. Stops, as a dead process would, when the power goes before the sending.
    /// - Returns: whether there was anything.
    mutating func deliver(
        from disk: MemoryFileSystem,
        to inbox: inout Inbox,
        maxEvents: Int = .max,
        maxRawBytes: Int = 1_000_000
    ) throws -> Bool {
        guard let available = nextRange else { return false }
        var reading = try QueueReading(disk, available, maxRawBytes: maxRawBytes)
        if available.bundleID == nil { reading = reading.prefix(maxEvents) }
        guard !reading.records.isEmpty else {
            acknowledge(reading.range)
            return true
        }
        guard let id = begin(reading.range) else { return true }
        guard !disk.isPowerCut else { throw FileError(.write, "power", errno: 5) }
        let events = reading.records.map { name(inJSON: reading.bytes[$0.json]) }
        inbox.bundles.append(Inbox.Bundle(run: reading.range.run, id: id, events: events))
        acknowledge(reading.range)
        return true
    }

    /// Sends everything, and gives the names in the order in which they went.
    mutating func drain(from disk: MemoryFileSystem) throws -> [String] {
        var inbox = Inbox()
        while try deliver(from: disk, to: &inbox) {}
        return inbox.events
    }

    /// True if the counts of the ledger are consistent.
    var isBalanced: Bool {
        ledger.recorded == ledger.settled + own.pendingEvents
    }
}

func names(_ numbers: some Sequence<Int>) -> [String] {
    numbers.map { "e\($0)" }
}

/// The path of a file in the first run folder of the app `app`.
func runFile(_ name: String, run: Int = 1) -> String {
    "/data/app/runs/\(run)/\(name)"
}
