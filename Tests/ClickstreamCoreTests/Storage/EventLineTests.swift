import Testing

@testable import ClickstreamCore

@Suite("Event line")
struct EventLineTests {
    @Test("contains the appended bytes, for any length", arguments: [0, 1, 4_000, 4_095, 4_096, 100_000])
    func grows(length: Int) {
        let bytes = (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        var whole = EventLine(json: bytes[...])
        var pieces = EventLine()
        for byte in bytes { pieces.append(byte) }
        #expect(whole.json == bytes)
        #expect(pieces.json == bytes)
        #expect(whole.count == length)
        let timestamp = Timestamp(milliseconds: 1)
        let first = whole.withRecord(sequence: 7, isActive: true, timestamp: timestamp) { [UInt8]($0) }
        let second = pieces.withRecord(sequence: 7, isActive: true, timestamp: timestamp) { [UInt8]($0) }
        #expect(first == second)
        #expect(first.last == UInt8(ascii: "\n"))
        #expect(Array(first.suffix(length + 1).dropLast()) == bytes)
    }

    @Test("is reused for the next event, shorter or longer, and for another record of the same one")
    func isUsedAgain() {
        var line = EventLine(json: Array("{\"a\":\"a long one\"}".utf8)[...])
        let timestamp = Timestamp(milliseconds: 1)
        let first = line.withRecord(sequence: 123, isActive: true, timestamp: timestamp) { [UInt8]($0) }
        _ = line.withRecord(sequence: 4, isActive: false, timestamp: timestamp) { $0.count }
        #expect(line.withRecord(sequence: 123, isActive: true, timestamp: timestamp) { [UInt8]($0) } == first)
        line.removeAll()
        JSONWriter.append("b", to: &line)
        #expect(line.json == Array("\"b\"".utf8))
    }
}
