import FuzzInput

@testable import ClickstreamCore

/// The small files of a store, damaged in any way: each reader ends with a value or an error.
@c(LLVMFuzzerTestOneInput)
public func fuzzState(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    var input = FuzzInput(UnsafeRawBufferPointer(start: start, count: count))
    switch input.byte() % 5 {
    case 0: readStateFile(Array(input.rest()))
    case 1: readState(Array(input.rest()))
    case 2: readLetter(Array(input.rest()))
    case 3: readCrash(Array(input.rest()))
    default: readUsers(Array(input.rest()))
    }
    return 0
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
    for var session in state.sessions {
        session.settle(lastActive: nil, nextSequence: 3)
    }
    var line: [UInt8] = []
    state.users.current.write(attributes: true, into: &line)
    do {
        try line.withUnsafeBytes { try JSONReader.check($0) }
    } catch {
        require(false, "\(error): \(String(decoding: line, as: UTF8.self))")
    }
}

private func readUsers(_ lines: [UInt8]) {
    var users: [UserID: User] = [:]
    let count = UserLog.read(lines, into: &users)
    require(users.count <= count, "\(users.count) users in \(count) lines")
}

private func readLetter(_ line: [UInt8]) {
    guard let letter = DeadLetter(line: line) else { return }
    require(DeadLetter(line: letter.line) == letter, "does not read back equal: \(letter)")
    _ = (letter.eventID, letter.eventName, letter.timestamp)
}

private func readCrash(_ bytes: [UInt8]) {
    if let report = CrashReport(bytes: bytes) {
        require(CrashReport(bytes: report.bytes) == report, "does not read back equal")
    }
}
