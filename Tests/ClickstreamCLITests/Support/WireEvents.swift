#if Collector
import ClickstreamAnalytics
import ClickstreamCollector
import ClickstreamCore

/// Events in wire form, created and sent by the test itself, which determines every byte.
enum WireEvents {
    /// A good event of now, as JSON.
    /// - Parameter attributes: JSON members, such as `"value": 1`.
    static func event(
        _ name: String,
        id: String,
        user: String = "u-1",
        session: String = "s-1",
        attributes: String = "",
        items: String = "[]"
    ) -> String {
        let now = SystemTime().now().wall.milliseconds
        let more = attributes.isEmpty ? "" : ", \(attributes)"
        return """
            {"event_type": "\(name)", "event_id": "\(id)", "app_id": "shop", "timestamp": \(now), "unique_id": "\(user)", \
            "device_id": "d", "platform": "Linux", "attributes": {"_session_id": "\(session)", \
            "_session_start_timestamp": \(now), "_session_number": 1, "_session_duration": 0\(more)}, \
            "user": {}, "items": \(items)}
            """
    }

    /// Sends events in one request.
    @discardableResult
    static func send(_ events: [String], to endpoint: String) async throws -> Int {
        try await post("[\(events.joined(separator: ","))]", to: "\(endpoint)?appId=shop")
    }

    /// Sends a body in one request.
    /// - Returns: the status of the reply.
    static func post(_ body: String, to url: String) async throws -> Int {
        try await SocketTransport().send(UploadRequest(url: url, headers: [], body: Array(body.utf8))).status
    }
}

extension Collector {
    /// Gives `body` a collector in this process, and stops it afterwards.
    static func use<Result>(
        _ configuration: CollectorConfiguration = .init(),
        _ body: (Collector) async throws -> Result
    ) async throws -> Result {
        let collector = try await Collector.start(configuration)
        do {
            let result = try await body(collector)
            await collector.stop()
            return result
        } catch {
            await collector.stop()
            throw error
        }
    }
}
#endif
