import FuzzInput
import HTTPReply

@testable import ClickstreamCore

/// What the disk and the network may hold, damaged in any way: each reader ends with a value or an error.
@c(LLVMFuzzerTestOneInput)
public func fuzzStored(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    var input = FuzzInput(UnsafeRawBufferPointer(start: start, count: count))
    switch input.byte() % 7 {
    case 0: readRecord(input.rest())
    case 1: readStateFile(Array(input.rest()))
    case 2: readState(Array(input.rest()))
    case 3: readCrash(Array(input.rest()))
    case 4: inflate(input.rest())
    case 5: readUpload(&input)
    default: readReply(&input)
    }
    return 0
}

/// A record as it was damaged, and the same with the checksum that it asks for.
private func readRecord(_ line: UnsafeRawBufferPointer) {
    check(line)
    guard line.count > 9 else { return }
    var whole = Array(line)
    let checksum = String(Checksum.crc32c(UnsafeRawBufferPointer(rebasing: line[9...])), radix: 16)
    whole.replaceSubrange(0..<9, with: Array((String(repeating: "0", count: 8 - checksum.count) + checksum + " ").utf8))
    whole.withUnsafeBytes(check)
}

private func check(_ line: UnsafeRawBufferPointer) {
    guard let record = EventRecord(line: 0..<line.count, of: line) else { return }
    require(record.sequence > 0, "a sequence number of \(record.sequence)")
    require(record.json.upperBound == line.count && record.json.lowerBound <= line.count, "JSON at \(record.json)")
}

private func readStateFile(_ file: [UInt8]) {
    if let (version, body) = StateFile.decode(file, kind: "clickstream-state") {
        require(StateFile.encode(Array(body), kind: "clickstream-state", version: version) == file, "another file")
    }
    let whole = StateFile.encode(file, kind: "clickstream-state", version: 1)
    let decoded = StateFile.decode(whole, kind: "clickstream-state")
    require(decoded?.version == 1 && decoded.map { Array($0.body) } == file, "does not read back equal")
}

private func readState(_ json: [UInt8]) {
    guard let state = StoredState(json: json) else { return }
    let again = StoredState(json: state.json)
    require(again?.json == state.json, "does not read back equal: \(state)")
    var line: [UInt8] = []
    state.users.current.write(attributes: true, into: &line)
    do {
        try line.withUnsafeBytes { try JSONReader.check($0) }
    } catch {
        require(false, "\(error): \(String(decoding: line, as: UTF8.self))")
    }
}

private func readCrash(_ bytes: [UInt8]) {
    if let report = CrashReport(bytes: bytes) {
        require(CrashReport(bytes: report.bytes) == report, "does not read back equal")
    }
}

private func inflate(_ bytes: UnsafeRawBufferPointer) {
    let limit = 100_000
    do {
        require(try Gzip.inflate(bytes, limit: limit).count <= limit, "more than the limit")
    } catch {}
    let plain = Array(bytes)
    do {
        require(try Gzip.inflate(Gzip.deflate(plain), limit: plain.count) == plain, "does not come back")
    } catch {
        require(false, "\(error)")
    }
}

private func readUpload(_ input: inout FuzzInput) {
    let target = input.text()
    let body = Array(input.rest())
    for body in [body, Array(Base64.encode(Gzip.deflate(body)))] {
        let upload = ReceivedUpload(target: target, body: body, inflationLimit: 100_000)
        guard case .events(let events) = upload.content else { continue }
        for line in events.lines {
            do {
                try line.withUnsafeBytes { try JSONReader.check($0) }
            } catch {
                require(false, "\(error)")
            }
        }
    }
}

/// In one piece and in many: the same reply.
private func readReply(_ input: inout FuzzInput) {
    let size = max(1, Int(input.byte()))
    let bytes = Array(input.rest())
    var whole = HTTPReply()
    var pieces = HTTPReply()
    let progress = whole.receive(bytes)
    var last = HTTPReply.Progress.incomplete
    var position = 0
    while position < bytes.count, last == .incomplete {
        last = pieces.receive(bytes[position..<min(bytes.count, position + size)])
        position += size
    }
    require(last == progress, "in pieces \(last), in one \(progress)")
    require(whole.close() == pieces.close(), "the end differs")
    if case .complete(let response) = progress {
        require(response.body.count <= UploadResponse.bodyLimit, "the body is long")
    }
}
