import ClickstreamCollector
import ClickstreamJudges

/// Counts of a collector's events in all formats.
struct CollectSummary: Sendable {
    let clickstream: CollectorSummary
    /// Forms with at least one request, in the order of their names.
    let captured: [(form: CapturedFormat, counts: CapturedCounts)]
    /// Outcome of `--require-coverage`; `nil` without it.
    var coverage: CoverageExpectation?
    /// Numbers of `--import`; `nil` without it.
    var imported: ImportCounts?

    /// The number of events of all formats, duplicates included.
    var received: Int {
        captured.reduce(clickstream.events + clickstream.duplicates) { $0 + $1.counts.events + $1.counts.duplicates }
    }

    var duplicates: Int { captured.reduce(clickstream.duplicates) { $0 + $1.counts.duplicates } }
    var badRequests: Int { captured.reduce(clickstream.badRequests) { $0 + $1.counts.badRequests } }

    /// A line for each format.
    var lines: [String] {
        let main =
            "\(Plural.events(clickstream.events)) (\(clickstream.goodEvents) good, \(clickstream.badEvents) bad), "
            + "\(Plural.count(clickstream.duplicates, "duplicate")), \(Plural.count(clickstream.requests, "request")) "
            + "(\(clickstream.badRequests) unreadable), \(Plural.count(clickstream.sessions, "session")), "
            + Plural.count(clickstream.users, "user")
        return [main]
            + captured.map { form, counts in
                "\(form.rawValue): \(Plural.events(counts.events)) (\(counts.events - counts.badEvents) good, "
                    + "\(counts.badEvents) bad), \(Plural.count(counts.duplicates, "duplicate")), "
                    + "\(Plural.count(counts.requests, "request")) (\(counts.badRequests) unreadable)"
            }
    }
}

extension CollectSummary: Encodable {
    private enum CodingKeys: String, CodingKey {
        case captured
        case audit
        case coverage = "plan_coverage"
        case imported
    }

    /// The members of the collector's summary, `captured` by format if there are captured requests, `audit` if there
    /// are requests with audit events, `plan_coverage` if it is an expectation, and `imported` after an import.
    func encode(to encoder: any Encoder) throws {
        try clickstream.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(imported, forKey: .imported)
        try members.encodeIfPresent(captured.first { $0.form == .audit }?.counts, forKey: .audit)
        try members.encodeIfPresent(coverage, forKey: .coverage)
        let forms = captured.filter { CapturedFormat.ofCapture.contains($0.form) }
        guard !forms.isEmpty else { return }
        try members.encode(
            Dictionary(uniqueKeysWithValues: forms.map { ($0.form.rawValue, $0.counts) }),
            forKey: .captured
        )
    }
}
