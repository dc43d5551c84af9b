#if Collector
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Stores opened for reading")
struct ExistingStoreTests {
    @Test("are not migrated", arguments: 1..<StoreLayout.version)
    func older(version: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: version)
            let before = try Data(contentsOf: URL(filePath: path))
            #expect(throws: CollectorError.storeTooOld(path: path, layout: version)) { try Store(reading: path) }
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test("contain each request that a collector has answered, and cannot be written")
    func inUse() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await withCollector(CollectorConfiguration(storePath: path)) { collector in
                let first = try await collector.post("[\(event("A"))]")
                #expect(first.status == 200)
                let store = try Store(reading: path)
                #expect(try await store.summary().events == 1)
                let second = try await collector.post("[\(event("B"))]")
                #expect(second.status == 200)
                #expect(try await store.summary().events == 2)
                await #expect(throws: (any Error).self) { try await store.reset() }
                try store.close()
                let third = try await collector.post("[\(event("C"))]")
                #expect(third.status == 200)
                #expect(try await collector.summary().events == 3)
                #expect(collector.storeFailure == nil)
            }
        }
    }

    @Test("keep their bytes, and can be used by a collector afterwards")
    func closed() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path)
            try await withCollector(configuration) { collector in
                let fourth = try await collector.post("[\(event("A"))]")
                #expect(fourth.status == 200)
            }
            let before = try Data(contentsOf: URL(filePath: path))
            let store = try Store(reading: path)
            #expect(try await store.summary().events == 1)
            try store.close()
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            try await withCollector(configuration) { collector in
                let fifth = try await collector.post("[\(event("B"))]")
                #expect(fifth.status == 200)
                #expect(try await collector.summary().events == 2)
            }
        }
    }

    @Test("have to exist")
    func missing() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            #expect(throws: CollectorError.self) { try Store(reading: path) }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
#endif
