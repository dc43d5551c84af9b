import ClickstreamCore
import ClickstreamJudges
import Testing

/// Change of a valid event's text, and the codes of the findings.
struct EventChange: Sendable, CustomTestStringConvertible {
    var event: String
    var old: String
    var new: String
    /// Without the name of the format.
    var codes: [String]

    init(_ event: String, _ old: String, _ new: String, _ codes: String...) {
        (self.event, self.old, self.new, self.codes) = (event, old, new, codes)
    }

    var testDescription: String { "\(old) → \(new.prefix(80)): \(codes)" }

    /// Judges the changed event.
    func check(_ form: CapturedFormat) throws {
        #expect(event.ranges(of: old).count == 1, "the table is wrong")
        let verdict = try CapturedJudge.verdict(form, event.replacing(old, with: new))
        #expect(verdict.findings.map(\.code) == codes.map { "\(form.rawValue)_\($0)" }, "\(verdict.findings)")
        #expect(verdict.isBad == verdict.findings.contains { $0.severity == .error })
        for finding in verdict.findings { #expect(CapturedRule.find(finding.code)?.form == form) }
    }
}

extension CapturedJudge {
    /// Time of arrival of the events in the tables.
    static let now = Timestamp(milliseconds: 1_722_348_526_000)
    /// Age in milliseconds from which an event is stale.
    static let freshness: Int64 = 72 * 3_600_000

    /// Judges one event that arrives ``now``.
    static func verdict(_ form: CapturedFormat, _ event: String) throws -> Verdict {
        var judge = CapturedJudge(form, receivedAt: now)
        let parsed = try Array(event.utf8).withUnsafeBytes { try JSONReader.parse($0, within: bounds) }
        return judge.judge(parsed.value, omitted: parsed.omitted)
    }
}
