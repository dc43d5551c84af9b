import FuzzInput
import MemoryFiles

@testable import ClickstreamCore

/// Content of a run folder, damaged in any way: records, and the ledger.
@c(LLVMFuzzerTestOneInput)
public func fuzzRecord(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    var input = FuzzInput(UnsafeRawBufferPointer(start: start, count: count))
    switch input.byte() % 3 {
    case 0:
        readRecord(input.rest())
    case 1:
        openFolder(manifest: [], lines: Array(input.rest()))
    default:
        let length = Int(input.byte()) << 2
        let bytes = Array(input.rest())
        openFolder(manifest: Array(bytes.prefix(length)), lines: Array(bytes.dropFirst(length)))
    }
    return 0
}

/// A record as it was damaged, and the same with the checksum that it asks for.
private func readRecord(_ line: UnsafeRawBufferPointer) {
    check(line)
    guard line.count > 9 else { return }
    whole(Array(line)[...]).withUnsafeBytes(check)
}

/// The line with the checksum that its rest asks for.
private func whole(_ line: ArraySlice<UInt8>) -> [UInt8] {
    guard line.count > 9 else { return Array(line) }
    let rest = Array(line.dropFirst(9))
    let checksum = String(rest.withUnsafeBytes { Checksum.crc32c($0) }, radix: 16)
    return Array((String(repeating: "0", count: 8 - checksum.count) + checksum + " ").utf8) + rest
}

private func check(_ line: UnsafeRawBufferPointer) {
    guard let record = EventRecord(line: 0..<line.count, of: line) else { return }
    require(record.sequence > 0, "a sequence number of \(record.sequence)")
    require(record.json.upperBound == line.count && record.json.lowerBound <= line.count, "JSON at \(record.json)")
}

/// A folder of these books and lines is opened, added to, read to its end and opened again: the books add up each time.
private func openFolder(manifest: [UInt8], lines: [UInt8]) {
    let files = MemoryFileSystem()
    let text = lines.split(separator: 10, omittingEmptySubsequences: false).map { whole($0) }.joined(separator: [10])
    do {
        try files.createFolder("/run")
        if !manifest.isEmpty {
            let file = StateFile.encode(manifest, kind: "clickstream-delivery", version: 1)
            try files.replace("/run/delivery", with: file, durably: false)
        }
        try files.replace("/run/00000001.events", with: Array(text), durably: false)
        let lock = try files.lock("/run/lock")
        guard let lock else { return require(false, "no lock") }
        var queue = try EventQueue(
            files,
            run: StoreFolder.Run(number: 1, path: "/run", lock: lock),
            limits: QueueLimits()
        )
        check(queue)
        require(append(Array(#"{"event_type":"tap"}"#.utf8), to: &queue), "not appended")
        check(queue)
        while let range = queue.nextRange {
            let reading: QueueReading
            do throws(FileError) {
                reading = try QueueReading(files, range, maxRawBytes: 200)
            } catch {
                queue.giveUp(range)
                continue
            }
            if !reading.records.isEmpty { _ = queue.begin(reading.range) }
            queue.acknowledge(reading.range)
            check(queue)
        }
        queue.close()
        let (folder, _) = try RunFolder.open(files, path: "/run", lock: nil)
        require(folder.ledger.recorded == folder.ledger.settled, "left over: \(folder.ledger)")
    } catch {
        require(false, "\(error)")
    }
}

/// Apart, since the compiler's inliner crashes on it in the middle of the others.
@inline(never)
private func append(_ json: [UInt8], to queue: inout EventQueue) -> Bool {
    var line = EventLine(json: json[...])
    do {
        try queue.append(&line, isActive: true, timestamp: Timestamp(milliseconds: 1))
        return true
    } catch {
        return false
    }
}

private func check(_ queue: EventQueue) {
    require(queue.pendingEvents >= 0, "\(queue.pendingEvents) are pending")
    require(queue.ledger.recorded == queue.ledger.settled + queue.own.pendingEvents, "does not add up: \(queue.ledger)")
}
