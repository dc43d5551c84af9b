#if Collector
import ClickstreamCore
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Collector")
struct CollectorTests {
    @Test("uses a free port and prints it in its addresses")
    func addresses() async throws {
        try await withCollector { collector in
            #expect(collector.port > 0)
            #expect(collector.baseURL == "http://127.0.0.1:\(collector.port)")
            #expect(collector.endpoint == "http://127.0.0.1:\(collector.port)/collect")
            #expect(collector.warnings == [])
        }
    }

    @Test("reports that the port is in use by another collector")
    func portInUse() async throws {
        try await withCollector { collector in
            let second = CollectorConfiguration(port: collector.port)
            await #expect(throws: CollectorError.portInUse(host: "127.0.0.1", port: collector.port)) {
                try await Collector.start(second)
            }
            #expect(
                CollectorError.portInUse(host: "127.0.0.1", port: 9_090).description
                    == "cannot listen on 127.0.0.1:9090: address already in use; stop the other program, or use "
                    + "another port (0 picks a free one)"
            )
        }
    }

    @Test("reports an address that is not this machine's")
    func foreignAddress() async throws {
        let error = await #expect(throws: CollectorError.self) {
            try await Collector.start(CollectorConfiguration(host: "192.0.2.1"))
        }
        #expect(error == .cannotListen(host: "192.0.2.1", port: 0, reason: "Cannot assign requested address"))
    }

    @Test("warns of an address that is reachable from other machines")
    func openAddress() async throws {
        try await withCollector(CollectorConfiguration(host: "0.0.0.0")) { collector in
            #expect(collector.warnings.count == 1)
            #expect(collector.warnings[0].contains("0.0.0.0"))
            let health = try await collector.get("/health")
            #expect(health.status == 200)
        }
    }

    @Test(
        "rejects contradictory settings",
        arguments: [
            CollectorConfiguration(port: 65_536), CollectorConfiguration(port: -1),
            CollectorConfiguration(path: "collect"),
            CollectorConfiguration(path: "/"), CollectorConfiguration(path: "/ping"),
            CollectorConfiguration(path: "/api/events"), CollectorConfiguration(path: "/a b"),
            CollectorConfiguration(corsOrigins: ["("]), CollectorConfiguration(bodyLimit: 0),
            CollectorConfiguration(maxAge: .microseconds(999)),
        ]
    )
    func senselessSettings(_ configuration: CollectorConfiguration) async throws {
        let error = await #expect(throws: CollectorError.self) { try await Collector.start(configuration) }
        guard case .invalidConfiguration = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
    }

    @Test("keeps its data across a restart, and continues counting")
    func restart() async throws {
        try await withFolder { folder in
            let configuration = CollectorConfiguration(storePath: folder + "/store.sqlite")
            let first = try await withCollector(configuration) { collector in
                _ = try await collector.post("[\(event("A")),\(event("B"))]")
                _ = try await collector.post("nonsense")
                return try await collector.events()
            }
            #expect(first.events.map(\.sequence) == [1, 2])
            try await withCollector(configuration) { collector in
                let events = try await collector.events()
                #expect(events == first)
                _ = try await collector.post("[\(event("B")),\(event("C"))]")
                #expect(
                    try await collector.summary()
                        == CollectorSummary(
                            requests: 3,
                            badRequests: 1,
                            events: 3,
                            goodEvents: 3,
                            badEvents: 0,
                            duplicates: 1,
                            sessions: 1,
                            users: 1
                        )
                )
            }
        }
    }

    @Test("makes its store readable by the owner only, and leaves one file")
    func permissions() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await withCollector(CollectorConfiguration(storePath: path)) { collector in
                _ = try await collector.post("[\(event("A"))]")
                _ = try await collector.events()
                for name in ["store.sqlite", "store.sqlite-wal"] {
                    let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
                    #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store.sqlite"])
        }
    }

    @Test("removes a temporary store at its end")
    func temporaryStore() async throws {
        let path = try await withCollector { collector in
            _ = try await collector.post("[\(event("A"))]")
            #expect(FileManager.default.fileExists(atPath: collector.storePath))
            return collector.storePath
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("rejects a store in a missing folder")
    func missingFolder() async throws {
        let path = "/nonexistent/store.sqlite"
        await #expect(throws: CollectorError.storeUnusable(path: path, reason: "No such file or directory")) {
            try await Collector.start(CollectorConfiguration(storePath: path))
        }
    }

    @Test("rejects a file that is not a collector's store", arguments: ["text", "database"])
    func foreignStore(_ kind: String) async throws {
        try await withFolder { folder in
            let path = folder + "/notes"
            if kind == "text" {
                try Data(repeating: 65, count: 5_000).write(to: URL(fileURLWithPath: path))
            } else {
                try await makeForeignDatabase(path)
            }
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            await #expect(throws: CollectorError.storeForeign(path: path)) {
                try await Collector.start(CollectorConfiguration(storePath: path))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test("loses nothing with concurrent clients")
    func concurrency() async throws {
        try await withCollector { collector in
            let port = collector.port
            try await withThrowingTaskGroup(of: Int.self) { group in
                for client in 0..<8 {
                    group.addTask {
                        try await RawConnection.blocking {
                            let connection = try RawConnection(port: port)
                            var accepted = 0
                            for number in 0..<50 {
                                let id = "\(client)-\(number)"
                                let body = "[\(event(id + "-a", uniqueID: "u\(client)")),\(event(id + "-b"))]"
                                connection.send(
                                    RawConnection.request("POST", "/collect?appId=shop", body: Array(body.utf8))
                                )
                                if try connection.receive().status == 200 { accepted += 1 }
                            }
                            return accepted
                        }
                    }
                }
                var accepted = 0
                for try await count in group { accepted += count }
                #expect(accepted == 400)
            }
            let summary = try await collector.summary()
            #expect(
                summary
                    == CollectorSummary(
                        requests: 400,
                        badRequests: 0,
                        events: 800,
                        goodEvents: 800,
                        badEvents: 0,
                        duplicates: 0,
                        sessions: 1,
                        users: 9
                    )
            )
        }
    }

    @Test("completes a request in flight before it stops, and rejects queries afterwards")
    func stop() async throws {
        let collector = try await Collector.start(CollectorConfiguration(), time: FixedTime())
        let port = collector.port
        let body = Array("[\(event("A"))]".utf8)
        let idle = try RawConnection(port: port)
        let connection = try RawConnection(port: port)
        let request = RawConnection.request(
            "POST",
            "/collect?appId=shop",
            headers: ["Expect": "100-continue"],
            body: body
        )
        connection.send(request.dropLast(10))
        // Shows that the request's head has arrived.
        #expect(try await connection.next().status == 100)
        async let stopped: Void = collector.stop()
        #expect(try await idle.ends())
        connection.send(body.suffix(10))
        #expect(try await connection.next().status == 200)
        await stopped
        await collector.stop()
        await #expect(throws: CollectorError.stopped) { try await collector.summary() }
        #expect(throws: RawConnection.Failure.self) { _ = try RawConnection(port: port) }
    }
}

/// Store whose header identifies another program.
private func makeForeignDatabase(_ path: String) async throws {
    try await withCollector(CollectorConfiguration(storePath: path)) { _ in }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: 68)
    try file.write(contentsOf: Data("note".utf8))
    try file.close()
}
#endif
