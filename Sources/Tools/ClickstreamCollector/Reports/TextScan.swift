#if Collector
import ClickstreamCore
import Foundation
import GRDB

/// Scan that reads texts of events, in the order of arrival. Each body is decoded once, by one of several threads.
///
/// The bodies of three batches are in memory at a time, and what is read of two.
struct TextScan {
    /// Columns of a scan that locate a text.
    static let columns = ["r.seq", "r.is_encoded", "e.start", "e.length"]

    /// Bytes of bodies and rows from which on a batch is complete.
    private static let batchBytes = 1_048_576
    /// Maximum bytes that are read of a batch by several threads at a time.
    private static let maxReadBytes = 33_554_432
    /// Number of threads besides that of the connection.
    private static let threads = min(4, ProcessInfo.processInfo.activeProcessorCount) - 1

    private typealias Batch = ParallelBatch<ReportRequest, ReadRows>

    private let database: Database
    private let first: Int32
    private let probe: TextProbe
    private var requests: [ReportRequest] = []
    private var bytes = 0
    private var running: Batch?

    /// - Parameter first: index of the first of ``columns``.
    init(_ database: Database, columnsFrom first: Int, _ probe: TextProbe) {
        self.database = database
        self.first = Int32(first)
        self.probe = probe
    }

    /// Reads the texts of events.
    /// - Parameters:
    ///   - select: returns the event of a row; `nil` for one that is not selected.
    ///   - consume: called for the events of one request after the other.
    /// - Throws: ``StoreDamage``, that of the first event with one; `DatabaseError`; the errors of `select` and `consume`.
    mutating func scan(
        _ events: EventScan,
        of select: (RowReader) throws -> ReportRow?,
        _ consume: (ReadRows) throws -> Void
    ) throws {
        defer { running?.cancel() }
        do {
            try events.scan { columns in
                if let row = try select(columns) { try add(row, columns, consume) }
            }
        } catch let damage as StoreDamage {
            // The events before the damaged row may have damage of their own, or more values than are possible.
            try finish(consume)
            throw damage
        }
        try finish(consume)
    }

    private mutating func add(
        _ row: ReportRow,
        _ columns: RowReader,
        _ consume: (ReadRows) throws -> Void
    ) throws {
        var row = row
        let request = try columns.integer(first, "requests.seq", in: StoredRange.sequence)
        if requests.last?.location.request != request {
            if bytes >= Self.batchBytes { try startBatch(consume) }
            let isEncoded = try columns.boolean(first + 1, "requests.is_encoded")
            let location = EventLocation(request: request, range: 0..<0, isContentEncoded: isEncoded)
            requests.append(ReportRequest(location: location))
        }
        let index = requests.count - 1
        if row.readsText {
            let start = Int(try columns.integer(first + 2, "events.start", in: StoredRange.count))
            let length = Int(try columns.integer(first + 3, "events.length", in: StoredRange.count))
            row.range = start..<start + length
            if requests[index].body == nil {
                let body = try requests[index].location.body(in: database)
                bytes += body.bytes.count
                requests[index].body = body
            }
        }
        requests[index].rows.append(row)
        bytes += MemoryLayout<ReportRow>.stride
    }

    /// Gives the requests so far to the threads, and consumes the batch before.
    private mutating func startBatch(_ consume: (ReadRows) throws -> Void) throws {
        let previous = running
        running = Batch(requests, threads: Self.threads, maxBytes: Self.maxReadBytes) { [probe] request in
            let rows = probe.read(request)
            return (rows, rows.bytes)
        }
        (requests, bytes) = ([], 0)
        try end(previous, consume)
    }

    private mutating func finish(_ consume: (ReadRows) throws -> Void) throws {
        try startBatch(consume)
        let last = running
        running = nil
        try end(last, consume)
    }

    private mutating func end(_ batch: Batch?, _ consume: (ReadRows) throws -> Void) throws {
        do {
            try batch?.consume(consume)
        } catch {
            batch?.cancel()
            running?.cancel()
            (running, requests) = (nil, [])
            throw error
        }
    }
}
#endif
