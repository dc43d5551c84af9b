import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Expected and received events, for output.
struct ExpectationReport: Sendable {
    let expectations: Expectations
    /// Time waited, in milliseconds.
    let waited: Int64
    /// False if some events were not checked before the end of a stop.
    var isComplete = true
    /// Explanation that no event was received, or that none matches a filter.
    var noMatch = "no events received; check that the app sends to this collector, and flushes"

    private static let shown = 5

    var holds: Bool { status == .done }

    /// An exceeded limit is final, and so is a share of all events, whatever was not checked.
    var status: ExitStatus {
        switch expectations.verdict {
        case .broken: .findings
        case .missing: isComplete || expectations.isCertainlyUncovered ? .findings : .unfinished
        case .holds: isComplete ? .done : .unfinished
        }
    }

    var failures: Int {
        let isFailed = [
            expectations.hasErrors, expectations.hasDuplicates, expectations.breaksPlan, !expectations.isCovered,
        ]
        return expectations.outcomes.count { !$0.holds } + isFailed.count { $0 }
    }

    /// The number of conditions that were checked.
    var checks: Int {
        let isChecked = [
            !expectations.allowsErrors, !expectations.allowsDuplicates, expectations.expectsPlan,
            expectations.coverage != nil,
        ]
        return expectations.outcomes.count + isChecked.count { $0 }
    }

    /// `1 of 3 expectations failed`
    var failure: String { "\(failures) of \(Plural.count(checks, "expectation")) failed" }

    /// A condition that was checked.
    private struct Condition {
        var code: String
        var holds: Bool
        var text: String
        /// Details of a condition that does not hold.
        var notes: [String] = []
    }

    private var conditions: [Condition] {
        var conditions = expectations.outcomes.map { outcome in
            let expected = outcome.expectation
            return Condition(
                code: "expectation",
                holds: outcome.holds,
                text: "\(expected.description): expected \(expected.count.description), received \(outcome.came)",
                notes: outcome.holds ? [] : notes(on: outcome)
            )
        }
        if !expectations.allowsErrors {
            let text =
                "no errors: \(Plural.events(expectations.badEvents, "invalid")), "
                + Plural.count(expectations.unreadableRequests, "unreadable request")
            let notes = expectations.errors.sorted.prefix(Self.shown).map { "\($0.text)\(Self.times($0.count))" }
            conditions.append(
                Condition(code: "no_errors", holds: !expectations.hasErrors, text: text, notes: Array(notes))
            )
        }
        if !expectations.allowsDuplicates {
            let text = "no duplicates: \(Plural.count(expectations.duplicates, "duplicate")) received"
            conditions.append(Condition(code: "no_duplicates", holds: !expectations.hasDuplicates, text: text))
        }
        if expectations.expectsPlan {
            let text = "plan: \(Plural.events(expectations.eventsAgainstPlan)) not as planned"
            let notes = expectations.planFindings(areErrors: true).prefix(Self.shown).map {
                "\($0.entry.text)\(Self.times($0.count))"
            }
            conditions.append(
                Condition(code: "plan", holds: !expectations.breaksPlan, text: text, notes: Array(notes))
            )
        }
        if let coverage = expectations.coverage {
            let notes = coverage.isUndecided ? [] : [PlanCoverage.Share.missing(coverage.neverSeen)]
            conditions.append(
                Condition(code: "plan_coverage", holds: coverage.holds, text: coverage.text, notes: notes)
            )
        }
        return conditions
    }

    /// A line for each condition; below a failed one, the nearest received values.
    func human(in style: Style) -> [String] {
        var lines: [String] = []
        for condition in conditions {
            lines.append("\(condition.holds ? style.good("ok    ") : style.warning("FAILED"))  \(condition.text)")
            if !condition.holds { lines += condition.notes.map { "          " + Console.escaped($0) } }
        }
        for warning in expectations.planFindings(areErrors: false).prefix(Self.shown) {
            let text = "warning: \(warning.entry.text)\(Self.times(warning.count))"
            lines.append("          " + Console.escaped(text))
        }
        return lines
    }

    /// The failed conditions, and the findings of the plan, for other programs.
    var machineReport: MachineReport {
        var report = MachineReport(command: "assert")
        for condition in conditions {
            if condition.holds {
                report.passed.append(condition.text)
            } else if condition.code == "plan" {
                for found in expectations.planFindings(areErrors: true) { report.add(finding(found, condition.text)) }
            } else {
                let message = Console.harmless(([condition.text] + condition.notes).joined(separator: "; "))
                report.add(
                    MachineReport.Finding(
                        code: condition.code,
                        isError: true,
                        message: message,
                        test: Console.harmless(condition.text)
                    )
                )
            }
        }
        return report
    }

    private func finding(_ found: (entry: Expectations.PlanEntry, count: Int), _ test: String) -> MachineReport.Finding
    {
        MachineReport.Finding(
            code: found.entry.code.rawValue,
            isError: found.entry.isError,
            message: Console.harmless("\(found.entry.event): \(found.entry.message)\(Self.times(found.count))"),
            test: test
        )
    }

    /// Values nearest to a condition that did not hold.
    private func notes(on outcome: Expectations.Outcome) -> [String] {
        var notes = outcome.otherValues.sorted.prefix(Self.shown).map {
            "\(outcome.expectation.fullName) received with \($0.text)\(Self.times($0.count))"
        }
        guard notes.isEmpty, outcome.came == 0 else { return notes }
        if expectations.events == 0 { return [noMatch] }
        let names = expectations.names
        // The collector has stopped before the names were read.
        if names.counts.isEmpty { return [] }
        if let similar = similar(to: outcome) {
            notes.append("did you mean '\(similar)' (\(names.counts[similar] ?? 0) received)?")
        }
        let frequent = names.sorted.prefix(Self.shown).map { "\($0.text) \($0.count)" }.joined(separator: ", ")
        notes.append("received: \(frequent)" + (names.counts.count > Self.shown ? ", and other names" : ""))
        return notes
    }

    private func similar(to outcome: Expectations.Outcome) -> String? {
        guard outcome.came == 0, expectations.names.counts[outcome.expectation.fullName] == nil else { return nil }
        return Suggestion.nearest(to: outcome.expectation.fullName, among: expectations.names.sorted.map(\.text))
    }

    private static func times(_ count: Int) -> String {
        count == 1 ? "" : " (\(count) times)"
    }

    /// Result of `--no-errors`; null without it.
    private var errorCheck: JSONValue.Kind {
        guard !expectations.allowsErrors else { return .null }
        let found = expectations.errors.sorted.prefix(Self.shown).map {
            JSONValue(.object([.text("found", $0.text), .number("count", $0.count)]))
        }
        return .object([
            JSONMember("ok", .boolean(!expectations.hasErrors)), .number("bad_events", expectations.badEvents),
            .number("unreadable_requests", expectations.unreadableRequests), JSONMember("found", .array(found)),
            .number("unlisted_violations", expectations.unlistedViolations),
        ])
    }

    /// Result of `--no-duplicates`; null without it.
    private var duplicateCheck: JSONValue.Kind {
        guard !expectations.allowsDuplicates else { return .null }
        return .object([
            JSONMember("ok", .boolean(!expectations.hasDuplicates)), .number("duplicates", expectations.duplicates),
        ])
    }

    /// The member `plan`; none without `--plan`.
    private var planCheck: [JSONMember] {
        guard expectations.expectsPlan else { return [] }
        func list(areErrors: Bool) -> JSONValue.Kind {
            .array(
                expectations.planFindings(areErrors: areErrors).prefix(Self.shown).map { found in
                    JSONValue(
                        .object([
                            .text("code", found.entry.code.rawValue), .text("event", found.entry.event),
                            .text("message", found.entry.message), .number("count", found.count),
                        ])
                    )
                }
            )
        }
        var members: [JSONMember] = [
            JSONMember("ok", .boolean(!expectations.breaksPlan)),
            .number("events", expectations.eventsAgainstPlan), JSONMember("found", list(areErrors: true)),
            JSONMember("warnings", list(areErrors: false)),
        ]
        if let coverage = expectations.coverage { members.append(.object("coverage", coverage.members)) }
        return [JSONMember("plan", .object(members))]
    }

    /// One JSON object: `ok`, `waited_ms`, `events`, `bad_events`, `unreadable_requests`, `duplicates`, `expectations`.
    var json: String {
        let outcomes = expectations.outcomes.map { outcome in
            let count = outcome.expectation.count
            var members: [JSONMember] = [
                .text("event", outcome.expectation.name),
                JSONMember(
                    "where",
                    .array(outcome.expectation.conditions.map { JSONValue(.string($0.description)) })
                ),
                .number("at_least", count.minimum),
                count.maximum.map { .number("at_most", $0) } ?? .text("at_most", nil),
                .number("came", outcome.came), JSONMember("ok", .boolean(outcome.holds)),
            ]
            if outcome.expectation.form != .clickstream {
                members.insert(.text("form", outcome.expectation.form.rawValue), at: 1)
            }
            if !outcome.holds {
                members.append(
                    JSONMember(
                        "other_values",
                        .array(
                            outcome.otherValues.sorted.prefix(Self.shown).map {
                                JSONValue(.object([.text("found", $0.text), .number("count", $0.count)]))
                            }
                        )
                    )
                )
                members.append(.text("similar", similar(to: outcome)))
            }
            return JSONValue(.object(members))
        }
        return Console.escaped(
            JSONValue(
                .object(
                    [
                        JSONMember("ok", .boolean(holds)), .number("waited_ms", waited),
                        .number("events", expectations.events),
                        .number("bad_events", expectations.badEvents),
                        .number("unreadable_requests", expectations.unreadableRequests),
                        .number("duplicates", expectations.duplicates), JSONMember("expectations", .array(outcomes)),
                        JSONMember("no_errors", errorCheck), JSONMember("no_duplicates", duplicateCheck),
                    ] + planCheck
                )
            ).description
        )
    }
}
