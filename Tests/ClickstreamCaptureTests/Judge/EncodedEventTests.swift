import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import FormatFixtures
import Testing

/// Output of the real encoders, checked as the collector does.
@Suite("CapturedJudge on encoded events")
struct EncodedEventTests {
    @Test("has no error on the events of random sessions, which the seed determines")
    func random() throws {
        var counts: [String: Int] = [:]
        for number in 1...400 {
            let events = CapturePlayer.play(RandomCapture.script(number: UInt64(number))).events
            for fixture in FormatFixture.all {
                let encode = fixture.recording.encoder()
                let expected = Set(fixture.recording.findings.map { "\(fixture.name)_\($0)" })
                for (index, event) in events.enumerated() {
                    guard let json = encode(event) else { continue }
                    var judge = CapturedJudge(fixture.format, receivedAt: nil)
                    let verdict = try judge.verdictWithoutTimes(json)
                    counts[verdict.name, default: 0] += 1
                    let findings = verdict.findings.filter { !expected.contains($0.code) }
                    let text = String(decoding: json, as: UTF8.self)
                    #expect(findings == [] && !verdict.isBad, "event \(index) of script \(number): \(text)")
                }
            }
        }
        for name in FormatFixture.all.flatMap(\.recording.names) { #expect(counts[name, default: 0] > 20, "\(name)") }
    }
}

extension CapturedJudge {
    /// The findings without those on times: the clock of these tests starts in 1970.
    mutating func verdictWithoutTimes(_ json: [UInt8]) throws -> Verdict {
        var verdict = judge(try JSONReader.parse(json))
        verdict.findings.removeAll { $0.code.hasSuffix("_time_unit") }
        verdict.isBad = verdict.findings.contains { $0.severity == .error }
        return verdict
    }
}
