#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB
import Testing

@testable import ClickstreamCollector

@Suite("Stored findings")
struct StoredFindingsTests {
    private func finding(_ code: String = "2001", _ name: String = "a", _ message: String = "m") -> WireFinding {
        WireFinding(code: code, severity: .error, subject: .attribute, name: name, message: message)
    }

    /// An upload of clickstream events with these findings, one event for each list.
    private func upload(_ findings: [[WireFinding]]) -> Upload {
        let events = findings.indices.map { event("\($0)") }
        var upload = UploadDecoder().decode(.post(Array("[\(events.joined(separator: ","))]".utf8)))
        for (index, list) in findings.enumerated() {
            upload.content.events[index].findings = list
            upload.content.events[index].isBad = !list.isEmpty
        }
        return upload
    }

    @Test("have the texts of their own, whatever the finding before them has")
    func texts() async throws {
        var other = finding("etl_future", "a", "m")
        (other.severity, other.subject) = (.warning, .event)
        let findings = [
            [finding(), finding(), finding("2001", "caf\u{e9}", "caf\u{e9}")],
            [finding("2001", "cafe\u{301}", "cafe\u{301}"), finding("2003", "", ""), other], [], [other, finding()],
        ]
        try await withStore { store in
            try await store.append([upload(findings)])
            let stored = try await store.events(EventFilter()).events.map(\.violations)
            #expect(stored == findings.map { $0.map(CollectedViolation.init) })
            // Strings are equal if they are canonically equivalent.
            #expect(
                stored.map { $0.map { Array($0.name.utf8) } } == findings.map { $0.map { Array($0.name.utf8) } }
            )
            #expect(
                stored.map { $0.map { Array($0.message.utf8) } } == findings.map { $0.map { Array($0.message.utf8) } }
            )
        }
    }
}

extension CollectedViolation {
    fileprivate init(_ finding: WireFinding) {
        self.init(
            code: finding.code,
            severity: finding.severity,
            subject: finding.subject.rawValue,
            name: finding.name,
            message: finding.message
        )
    }
}
#endif
