#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
        var request = URLRequest(url: URL(string: "\(endpoint)?appId=shop") ?? URL(filePath: "/"))
        request.httpMethod = "POST"
        request.httpBody = Data("[\(events.joined(separator: ","))]".utf8)
        let (_, response) = try await URLSession.shared.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
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
