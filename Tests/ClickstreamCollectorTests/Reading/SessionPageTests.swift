#if Collector
import ClickstreamCore
import GRDB
import Testing

@testable import ClickstreamCollector

@Suite("Pages of sessions")
struct SessionPageTests {
    @Test("end when their ids take 50 000 KiB")
    func longIDs() async throws {
        try await withStore { store in
            let events = (0..<30).map { event("\($0)", session: "s\($0)") }.joined(separator: ",")
            try await store.append([UploadDecoder().decode(.post(Array("[\(events)]".utf8)))])
            try await store.write {
                // Two million characters more in each id.
                try $0.execute(
                    sql: "UPDATE texts SET value = value || hex(zeroblob(1000000)) WHERE kind = ?",
                    arguments: [StoreLayout.Term.session.rawValue]
                )
            }
            let first = try await store.sessions(after: nil, limit: 100)
            #expect(first.sessions.count == 26)
            let second = try await store.sessions(after: first.next, limit: 100)
            #expect(second.sessions.count == 4)
            #expect(second.next == nil)
        }
    }
}
#endif
