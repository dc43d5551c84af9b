#if Tools
import ClickstreamCore
import ClickstreamTools

/// Expected and received events, for output.
struct ExpectationReport: Sendable {
    let expectations: Expectations
    /// Time waited, in milliseconds.
    let waited: Int64

    private static let shown = 5

    var holds: Bool { expectations.verdict == .holds }
    var failures: Int {
        expectations.outcomes.count { !$0.holds } + (expectations.hasErrors ? 1 : 0)
            + (expectations.hasDuplicates ? 1 : 0)
    }

    /// The number of conditions that were checked.
    var checks: Int {
        expectations.outcomes.count + (expectations.allowsErrors ? 0 : 1) + (expectations.allowsDuplicates ? 0 : 1)
    }

    /// `1 of 3 expectations failed`
    var failure: String { "\(failures) of \(Plural.count(checks, "expectation")) failed" }

    /// A line for each condition; below a failed one, the nearest received values.
    func human(in style: Style) -> [String] {
        var lines: [String] = []
        func add(_ holds: Bool, _ text: String, _ notes: [String] = []) {
            lines.append("\(holds ? style.good("ok    ") : style.warning("FAILED"))  \(text)")
            if !holds { lines += notes.map { "          " + Console.escaped($0) } }
        }
        for outcome in expectations.outcomes {
            add(
                outcome.holds,
                "\(outcome.expectation.description): expected \(outcome.expectation.count.description), received \(outcome.came)",
                notes(on: outcome)
            )
        }
        if !expectations.allowsErrors {
            add(
                !expectations.hasErrors,
                "no errors: \(Plural.events(expectations.badEvents, "invalid")), "
                    + Plural.count(expectations.unreadableRequests, "unreadable request"),
                expectations.errors.sorted.prefix(Self.shown).map { "\($0.text)\(Self.times($0.count))" }
            )
        }
        if !expectations.allowsDuplicates {
            add(
                !expectations.hasDuplicates,
                "no duplicates: \(Plural.count(expectations.duplicates, "duplicate")) received"
            )
        }
        return lines
    }

    /// Values nearest to a condition that did not hold.
    private func notes(on outcome: Expectations.Outcome) -> [String] {
        var notes = outcome.otherValues.sorted.prefix(Self.shown).map {
            "\(outcome.expectation.fullName) received with \($0.text)\(Self.times($0.count))"
        }
        guard notes.isEmpty, outcome.came == 0 else { return notes }
        let names = expectations.names
        if names.counts.isEmpty {
            return ["no events received; check that the app sends to this collector, and flushes"]
        }
        if let similar = similar(to: outcome) {
            notes.append("did you mean '\(similar)' (\(names.counts[similar] ?? 0) received)?")
        }
        let most = names.sorted.prefix(Self.shown).map { "\($0.text) \($0.count)" }.joined(separator: ", ")
        notes.append("received: \(most)" + (names.counts.count > Self.shown ? ", and other names" : ""))
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
                .number("at_least", count.least),
                count.most.map { .number("at_most", $0) } ?? .text("at_most", nil),
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
                .object([
                    JSONMember("ok", .boolean(holds)), .number("waited_ms", waited),
                    .number("events", expectations.events),
                    .number("bad_events", expectations.badEvents),
                    .number("unreadable_requests", expectations.unreadableRequests),
                    .number("duplicates", expectations.duplicates), JSONMember("expectations", .array(outcomes)),
                    JSONMember("no_errors", errorCheck), JSONMember("no_duplicates", duplicateCheck),
                ])
            ).description
        )
    }
}
#endif
