#if Tools
import ClickstreamCore
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/api/stream`: what comes in, as server-sent events, to every reader at its own pace.
///
/// A reader is served from the store, a bounded piece at a time, and the next only when the connection has taken the
/// last: a slow one costs a piece of memory and holds up nobody.
struct EventStream: Sendable {
    /// What a reader asked for.
    struct Question: Sendable {
        var filter: EventFilter
        /// Where it left off; `nil` to begin.
        var cursor: Int64?
    }

    let store: Store
    let arrivals: Arrivals
    let time: any TimeSource
    let heartbeatSeconds: Int64

    /// Bytes of events in one piece.
    private static let pieceBytes = 262_144
    /// Seconds that a reader has to take the last piece when the collector stops.
    private static let stopSeconds: Int64 = 1

    /// Tells what fits until the reader goes away or the collector stops.
    func serve(
        _ question: Question,
        _ request: Request,
        _ writer: consuming ResponseWriter,
        on channel: any Channel
    ) async throws {
        let cursor = try await start(question)
        let head = HTTPResponse(
            status: .ok,
            headerFields: [
                .contentType: "text/event-stream", .cacheControl: "no-store", .contentTypeOptions: "nosniff",
                .date: time.now().wall.httpDate, .accelBuffering: "no",
            ]
        )
        if request.method == .head { return try await writer.writeResponse(head) }
        let (changes, bell) = arrivals.listen()
        let isQuiet = Locked(false)
        let heartbeat = channel.eventLoop.scheduleRepeatedTask(
            initialDelay: .seconds(heartbeatSeconds),
            delay: .seconds(heartbeatSeconds)
        ) { _ in
            isQuiet.withLock { $0 = true }
            bell.yield()
        }
        defer { heartbeat.cancel() }
        let end = arrivals.onEnd {
            channel.eventLoop.scheduleTask(in: .seconds(Self.stopSeconds)) { channel.close(promise: nil) }
        }

        defer { arrivals.forget(end) }

        let body = try await writer.writeHead(head)
        try await request.body.consumeWithInboundCloseHandler { _ in
            var body = body
            var cursor = cursor
            try await body.write(ByteBuffer(string: "retry: 1000\n\n"))
            for await _ in changes {
                var feed: Feed
                repeat {
                    feed = try await store.feed(after: cursor, question.filter, most: Self.pieceBytes)
                    cursor = feed.cursor
                    if feed.entries.isEmpty { continue }
                    isQuiet.withLock { $0 = false }
                    try await body.write(ByteBuffer(bytes: Self.frames(of: feed)))
                } while feed.hasMore && !arrivals.hasEnded
                let isDue = isQuiet.withLock { isQuiet in
                    defer { isQuiet = false }
                    return isQuiet
                }
                if isDue { try await body.write(ByteBuffer(string: ":\n\n")) }
            }
            try await body.finish(nil)
        } onInboundClosed: {
            bell.finish()
        }
    }

    /// Without a place to go on from: all that came since a moment, when one is asked for, else only what comes now.
    private func start(_ question: Question) async throws -> Int64 {
        if let cursor = question.cursor { return cursor }
        let place = try await store.lastSequence()
        return question.filter.since == nil ? place.last : place.reset
    }

    // MARK: - Frames

    private static func frames(of feed: Feed) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for entry in feed.entries {
            bytes.append(contentsOf: "id: \(entry.sequence)\nevent: ".utf8)
            let start: Int
            switch entry {
            case .event(let event):
                bytes.append(contentsOf: "event\ndata: ".utf8)
                start = bytes.count
                event.write(into: &bytes)
            case .request(let request):
                bytes.append(contentsOf: "request\ndata: ".utf8)
                start = bytes.count
                bytes.append(contentsOf: try encoder.encode(request))
            case .reset:
                bytes.append(contentsOf: "reset\ndata: {}".utf8)
                start = bytes.count
            }
            // An event's own text may have line ends between its members, which would end the frame's line. In JSON
            // they are white space.
            for place in start..<bytes.count where bytes[place] == 0x0A || bytes[place] == 0x0D {
                bytes[place] = UInt8(ascii: " ")
            }
            bytes.append(contentsOf: "\n\n".utf8)
        }
        return bytes
    }
}
#endif
