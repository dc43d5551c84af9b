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
            [finding("2001", "a", "m\u{0}"), finding(), finding(), finding("2001", "caf\u{e9}", "caf\u{e9}")],
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

    @Test(
        "that are the same are in memory once for successive events of a body",
        arguments: [nil, CapturedFormat.pulse]
    )
    func shared(form: CapturedFormat?) {
        let content = UploadDecoder().decode(.post(Array("[1,1,1,{},{}]".utf8), form)).content
        let lists = form == nil ? content.events.map(\.findings) : content.captured.map(\.findings)
        let addresses = lists.map { list in list.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        #expect(lists.allSatisfy { !$0.isEmpty })
        #expect(Set(addresses[..<3]).count == 1)
        #expect(Set(addresses[3...]).count == 1)
        #expect(addresses[0] != addresses[3])
    }

    /// Calls `body` with a store and returns its result with the statements that contain a text.
    private func statements<Value: Sendable>(
        with text: String,
        in store: Store,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> (Value, Int) {
        try await store.read { database in
            var count = 0
            database.trace { event in if "\(event)".contains(text) { count += 1 } }
            defer { database.trace(options: []) }
            return (try body(database), count)
        }
    }

    @Test(
        "of a page are read by one statement, and by another one only past those of other events",
        arguments: [
            (EventFilter(limit: 1_000), false, 1), (EventFilter(limit: 1_000), true, 1),
            (EventFilter(status: .bad, limit: 1_000), false, 1), (EventFilter(status: .good, limit: 1_000), false, 10),
            (EventFilter(code: "2003", limit: 1_000), false, 10), (EventFilter(code: "2003", limit: 1_000), true, 10),
        ]
    )
    func statementCount(_ filter: EventFilter, _ newestFirst: Bool, _ expected: Int) async throws {
        // Ten groups: an event with two findings, one with another code, and one without findings.
        let group = [[finding("2001", "a"), finding("2001", "b")], [finding("2003")], []]
        let findings = (0..<10).flatMap { _ in group }
        try await withStore { store in
            try await store.append([upload(findings)])
            let texts = store.texts
            let (page, count) = try await statements(with: "FROM findings WHERE", in: store) { database in
                try Store.events(
                    filter,
                    limit: filter.limit,
                    bytes: .max,
                    newestFirst: newestFirst,
                    texts,
                    in: database
                )
            }
            let selected = findings.filter { list in
                filter.code.map { code in list.contains { $0.code == code } } ?? true
                    && filter.status.map { ($0 == .bad) != list.isEmpty } ?? true
            }
            let expectedViolations = selected.map { $0.map(CollectedViolation.init) }
            #expect(page.events.map(\.violations) == (newestFirst ? expectedViolations.reversed() : expectedViolations))
            #expect(count == expected)
        }
    }

    @Test("of captured events are read with the header of their batch, once for a page")
    func header() async throws {
        try await withStore { store in
            for number in 0..<2 {
                let body = Array(batch((0..<20).map { swipe(20 * number + $0) }).utf8)
                let id = String(repeating: "0", count: 31) + "\(number)"
                try await store.append([UploadDecoder().decode(.post(body, .batched, id: id))])
            }
            let texts = store.texts
            let (page, count) = try await statements(with: "SELECT header", in: store) { database in
                try Store.events(CapturedFilter().selection(), limit: 1_000, bytes: .max, texts, in: database)
            }
            #expect(page.events.count == 40)
            #expect(page.events.allSatisfy { $0.captured?.header?.json.isEmpty == false })
            #expect(count == 2)
        }
    }

    @Test("of captured events after the end of a piece of a stream are not read, nor the events")
    func piece() async throws {
        try await withStore { store in
            try await store.append([upload(Array(repeating: [], count: Feed.maxCount + 1))])
            let body = Array(batch([swipe(1)]).utf8)
            try await store.append([UploadDecoder().decode(.post(body, .batched))])
            // A damaged row is an error where it is read.
            try await store.write { try $0.execute(sql: "UPDATE captured_events SET length = -1") }
            let feed = try await store.feed(after: 0, EventFilter(), maxBytes: .max)
            #expect(feed.entries.map(\.sequence) == Array(1...Int64(Feed.maxCount)))
            #expect(feed.hasMore)
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
