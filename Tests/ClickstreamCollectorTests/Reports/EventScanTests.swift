#if Collector
import ClickstreamCore
import Dispatch
import GRDB
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Scan of events", .timeLimit(.minutes(10)))
struct EventScanTests {
    private static func sequences(
        _ filter: EventFilter,
        names: [Int64]? = nil,
        maxSearched: Int,
        in database: Database
    ) throws -> [Int64] {
        var sequences: [Int64] = []
        let scan = try EventScan(filter, names: names, columns: ["e.name"], maxSearched: maxSearched, in: database)
        try scan?.scan { sequences.append(try $0.integer(0, "events.seq", in: StoredRange.sequence)) }
        return sequences
    }

    private static let filters = [
        EventFilter(), EventFilter(name: "a"), EventFilter(app: "shop"), EventFilter(user: "u1"),
        EventFilter(device: "d1"), EventFilter(screen: "Home"), EventFilter(status: .bad),
        EventFilter(user: "carl", app: "shop"),
        EventFilter(name: "b", since: Timestamp(milliseconds: FixedTime.start + 7)),
        EventFilter(session: "s1", until: Timestamp(milliseconds: FixedTime.start + 14)), EventFilter(user: "none"),
    ]

    @Test("has the same events whether a text of the filter is rare or not", arguments: TestLength.seeds(10, full: 200))
    func rarity(seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let fixture = try ReportFixture(&random)
        try await withStore { store in
            _ = try await fixture.append(to: store)
            let differing = try await store.readInTurn { database in
                let name = try textID(.name, "a", in: database)
                return try Self.filters.filter { filter in
                    for names in [nil, name.map { [$0] }] {
                        // With a maximum of 0, no text is rare.
                        let lists = try [0, 2, MatchingEvents.maxSearched].map {
                            try Self.sequences(filter, names: names, maxSearched: $0, in: database)
                        }
                        if Set(lists).count > 1 { return true }
                    }
                    return false
                }
            }
            #expect(differing == [])
        }
    }

    @Test(
        "searches the requests of a rare text, and reads all of them for another one",
        arguments: [
            (EventFilter(user: "unique-1", app: "shop"), 2, true), (EventFilter(user: "unique-1"), 1, false),
            (EventFilter(app: "shop"), 3, false), (EventFilter(app: "shop"), 4, true), (EventFilter(), 9, false),
        ] as [(EventFilter, Int, Bool)]
    )
    func plan(filter: EventFilter, maxSearched: Int, isSearched: Bool) async throws {
        try await withStore { store in
            for number in 1...3 {
                let body = "[\(event("\(number)", uniqueID: "unique-\(number)"))]"
                try await store.append([UploadDecoder().decode(.post(Array(body.utf8)))])
            }
            let plan = try await store.readInTurn { database in
                var statements: [String] = []
                database.trace { event in
                    if case .statement(let statement) = event { statements.append(statement.expandedSQL) }
                }
                _ = try Self.sequences(filter, maxSearched: maxSearched, in: database)
                database.trace(options: [])
                let scan = statements.last { $0.contains("events e") } ?? ""
                return try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(scan)").map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.hasPrefix("SCAN") } != isSearched, "\(plan)")
            // No order other than that of the requests has to be made.
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }

    @Test("sees the events of its start although the store is reset or filled meanwhile", arguments: [false, true])
    func snapshot(isReset: Bool) async throws {
        try await withStore { store in
            let body = (1...40).map { event("\($0)") }
            for part in [body[..<20], body[20...]] {
                let upload = UploadDecoder().decode(.post(Array("[\(part.joined(separator: ","))]".utf8)))
                try await store.append([upload])
            }
            let (begun, isChanged) = (Semaphore(0), DispatchSemaphore(value: 0))
            async let found = store.readInTurn { database in
                // The snapshot begins with the first read.
                _ = try Store.lastSequence(in: database)
                begun.release()
                isChanged.wait()
                var ids: [String] = []
                let probe = TextProbe(path: MemberPath(["event_id"]))
                var texts = TextScan(database, columnsFrom: 1, probe)
                let scan = try EventScan(EventFilter(user: "unique-1"), columns: TextScan.columns, in: database)
                if let scan {
                    try texts.scan(scan, of: { _ in ReportRow(owner: 0, readsText: true) }) { rows in
                        try rows.visit { _, _, value in ids.append(String(decoding: value, as: UTF8.self)) }
                    }
                }
                return ids
            }
            try await begun.acquire()
            if isReset {
                try await store.reset()
            } else {
                try await store.append([UploadDecoder().decode(.post(Array("[\(event("41"))]".utf8)))])
            }
            isChanged.signal()
            let ids = try await found
            #expect(ids == (1...40).map { "\"\($0)\"" })
            #expect(try await store.summary().events == (isReset ? 0 : 41))
        }
    }
}
#endif
