import ClickstreamJudges
import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCore

@Suite("Store of an earlier version")
struct EarlierStoreTests {
    /// A copy of `Tests/Fixtures/Store-0.1`: two run folders, a batch of three events in flight, and an unlisted event.
    private func phone() throws -> Phone {
        let disk = MemoryFileSystem()
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        root.append(path: "Fixtures/Store-0.1")
        for path in [
            "clickstream-store", "state", "state.old", "runs/1/00000001.events", "runs/1/delivery",
            "runs/1/delivery.old", "runs/2/00000001.events", "runs/2/delivery",
        ] {
            let folder = Phone.path(path).split(separator: "/").dropLast().map { "/\($0)" }.joined()
            try disk.createFolder(folder)
            disk[Phone.path(path)] = Array(try Data(contentsOf: root.appending(path: "shop/" + path)))
        }
        return Phone(disk: disk)
    }

    @Test("is read, continued and delivered with all its events, the batch in flight unchanged")
    func delivers() async throws {
        let phone = try phone()
        let client = try phone.launch()
        client.record("now")
        #expect(await client.flush().isComplete)
        let uploads = phone.server.requests.map { ReceivedUpload(target: $0.url, body: $0.body) }
        let first = try #require(uploads.first)
        #expect(first.recordedEvents.map(\.name) == ["order", "one", "two"])
        #expect(first.query.bundleSequenceID == 1)
        let names = uploads.flatMap(\.recordedEvents).map(\.name)
        #expect(Set(names).isSuperset(of: ["order", "one", "two", "three", "four", "five", "six", "now"]))
        #expect(names.count == Set(names).count)
        let counts = client.ledger
        #expect(counts.pendingEvents == 0)
        #expect(counts.ledger.recorded == counts.ledger.settled)
        #expect(phone.log.all.warnings == [])
    }
}
