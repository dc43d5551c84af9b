#if Collector
import ClickstreamCore
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

/// Starts a collector for the time of `body` and stops it whatever happens. Waits for a slot.
/// - Parameter disk: the disk of its archive.
func withCollector<Value>(
    _ configuration: CollectorConfiguration = CollectorConfiguration(),
    limits: Limits = Limits(),
    time: any TimeSource = FixedTime(),
    disk: any FileSystem = LocalFileSystem(),
    _ body: (Collector) async throws -> Value
) async throws -> Value {
    try await RealTimeSlot.use {
        let collector = try await Collector.start(configuration, time: time, disk: disk, limits: limits)
        do {
            let value = try await body(collector)
            await collector.stop()
            return value
        } catch {
            await collector.stop()
            throw error
        }
    }
}

/// Gives `body` a temporary store without a collector, and closes it whatever happens.
func withStore(_ body: (Store) async throws -> Void) async throws {
    let store = try Store(path: nil)
    do {
        try await body(store)
        try store.close()
    } catch {
        // What the body threw is what matters.
        try? store.close()
        throw error
    }
}

/// Gives `body` a folder of its own and removes it.
/// - Parameter inMemory: true for a folder in memory where the system has one, so that no disk is waited for.
func withFolder<Value>(inMemory: Bool = false, _ body: (String) async throws -> Value) async throws -> Value {
    let memory = URL(filePath: "/dev/shm")
    let isThere = inMemory && FileManager.default.isWritableFile(atPath: memory.path)
    let folder = (isThere ? memory : FileManager.default.temporaryDirectory)
        .appendingPathComponent("collector-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    return try await body(folder.path)
}

extension Collector {
    /// Starts a collector on a store.
    static func start(
        on store: Store,
        followers: [any Follower] = [],
        limits: Limits = Limits(),
        time: any TimeSource
    ) async throws -> (collector: Collector, queries: QueryAPI) {
        let configuration = CollectorConfiguration()
        let responder = Collector.responder(
            configuration,
            store,
            UploadDecoder(),
            try CrossOrigin([]),
            Metrics(start: time.now().wall),
            limits,
            time: time,
            ids: SystemIDs()
        )
        let collector = try await Collector(
            configuration,
            store: store,
            responder: responder,
            followers: followers,
            limits: limits
        )
        return (collector, responder.queries)
    }

    func send(
        _ method: String,
        _ target: String,
        headers: [String: String] = [:],
        body: [UInt8] = []
    ) async throws -> RawResponse {
        let port = port
        return try await RawConnection.blocking {
            let connection = try RawConnection(port: port)
            connection.send(RawConnection.request(method, target, headers: headers, body: body))
            return try connection.receive(hasBody: method != "HEAD")
        }
    }

    func get(_ target: String) async throws -> RawResponse {
        try await send("GET", target)
    }

    func post(
        _ text: String,
        _ target: String = "/collect?appId=shop",
        headers: [String: String] = [:]
    ) async throws
        -> RawResponse
    {
        try await send("POST", target, headers: headers, body: Array(text.utf8))
    }
}
#endif
