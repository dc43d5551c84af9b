import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("CrashReport")
struct CrashReportTests {
    private func report(_ line: String, movesLastActive: Bool = true) -> CrashReport {
        CrashReport(
            id: SeededIDs(seed: 7).next(),
            timestamp: Timestamp(milliseconds: 1_704_067_200_123),
            movesLastActive: movesLastActive,
            line: Array(line.utf8)
        )
    }

    @Test("is decoded as encoded", arguments: ["{}", "{\"a\":\"b\\n\"}", "", "two\nlines\n"])
    func roundTrip(line: String) {
        for moves in [true, false] {
            let report = report(line, movesLastActive: moves)
            #expect(CrashReport(bytes: report.bytes) == report)
        }
    }

    @Test("is rejected with any changed or missing byte")
    func damage() {
        let bytes = report("{\"event_type\":\"_app_exception\"}").bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 4
            #expect(CrashReport(bytes: changed) == nil, "byte \(index)")
            #expect(CrashReport(bytes: Array(bytes[..<index])) == nil, "first \(index)")
        }
    }

    @Test("cuts a message between characters", arguments: [(1_024, 1_024), (1_025, 1_024), (5_000, 1_024)])
    func message(count: Int, kept: Int) {
        for character: Character in ["m", "\u{5B57}", "\u{1F600}"] {
            let cut = CrashReport.cut(message: String(repeating: character, count: count))
            #expect(cut == String(repeating: character, count: kept))
        }
    }

    @Test("cuts a stack at 65535 bytes, between characters")
    func stack() {
        #expect(CrashReport.cut(stack: "main") == "main")
        #expect(CrashReport.cut(stack: String(repeating: "s", count: 65_535)).utf8.count == 65_535)
        #expect(CrashReport.cut(stack: String(repeating: "s", count: 65_536)).utf8.count == 65_535)
        let wide = CrashReport.cut(stack: String(repeating: "\u{5B57}", count: 30_000))
        #expect(wide == String(repeating: "\u{5B57}", count: 21_845))
        let wider = CrashReport.cut(stack: String(repeating: "\u{1F600}", count: 30_000))
        #expect(wider == String(repeating: "\u{1F600}", count: 16_383))
    }
}
