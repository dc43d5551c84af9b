import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Finding with its position in the line.
struct LineFinding: Sendable, Hashable {
    var finding: WireFinding
    /// The column, from 1; `nil` for a finding on the event as a whole.
    var column: Int?
    /// The number of further findings on the line that are not listed.
    var unlisted = 0
}

/// Judges one line of events, independently of the other lines, within the bounds in which the collector judges an event.
enum LineJudge {
    /// The maximum nesting of an event: one level of a request's body is its array of events.
    private static let maxDepth = 127

    /// Returns the findings in a line, in the order event, attributes, items, user, then those of the plan.
    ///
    /// The last finding of an event has the number of those that are not listed, with the values beyond the bounds.
    static func findings(
        on line: LineReader.Line,
        reportsSuggestions: Bool = false,
        plan: PlanJudge? = nil
    ) -> [LineFinding] {
        guard let bytes = line.bytes else { return [tooLong(line)] }
        let event: JSONValue
        let omitted: Int
        do throws(JSONError) {
            (event, omitted) = try JSONReader.parse(bytes[...], maxDepth: maxDepth, within: .event)
        } catch {
            return [notJSON(line, bytes, error)]
        }
        var found = findings(on: event, in: bytes, reportsSuggestions)
        if let last = found.indices.last { found[last].unlisted += omitted }
        return found + (plan.map { findings(on: event, by: $0) } ?? [])
    }

    /// The findings of a tracking plan.
    static func findings(on event: JSONValue, by plan: PlanJudge) -> [LineFinding] {
        let verdict = plan.verdict(on: event)
        var findings = verdict.findings.map { LineFinding(finding: WireFinding($0)) }
        if let last = findings.indices.last { findings[last].unlisted = verdict.unlisted }
        return findings
    }

    /// The findings of the rules of the library and the server.
    private static func findings(
        on event: JSONValue,
        in bytes: [UInt8],
        _ reportsSuggestions: Bool
    ) -> [LineFinding] {
        if event.members != nil, WireJudge.form(of: event) == .complete {
            let verdict = WireJudge.verdict(on: event, receivedAt: nil, reportsSuggestions: reportsSuggestions)
            var findings = verdict.findings.map { LineFinding(finding: $0) }
            if let last = findings.indices.last { findings[last].unlisted = verdict.unlisted }
            return findings
        }
        let (draft, diagnostics, unlisted) = EventInput.read(event)
        let units = WireJudge.judge(event, form: .partial, receivedAt: nil).filter { finding in
            finding.code == ServerRule.timeUnit.code
        }
        let columns = columns(of: diagnostics.map(\.offset), in: bytes)
        var found = findings(in: draft, reportsSuggestions: reportsSuggestions, diagnostics, units) { columns[$0] }
        if let last = found.indices.last { found[last].unlisted += unlisted }
        return found
    }

    /// The column of each offset. One pass over the line, whatever the number of offsets.
    private static func columns(of offsets: [Int], in bytes: [UInt8]) -> [Int: Int] {
        var columns: [Int: Int] = [:]
        var start = 0
        var column = 1
        for offset in offsets.sorted() {
            let position = SourcePosition(of: offset - start, in: bytes[start...])
            column = position.line == 1 ? column + position.column - 1 : position.column
            start = min(offset, bytes.count)
            columns[offset] = column
        }
        return columns
    }

    /// The finding on a line that is too long to be read.
    static func tooLong(_ line: LineReader.Line) -> LineFinding {
        let text = "the line is longer than \(LineReader.longestLine) bytes"
        return LineFinding(finding: finding(LineRule.lineTooLong.code, "line \(line.number)", text), column: 1)
    }

    /// The finding on a line that is not JSON.
    static func notJSON(_ line: LineReader.Line, _ bytes: [UInt8], _ error: JSONError) -> LineFinding {
        let column = SourcePosition(of: error.offset, in: bytes).column
        let text = "not JSON: \(error.reason)"
        return LineFinding(finding: finding(LineRule.notJSON.code, "line \(line.number)", text), column: column)
    }

    private static func finding(_ code: String, _ name: String, _ message: String) -> WireFinding {
        WireFinding(code: code, severity: .error, subject: .event, name: name, message: message)
    }

    /// Applies the library's own rules to an event written by a person, with the mistakes of its form before the
    /// findings of each part, and those on units of time after them.
    private static func findings(
        in draft: EventInput,
        reportsSuggestions: Bool,
        _ diagnostics: [EventInput.Diagnostic],
        _ units: [WireFinding],
        column: (Int) -> Int?
    ) -> [LineFinding] {
        func structuralFindings(_ subject: Violation.Subject) -> [LineFinding] {
            diagnostics.filter { $0.subject == subject }.map { diagnostic in
                let finding = WireFinding(
                    code: diagnostic.code,
                    severity: .error,
                    subject: subject,
                    name: diagnostic.name,
                    message: diagnostic.message
                )
                return LineFinding(finding: finding, column: column(diagnostic.offset))
            }
        }
        func unitFindings(_ subject: Violation.Subject) -> [LineFinding] {
            units.filter { $0.subject == subject }.map { LineFinding(finding: $0) }
        }
        func violations(_ check: (inout [Violation]) -> Void) -> [LineFinding] {
            var violations: [Violation] = []
            check(&violations)
            return violations.map { LineFinding(finding: WireFinding($0)) }
        }
        var findings = structuralFindings(.event)
        findings += violations { checkName(of: draft, reportsSuggestions, into: &$0) }
        findings += structuralFindings(.attribute)
        findings += violations { checkAttributes(of: draft, reportsSuggestions, into: &$0) }
        findings += unitFindings(.attribute)
        findings += structuralFindings(.item)
        findings += violations {
            _ = Validator.checkItems(draft.items, reportsSuggestions: reportsSuggestions, into: &$0)
        }
        findings += structuralFindings(.userAttribute)
        findings += violations { checkUser(of: draft, reportsSuggestions, into: &$0) }
        findings += unitFindings(.userAttribute)
        return findings
    }

    private static func checkName(
        of draft: EventInput,
        _ reportsSuggestions: Bool,
        into violations: inout [Violation]
    ) {
        guard let name = draft.name else { return }
        if let violation = Validator.checkEventName(name) {
            violations.append(violation)
        } else if reportsSuggestions {
            Validator.suggestions(forEventName: name, into: &violations)
        }
        guard name == EventName.screenView else { return }
        if let violation = Validator.checkScreenName(draft.attributes[AttributeName.screenName]) {
            violations.append(violation)
        }
    }

    private static func checkAttributes(
        of draft: EventInput,
        _ reportsSuggestions: Bool,
        into violations: inout [Violation]
    ) {
        var own = draft.attributes
        // The screen's name is not an attribute like the others: it has a rule of its own.
        if draft.name == EventName.screenView { own.remove(AttributeName.screenName) }
        let presets = EventWriter.Presets.least
        _ = Validator.checkAttributes(
            own: own,
            globals: [:],
            presetCount: presets.count,
            isPreset: { presets.contains($0) },
            reportsSuggestions: reportsSuggestions,
            into: &violations
        )
    }

    private static func checkUser(
        of draft: EventInput,
        _ reportsSuggestions: Bool,
        into violations: inout [Violation]
    ) {
        if case .string(let id) = draft.user[AttributeName.userID], let violation = Validator.checkUserID(id) {
            violations.append(violation)
        }
        var user = draft.user
        user.remove(AttributeName.userID)
        _ = Validator.checkUserAttributes(
            user,
            existingNames: [],
            reportsSuggestions: reportsSuggestions,
            into: &violations
        )
    }
}
