#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

/// Clock with a fixed wall time; the monotonic clock and timers are the system's. For tests that are not about time.
struct FixedTime: TimeSource {
    /// 2024-05-08T01:26:55.123Z
    static let start: Int64 = 1_715_131_615_123

    var wall = FixedTime.start

    func now() -> Moment {
        Moment(wall: Timestamp(milliseconds: wall), steady: SystemTime().now().steady)
    }

    func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        SystemTime().after(milliseconds: delay, work)
    }

    func sleep(milliseconds delay: Int64) async throws {
        try await SystemTime().sleep(milliseconds: delay)
    }
}

/// Virtual clock that begins at the wall time of ``FixedTime``.
func virtualTime() -> VirtualTime {
    VirtualTime(start: Timestamp(milliseconds: FixedTime.start))
}

/// Starts a collector for the time of `body` and stops it whatever happens. Waits for a slot.
func withCollector<Value>(
    _ configuration: CollectorConfiguration = CollectorConfiguration(),
    limits: Limits = Limits(),
    time: any TimeSource = FixedTime(),
    _ body: (Collector) async throws -> Value
) async throws -> Value {
    try await RealTimeSlot.use {
        let collector = try await Collector.start(configuration, time: time, limits: limits)
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

/// An event with nothing wrong with it.
func event(
    _ id: String,
    name: String = "button_click",
    at offset: Int64 = -1_000,
    app: String = "shop",
    session: String? = "abcdefgh-20240508-012600000",
    uniqueID: String = "unique-1",
    userID: String? = nil,
    attributes: String = ""
) -> String {
    let session = session.map {
        #""_session_id":"\#($0)","_session_number":3,"_session_start_timestamp":\#(FixedTime.start - 60_000),"_session_duration":1"#
    }
    let all = [session ?? "", attributes].filter { !$0.isEmpty }.joined(separator: ",")
    let user = userID.map { #""_user_id":{"value":"\#($0)","set_timestamp":\#(FixedTime.start - 60_000)}"# } ?? ""
    return #"""
        {"event_id":"\#(id)","event_type":"\#(name)","app_id":"\#(app)","timestamp":\#(FixedTime.start + offset),"unique_id":"\#(uniqueID)","user":{\#(user)},"attributes":{\#(all)}}
        """#
}
#endif
