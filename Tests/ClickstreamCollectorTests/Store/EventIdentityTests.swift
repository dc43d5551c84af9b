#if Collector
import ClickstreamCore
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

@Suite("Identities of events")
struct EventIdentityTests {
    @Test(
        "are hashed like the reference implementation of SipHash-2-4",
        arguments: [
            (0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (7, 0xAB02_00F5_8B01_D137),
            (8, 0x93F5_F579_9A93_2462), (15, 0xA129_CA61_49BE_45E5), (63, 0x958A_324C_EB06_4572),
        ] as [(Int, UInt64)]
    )
    func sipHash(count: Int, hash: UInt64) {
        var whole = SipHash(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
        let bytes = (0..<count).map { UInt8($0) }
        #expect(bytes.withUnsafeBytes { whole.finish($0) } == hash)
        guard count >= 8 else { return }
        var parts = SipHash(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
        parts.absorb(0x0706_0504_0302_0100)
        #expect(bytes.dropFirst(8).withUnsafeBytes { parts.finish($0) } == hash)
    }

    @Test("differ between two stores, which have random keys")
    func keys() async throws {
        var numbers: Set<Int64> = []
        for _ in 0..<2 {
            try await withStore { store in
                try await store.append([upload([event("A")])])
                numbers.insert(try await store.read { try Int64.fetchOne($0, sql: "SELECT identity FROM events") } ?? 0)
            }
        }
        #expect(numbers.count == 2)
    }

    /// The store looks at so many numbers and no further, whatever was sent before: without the key, no client can fill them.
    @Test("find an event again among colliding ones, and an event without a free number is kept")
    func chain() async throws {
        try await withStore { store in
            let identity = try await store.read { try EventIdentity($0) }
            let timestamp = FixedTime.start - 1_000
            let numbers = Array("A".utf8).withUnsafeBytes { id in
                (0..<EventIdentity.attempts).map { identity.number(id, timestamp, attempt: $0) }
            }
            #expect(Set(numbers).count == EventIdentity.attempts)
            for (index, number) in numbers.enumerated() {
                let counts = try await store.append([upload([event("A"), event("A")])])
                let expected: (Int, Int) = index == 0 ? (1, 1) : (0, 2)
                #expect((counts.goodEvents, counts.duplicates) == expected)
                // From now on the number is another event's.
                try await store.write { database in
                    try database.execute(
                        sql: "UPDATE events SET event_id = 'other' WHERE identity = ?",
                        arguments: [number]
                    )
                }
                let again = try await store.append([upload([event("A")])])
                #expect(again.goodEvents == 1)
            }
        }
    }

    @Test("distinguish ids that differ in NUL or in halves of surrogate pairs, in any spelling of the same id")
    func unrepresentable() async throws {
        try await withStore { store in
            let ids = [
                "a", "a\u{FFFD}", #"a\u0000"#, #"a\u0000\u0000"#, #"a\ud800"#, #"a\udc00"#, #"a\ud800\ud801"#,
                #"a\ud83d\ude00"#, #"a\\u0000"#, #"a\\\u0000"#, #"a\\\\u0000"#, #"a\\ud800"#, #"a\\"#, "a\\\\\u{FFFD}",
            ]
            let counts = try await store.append([upload(ids.map { event($0) })])
            #expect((counts.goodEvents + counts.badEvents, counts.duplicates) == (ids.count, 0))
            let others = ["a\u{1F600}", #"\u0061\uD800"#, #"a\uFFFD"#, #"\u0061\u0000"#, #"a\u005cu0000"#]
            let again = try await store.append([upload(others.map { event($0) })])
            #expect((again.goodEvents + again.badEvents, again.duplicates) == (0, others.count))
        }
    }

    @Test("are recomputed for a store of layout 3, whose duplicates are still recognized")
    func layout3() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let bodies = [[event("A"), event("B")], [event("A")], [#"{"event_type":"x"}"#]]
            let store = try Store(path: path)
            for events in bodies { try await store.append([upload(events)]) }
            let rows = try await allEvents(store)
            try store.close()
            try withDatabase(at: path) { try OldStore.downgrade($0, to: 3) }

            let opened = try Store(path: path)
            let version = try await opened.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
            #expect(version == StoreLayout.version)
            #expect(try await allEvents(opened) == rows)
            let key = try await opened.read { try Data.fetchOne($0, sql: "SELECT identity_key FROM state") }
            #expect(key?.count == EventIdentity.keyBytes)
            let counts = try await opened.append([upload([event("A"), event("B"), event("C")])])
            #expect((counts.goodEvents, counts.duplicates) == (1, 2))
            try opened.close()
            // The definitions that the migration changed are those of a store.
            try Store(path: path).close()
        }
    }

    private func upload(_ events: [String]) -> Upload {
        UploadDecoder().decode(.post(Array("[\(events.joined(separator: ","))]".utf8)))
    }

    /// The events' columns but for the identity, which has to be there where it was.
    private func allEvents(_ store: Store) async throws -> [[DatabaseValue]] {
        try await store.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT seq, identity IS NULL, start, length, event_id, timestamp, unlisted,
                        (SELECT value FROM texts WHERE id = name) FROM events
                    """
            ).map { Array($0.databaseValues) }
        }
    }
}
#endif
