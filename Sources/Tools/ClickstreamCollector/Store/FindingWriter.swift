#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Writes rows of a table of findings.
///
/// Successive findings mostly have the same texts: a text stays bound until a different one follows, so that it is copied
/// once. One value at a time may use a table of a connection.
struct FindingWriter {
    private let row: RowWriter
    /// Finding whose values are bound.
    private var bound: WireFinding?

    init(_ database: Database, into table: String = "findings") throws {
        row = try RowWriter(
            database,
            "INSERT INTO \(table) (event, position, code, severity, subject, name, message) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
    }

    /// Inserts the findings of an event.
    /// - Parameter event: the sequence number of the event.
    mutating func insert(_ findings: [WireFinding], of event: Int64) throws {
        for (position, finding) in findings.enumerated() {
            row.bind(event, at: 1)
            row.bind(Int64(position), at: 2)
            bind(finding)
            try row.run()
        }
    }

    private mutating func bind(_ finding: WireFinding) {
        bind(finding.code, bound?.code, at: 3)
        if finding.severity != bound?.severity { row.bind(finding.severity.rawValue, at: 4) }
        if finding.subject != bound?.subject { row.bind(finding.subject.rawValue, at: 5) }
        bind(finding.name, bound?.name, at: 6)
        bind(finding.message, bound?.message, at: 7)
        bound = finding
    }

    private func bind(_ text: String, _ bound: String?, at index: Int32) {
        // By scalars: canonically equivalent texts are different.
        if let bound, Characters.areSame(text, bound) { return }
        row.bind(text, at: index)
    }
}
#endif
