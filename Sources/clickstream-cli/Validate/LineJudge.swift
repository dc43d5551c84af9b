#if Tools
import ClickstreamCore
import ClickstreamTools

/// A finding with its place in the line.
struct LineFinding: Sendable, Hashable {
    var finding: WireFinding
    /// From 1; nil for a finding on the event as a whole.
    var column: Int?
    /// Number of further findings on the line that are not listed.
    var unlisted = 0
}

/// Judges one line of events: pure, and the same for every line whatever stood before it.
enum LineJudge {
    /// Findings in a line, in the order event, attributes, items, user.
    ///
    /// The last finding of an event in wire form has the number of those that are not listed.
    static func findings(
        on line: LineReader.Line,
        reportsSuggestions: Bool = false
    ) -> [LineFinding] {
        guard let bytes = line.bytes else {
            let text = "the line is longer than \(LineReader.longestLine) bytes"
            return [LineFinding(finding: finding(LineRule.lineTooLong.code, "line \(line.number)", text), column: 1)]
        }
        let event: JSONValue
        do {
            event = try JSONReader.parse(bytes)
        } catch {
            let column = SourcePosition(of: error.offset, in: bytes).column
            let text = "not JSON: \(error.reason)"
            return [LineFinding(finding: finding(LineRule.notJSON.code, "line \(line.number)", text), column: column)]
        }
        if event.members != nil, WireJudge.form(of: event) == .complete {
            let verdict = WireJudge.verdict(on: event, receivedAt: nil, reportsSuggestions: reportsSuggestions)
            var findings = verdict.findings.map { LineFinding(finding: $0) }
            if let last = findings.indices.last { findings[last].unlisted = verdict.unlisted }
            return findings
        }
        let (draft, mistakes) = EventDraft.read(event)
        return findings(in: draft, reportsSuggestions: reportsSuggestions, mistakes) { offset in
            SourcePosition(of: offset, in: bytes).column
        }
    }

    private static func finding(_ code: String, _ name: String, _ message: String) -> WireFinding {
        WireFinding(code: code, severity: .error, subject: .event, name: name, message: message)
    }

    /// Asks the library's own rules about an event that was written by a person.
    private static func findings(
        in draft: EventDraft,
        reportsSuggestions: Bool,
        _ mistakes: [EventDraft.Mistake],
        column: (Int) -> Int
    ) -> [LineFinding] {
        var findings: [LineFinding] = []
        func tell(_ subject: Violation.Subject) {
            for mistake in mistakes where mistake.subject == subject {
                let finding = WireFinding(
                    code: mistake.code,
                    severity: .error,
                    subject: subject,
                    name: mistake.name,
                    message: mistake.message
                )
                findings.append(LineFinding(finding: finding, column: column(mistake.offset)))
            }
        }
        func ask(_ check: (inout [Violation]) -> Void) {
            var violations: [Violation] = []
            check(&violations)
            findings += violations.map { LineFinding(finding: WireFinding($0)) }
        }
        tell(.event)
        var own = draft.attributes
        if let name = draft.name {
            ask { violations in
                if let violation = Validator.checkEventName(name) {
                    violations.append(violation)
                } else if reportsSuggestions {
                    Validator.suggestions(forEventName: name, into: &violations)
                }
                guard name == EventName.screenView else { return }
                if let violation = Validator.checkScreenName(own[AttributeName.screenName]) {
                    violations.append(violation)
                }
                // The screen's name is not an attribute like the others: it has a rule of its own.
                own.remove(AttributeName.screenName)
            }
        }
        tell(.attribute)
        ask { violations in
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
        tell(.item)
        ask { _ = Validator.checkItems(draft.items, reportsSuggestions: reportsSuggestions, into: &$0) }
        tell(.userAttribute)
        ask { violations in
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
        return findings
    }
}
#endif
