import Foundation

/// One frame of server-sent events; a comment has none of the fields.
struct StreamFrame: Sendable, Hashable {
    var id: String?
    var event: String?
    var data: String?
    var retry: String?

    /// The data's members.
    func object() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data((data ?? "").utf8)) as? [String: Any] ?? [:]
    }
}

/// Reads `/api/stream` frame by frame as a client does that gets the body in chunks.
final class StreamReader: Sendable {
    private let connection: RawConnection
    private let state = State()
    let head: RawResponse

    private final class State: @unchecked Sendable {
        // Sendable unchecked: like the connection, it is used from one task at a time.
        var text: [UInt8] = []
    }

    init(_ port: Int, _ query: String = "", headers: [String: String] = [:]) async throws {
        let connection = try RawConnection(port: port)
        connection.send(RawConnection.request("GET", "/api/stream" + query, headers: headers))
        head = try await connection.next()
        self.connection = connection
    }

    /// The next frame, `nil` when the stream has ended in order.
    func next() async throws -> StreamFrame? {
        let (connection, state) = (connection, state)
        return try await RawConnection.blocking {
            let end = Array("\n\n".utf8)
            while true {
                if let index = state.text.indices.first(where: { state.text[$0...].starts(with: end) }) {
                    let lines = String(decoding: state.text[..<index], as: UTF8.self).components(separatedBy: "\n")
                    state.text.removeFirst(index + 2)
                    return Self.frame(lines)
                }
                guard let chunk = try connection.receiveChunk() else { return nil }
                state.text += chunk
            }
        }
    }

    func next(_ count: Int) async throws -> [StreamFrame] {
        var frames: [StreamFrame] = []
        while frames.count < count, let frame = try await next() { frames.append(frame) }
        return frames
    }

    func close() {
        connection.close()
    }

    private static func frame(_ lines: [String]) -> StreamFrame {
        var frame = StreamFrame()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "id": frame.id = value
            case "event": frame.event = value
            case "data": frame.data = value
            case "retry": frame.retry = value
            default: break
            }
        }
        return frame
    }
}
