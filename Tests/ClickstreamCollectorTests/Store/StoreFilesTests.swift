#if Collector
import ClickstreamCore
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Files of a store in use", .timeLimit(.minutes(10)))
struct StoreFilesTests {
    /// Change of another program.
    enum Change: String, CaseIterable, Sendable {
        case allRemoved, databaseRemoved, logRemoved, indexRemoved, databaseRenamed, databaseReplaced
        case databaseEmptied, logEmptied

        /// End of the reason in the failure.
        var reason: String {
            switch self {
            case .allRemoved, .databaseRemoved, .databaseRenamed: "store.sqlite was removed or renamed"
            case .logRemoved: "store.sqlite-wal was removed or renamed"
            case .indexRemoved: "store.sqlite-shm was removed or renamed"
            case .databaseReplaced: "store.sqlite was replaced by another file"
            case .databaseEmptied: "store.sqlite was truncated"
            case .logEmptied: "store.sqlite-wal was truncated"
            }
        }

        func apply(to path: String) throws {
            let files = FileManager.default
            switch self {
            case .allRemoved: for suffix in ["", "-wal", "-shm"] { try files.removeItem(atPath: path + suffix) }
            case .databaseRemoved: try files.removeItem(atPath: path)
            case .logRemoved: try files.removeItem(atPath: path + "-wal")
            case .indexRemoved: try files.removeItem(atPath: path + "-shm")
            case .databaseRenamed: try files.moveItem(atPath: path, toPath: path + ".old")
            case .databaseReplaced:
                try files.moveItem(atPath: path, toPath: path + ".old")
                try files.copyItem(atPath: path + ".old", toPath: path)
            case .databaseEmptied: try Self.empty(path)
            case .logEmptied: try Self.empty(path + "-wal")
            }
        }

        private static func empty(_ path: String) throws {
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.close()
        }
    }

    @Test("are checked before a request is answered, which fails after a change", arguments: Change.allCases)
    func gone(change: Change) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await withCollector(CollectorConfiguration(storePath: path)) { collector in
                #expect(try await collector.post("[\(event("A"))]").status == 200)
                #expect(collector.storeFailure == nil)
                try change.apply(to: path)
                let failure = CollectorError.storeGone(path: path, reason: "\(folder)/\(change.reason)")
                for number in 0..<3 {
                    let response = try await collector.post("[\(event("B\(number)"))]")
                    #expect(response.status == 500)
                    #expect(response.text == "Error delivering contents to sink: \(failure)")
                }
                #expect(collector.storeFailure == failure)
                #expect(try await collector.post("", "/api/reset").status == 500)
            }
        }
    }

    @Test("of a later collector at the same path are not removed by the one whose files are gone")
    func successor() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path)
            try await withCollector(configuration) { first in
                #expect(try await first.post("[\(event("A"))]").status == 200)
                try Change.allRemoved.apply(to: path)
                let second = try await Collector.start(configuration, time: FixedTime())
                #expect(try await second.post("[\(event("B"))]").status == 200)
                await first.stop()
                #expect(try await second.post("[\(event("C"))]").status == 200)
                #expect(try await second.events().events.map(\.json) == [event("B"), event("C")])
                await second.stop()
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store.sqlite"])
        }
    }
}
#endif
