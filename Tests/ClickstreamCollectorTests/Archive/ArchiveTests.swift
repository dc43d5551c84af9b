#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

/// The machine's disk, which reports that an archive has closed a file.
private final class ArchiveDisk: ForwardingFileSystem {
    let base = LocalFileSystem()
    private let closedFiles = AwaitedState(0)

    func rename(_ path: String, to newPath: String) throws(FileError) {
        try base.rename(path, to: newPath)
        closedFiles.withLock { $0 += 1 }
    }

    /// Suspends until a file is complete, under its final name.
    func hasClosedFile() async {
        await closedFiles.until { $0 > 0 }
    }
}

@Suite("Archive")
struct ArchiveTests {
    /// The archive's files by their path under its folder, whole ones only, with their lines.
    private func files(in folder: String) throws -> [String: [[String: Any]]] {
        var files: [String: [[String: Any]]] = [:]
        // Before the first file there is no folder.
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        for path in paths where path.hasSuffix(".log.gz") {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path))
            let text = try Gzip.inflate([UInt8](data), limit: 1 << 26)
            #expect(text.last == 0x0A)
            files[path] = try text.split(separator: 0x0A).map {
                try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] ?? [:]
            }
        }
        return files
    }

    @Test("contains a line for each answered request, in the published layout and form")
    func layout() async throws {
        try await withFolder { folder in
            let configuration = CollectorConfiguration(archive: folder + "/archive")
            let uri = "/collect?platform=Linux&appId=shop&compression=gzip&upload_timestamp=1715131615000"
            let body = Base64.encode(Gzip.deflate(Array("[\(event("A"))]".utf8)))
            let id = try await withCollector(configuration) { collector in
                let response = try await collector.send("POST", uri, headers: ["User-Agent": "test/1"], body: body)
                _ = try await collector.send("POST", "/collect", body: Array("\u{e9}\u{0}?".utf8))
                let raw = Gzip.deflate(Array("[]".utf8))
                _ = try await collector.send("POST", "/collect", headers: ["Content-Encoding": "gzip"], body: raw)
                return response.headers["x-request-id"] ?? ""
            }
            let found = try files(in: folder + "/archive")
            let path = try #require(found.keys.first)
            #expect(found.count == 1)
            let pattern =
                #/year=2024/month=05/day=08/hour=01/1715131615-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.log\.gz/#
            #expect(path.wholeMatch(of: pattern) != nil, "\(path)")
            #expect(path.replacingOccurrences(of: "-", with: "").contains(id))
            let rows = try #require(found[path])
            let expected: [String: Any] = [
                "date": "2024-05-08T01:26:55+00:00", "uri": uri, "ua": "test/1", "ip": "127.0.0.1",
                "client_timestamp": "1715131615000", "rid": id, "method": "POST",
                "data": String(decoding: body, as: UTF8.self), "ingest_time": 1_715_131_615_000,
                "server_ingest_time": 1_715_131_615_000, "appId": "shop", "platform": "Linux", "compression": "gzip",
                "fakeIp": NSNull(), "path": "/collect", "source_type": "http_server",
                "timestamp": "2024-05-08T01:26:55.123Z",
            ]
            #expect(rows[0] as NSDictionary == expected as NSDictionary)
            #expect(
                rows.compactMap { $0["data"] as? String } == [
                    String(decoding: body, as: UTF8.self), "\u{e9}\u{0}?", "[]",
                ]
            )
        }
    }

    @Test("begins a new file by size and by time")
    func rotation() async throws {
        try await withFolder { folder in
            for (name, rotation, count) in [
                ("size", ArchiveRotation(bytes: 1, seconds: 300), 3),
                ("time", ArchiveRotation(bytes: 1_000_000, seconds: 0), 3),
                ("none", ArchiveRotation(), 1),
            ] {
                let archive = folder + "/" + name
                let disk = ArchiveDisk()
                var limits = Limits()
                limits.rotation = rotation
                let configuration = CollectorConfiguration(archive: archive)
                try await withCollector(configuration, limits: limits, disk: disk) { collector in
                    for id in ["A", "B", "C"] {
                        _ = try await collector.post("[\(event(id))]")
                        // Each is archived separately: requests that arrive together may share a file.
                        if count > 1 { await disk.hasClosedFile() }
                    }
                }
                let found = try files(in: archive)
                #expect(found.values.reduce(0) { $0 + $1.count } == 3)
                #expect(found.count <= count && (count == 1 || found.count > 1), "\(name): \(found.count)")
            }
        }
    }

    @Test("is completed at the next start after an incomplete file, without duplicates")
    func crash() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let archive = folder + "/archive"
            // A collector without an archive simulates one that ended before it could write.
            try await withCollector(CollectorConfiguration(storePath: path)) { collector in
                for id in ["A", "B"] { _ = try await collector.post("[\(event(id))]") }
            }
            let configuration = CollectorConfiguration(storePath: path, archive: archive)
            try await withCollector(configuration) { collector in _ = try await collector.post("[\(event("C"))]") }
            let first = try files(in: archive)
            #expect(first.values.map(\.count) == [3])
            // The same again after the note was lost: the same file.
            try await withCollector(configuration) { collector in
                _ = try await collector.post("[\(event("D"))]")
            }
            let second = try files(in: archive)
            #expect(second.values.map(\.count).sorted() == [1, 3])
            let ids = second.values.flatMap { $0 }.compactMap { $0["rid"] as? String }
            #expect(Set(ids).count == 4)
        }
    }

    @Test("contains everything before a reset or a limit removes it from the store")
    func removal() async throws {
        try await withFolder { folder in
            let archive = folder + "/archive"
            let configuration = CollectorConfiguration(archive: archive, maxStoreBytes: 1_048_576)
            try await withCollector(configuration) { collector in
                let note = String(repeating: "n", count: 100_000)
                for number in 0..<30 {
                    _ = try await collector.post("[\(event("E\(number)")),{\"x\":\"\(note)\"}]")
                }
                #expect(try await collector.send("POST", "/api/reset").status == 200)
                _ = try await collector.post("[\(event("F"))]")
            }
            let rows = try files(in: archive).values.flatMap { $0 }
            #expect(rows.count == 31)
            #expect(Set(rows.compactMap { $0["rid"] as? String }).count == 31)
        }
    }

    @Test("removes incomplete files of a crash at its start, and nothing else")
    func leftovers() async throws {
        try await withFolder { folder in
            let hour = folder + "/archive/year=2024/month=05/day=08/hour=01"
            let disk = LocalFileSystem()
            try disk.createFolder(hour)
            let id = "01234567-89ab-cdef-0123-456789abcdef"
            let stale = ["_1715131615-\(id).log.gz.part", "_1-\(id).log.gz.part"]
            let kept = [
                "1715131615-\(id).log.gz", "_1715131616-\(id).log.gz.part", "_SUCCESS", "_notes-\(id).log.gz.part",
                "1715131615-\(id).log.gz.part", "_1715131615-\(id).log.gz.crc", "_1715131615-0123.log.gz.part",
            ]
            for name in stale + kept { try disk.replace("\(hour)/\(name)", with: [1], durably: false) }
            // Another collector is writing this one.
            let lock = try disk.lock("\(hour)/\(kept[1])")
            try await withCollector(CollectorConfiguration(archive: folder + "/archive")) { collector in
                _ = try await collector.post("[\(event("A"))]")
            }
            let names = try disk.names(in: hour)
            #expect(Set(names).isSuperset(of: kept) && Set(names).isDisjoint(with: stale))
            #expect(names.count == kept.count + 1)
            lock?.unlock()
        }
    }

    @Test("is written by only one collector of a store")
    func shared() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path, archive: folder + "/archive")
            for _ in 0..<2 {
                try await withCollector(configuration) { collector in
                    let error = await #expect(throws: CollectorError.self) { try await Collector.start(configuration) }
                    #expect(error == .storeArchived(path: path))
                    // What one that does not archive takes is archived by the other.
                    try await withCollector(CollectorConfiguration(storePath: path)) { second in
                        for collector in [collector, second] {
                            _ = try await collector.post("[\(event("A"))]")
                        }
                    }
                }
            }
            #expect(try files(in: folder + "/archive").values.reduce(0) { $0 + $1.count } == 4)
            let left = try LocalFileSystem().names(in: folder)
            #expect(left.sorted() == ["archive", "store.sqlite"])
        }
    }

    @Test("reports that its folder cannot be created")
    func unusable() async throws {
        let error = await #expect(throws: CollectorError.self) {
            try await Collector.start(CollectorConfiguration(archive: "/dev/null/archive"))
        }
        guard case .archiveUnusable("/dev/null/archive", _) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
    }
}
#endif
