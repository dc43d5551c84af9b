import Testing

@testable import ClickstreamCore

@Suite("Event records")
struct EventRecordTests {
    private static func line(_ json: String, _ sequence: Int, _ isActive: Bool, _ milliseconds: Int64) -> [UInt8] {
        var line = EventLine(json: Array(json.utf8)[...])
        let timestamp = Timestamp(milliseconds: milliseconds)
        return line.withRecord(sequence: sequence, isActive: isActive, timestamp: timestamp) { [UInt8]($0) }
    }

    @Test("are human-readable lines")
    func text() {
        let line = Self.line(#"{"event_type":"a"}"#, 17, true, 1_693_920_000_703)
        #expect(String(decoding: line, as: UTF8.self) == "b5b0a0e3 17 F1693920000703 {\"event_type\":\"a\"}\n")
    }

    @Test(
        "are decoded as encoded",
        arguments: [
            (1, true, 0), (17, false, 1_693_920_000_703), (.max, true, .max), (2, false, -5), (3, true, -.max),
        ] as [(Int, Bool, Int64)]
    )
    func roundTrip(sequence: Int, isActive: Bool, milliseconds: Int64) throws {
        for json in ["", "{}", #"{"a":"b c  d"}"#] {
            let line = Self.line(json, sequence, isActive, milliseconds)
            let record = line.withUnsafeBytes { EventRecord(line: 0..<line.count - 1, of: $0) }
            #expect(
                record
                    == EventRecord(
                        sequence: sequence,
                        isActive: isActive,
                        timestamp: Timestamp(milliseconds: milliseconds),
                        json: line.count - 1 - json.utf8.count..<line.count - 1
                    )
            )
        }
    }

    @Test("are rejected with any wrong bit, and with any truncation")
    func damage() {
        let line = Self.line(#"{"event_type":"add_to_cart"}"#, 17, true, 1_693_920_000_703).dropLast()
        for index in line.indices {
            for bit in 0..<8 {
                var damaged = Array(line)
                damaged[index] ^= 1 << bit
                let record = damaged.withUnsafeBytes { EventRecord(line: 0..<damaged.count, of: $0) }
                #expect(record == nil, "byte \(index), bit \(bit)")
            }
            let cut = Array(line[..<index])
            #expect(cut.withUnsafeBytes { EventRecord(line: 0..<cut.count, of: $0) } == nil, "cut to \(index)")
        }
    }

    @Test(
        "are rejected if the checksum is right and the fields are not",
        arguments: [
            "", "1", "1 F", "1 F ", "x F1 {}", "0 F1 {}", "-1 F1 {}", "1 X1 {}", "1 F {}", "99999999999999999999 F1 {}",
        ]
    )
    func nonsense(rest: String) {
        let checksum = Checksum.crc32c(Array(rest.utf8))
        let digits = String(checksum, radix: 16)
        let line = Array((String(repeating: "0", count: 8 - digits.count) + digits + " " + rest).utf8)
        #expect(line.withUnsafeBytes { EventRecord(line: 0..<line.count, of: $0) } == nil)
    }
}
