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
        /// Bytes of an event, beyond which it comes as an excerpt.
        var mostEventBytes: Int?
    }

    let store: Store
    let arrivals: ArrivalNotifier
    let time: any TimeSource
    let heartbeatSeconds: Int64

    /// Bytes of events in one piece.
    private static let pieceBytes = 131_072
    /// Seconds that a reader has to take the last piece when the collector stops.
    private static let stopSeconds: Int64 = 1

    /// Tells what fits until the reader goes away or the collector stops.
    ///
    /// The request's body has been read.
    /// - Throws: before the head is written, what the store throws.
    func serve(
        _ question: Question,
        from cursor: Int64,
        _ request: Request,
        _ writer: consuming ResponseWriter,
        on channel: any Channel
    ) async throws {
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
        let presence = try await channel.presence()
        let leave = presence.on(.finished) { bell.finish() }
        defer { presence.forget(leave) }

        let form = EventTexts(most: question.mostEventBytes, apart: EventList.apartBytes)
        var body = try await writer.writeHead(head)
        var cursor = cursor
        try await body.write(ByteBuffer(string: "retry: 1000\n\n"))
        for await _ in changes {
            var feed: Feed
            repeat {
                let from = cursor
                feed = try await presence.bounding {
                    try await store.feed(after: from, question.filter, most: Self.pieceBytes, form)
                }
                cursor = feed.cursor
                if feed.entries.isEmpty { continue }
                isQuiet.withLock { $0 = false }
                var frames = try Self.frames(of: feed)
                while let part = try await frames.next(from: store) { try await body.write(ByteBuffer(bytes: part)) }
            } while feed.hasMore && !arrivals.hasEnded
            let isDue = isQuiet.withLock { isQuiet in
                defer { isQuiet = false }
                return isQuiet
            }
            if isDue { try await body.write(ByteBuffer(string: ":\n\n")) }
        }
        try await body.finish(nil)
    }

    /// Without a place to go on from: all that came since a moment, when one is asked for, else only what comes now.
    func start(_ question: Question) async throws -> Int64 {
        if let cursor = question.cursor { return cursor }
        let place = try await store.lastSequence()
        return question.filter.since == nil ? place.last : place.reset
    }

    // MARK: - Frames

    private static func frames(of feed: Feed) throws -> Segments {
        // Line ends within an event's own text would end the frame's line.
        var frames = Segments(isOnOneLine: true)
        let encoder = Reply.encoder()
        for entry in feed.entries {
            frames.append("id: \(entry.sequence)\nevent: ".utf8)
            switch entry {
            case .event(let event):
                frames.append("event\ndata: ".utf8)
                frames.append(event)
            case .request(let request):
                frames.append("request\ndata: ".utf8)
                frames.append(try encoder.encode(request))
            case .reset:
                frames.append("reset\ndata: {}".utf8)
            }
            frames.append("\n\n".utf8)
        }
        return frames
    }
}
#endif
