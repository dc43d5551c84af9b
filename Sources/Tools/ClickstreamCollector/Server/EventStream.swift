#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/api/stream`: new events, requests and resets as server-sent events.
///
/// Each reader is served from the store in pieces of bounded size; the next piece is read after the connection has
/// accepted the previous one (backpressure). A slow reader uses the memory of one piece and delays no other.
struct EventStream: Sendable {
    /// Parameters of a reader.
    struct Parameters: Sendable {
        var filter: EventFilter
        /// Format of the events; `nil` for all.
        var form: CapturedFormat?
        /// Position to resume at; `nil` to begin.
        var cursor: Int64?
        /// Number of matching events of a list before which older ones are omitted; absent for no limit.
        var newest: [CapturedFormat.EventList: Int] = [:]
        /// Bytes above which an event is sent as an excerpt.
        var maxEventBytes: Int?
    }

    /// Beginning of the stream of a reader.
    struct Start: Sendable {
        /// Position after which the stream begins.
        var cursor: Int64
        /// True if the reader's cursor is before the last reset, or of another store: the stream begins with a reset.
        var isReset: Bool
        /// Positions up to which the events of a list are omitted.
        var omitted: [CapturedFormat.EventList: Int64]
    }

    let store: Store
    let arrivals: ArrivalNotifier
    let time: any TimeSource
    let heartbeatSeconds: Int64

    /// Seconds that a reader has to accept the last piece at shutdown.
    private static let stopSeconds: Int64 = 1

    /// Sends matching entries until the reader disconnects or the collector stops. Call after reading the request's
    /// body.
    /// - Throws: errors of the store and the connection.
    func serve(
        _ parameters: Parameters,
        from start: Start,
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
        let (changes, signal) = arrivals.listen()
        let isQuiet = Locked(false)
        let heartbeat = Task { [time, heartbeatSeconds] in
            while true {
                try await time.sleep(milliseconds: heartbeatSeconds * 1_000)
                isQuiet.withLock { $0 = true }
                signal.yield()
            }
        }
        defer { heartbeat.cancel() }
        let end = arrivals.onEnd { [time] in
            time.after(milliseconds: Self.stopSeconds * 1_000) { channel.close(promise: nil) }
        }
        defer { arrivals.forget(end) }
        let presence = try await channel.presence()
        let leave = presence.on(.finished) { signal.finish() }
        defer { presence.forget(leave) }

        var body = try await writer.writeHead(head)
        var cursor = start.cursor
        try await body.write(ByteBuffer(string: "retry: 1000\n\n" + Self.frames(of: start)))
        for await _ in changes {
            var feed: Feed
            repeat {
                let from = cursor
                feed = try await presence.bounding {
                    try await piece(after: from, start.omitted, parameters)
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

    private func piece(
        after cursor: Int64,
        _ omitted: [CapturedFormat.EventList: Int64],
        _ parameters: Parameters
    ) async throws -> Feed {
        let texts = EventTexts(maxBytes: parameters.maxEventBytes, apart: EventList.apartBytes)
        return try await store.feed(
            after: cursor,
            parameters.filter,
            form: parameters.form,
            omitting: omitted,
            maxBytes: Reply.partBytes,
            texts
        )
    }

    /// Beginning of a reader's stream: after its cursor, or with the entries since a given time, or only with new entries,
    /// without those that are too old for the numbers of its lists.
    func start(_ parameters: Parameters) async throws -> Start {
        // Read first: after a reset in between, all of these positions are before the beginning.
        let omitted = try await store.omitted(newest: parameters.newest, parameters.filter, form: parameters.form)
        let (last, reset) = try await store.lastSequence()
        let cursor = parameters.cursor ?? (parameters.filter.since == nil ? last : reset)
        let isReset = !(reset...last).contains(cursor)
        let begin = isReset ? reset : cursor
        return Start(cursor: begin, isReset: isReset, omitted: omitted.filter { $0.value > begin })
    }

    // MARK: - Frames

    /// Frames with a reset and with the omitted positions; empty without both. The reset is the first, as it removes what a
    /// reader knows of the omitted events.
    private static func frames(of start: Start) -> String {
        let reset = start.isReset ? "id: \(start.cursor)\nevent: reset\ndata: {}\n\n" : ""
        if start.omitted.isEmpty { return reset }
        var writer = ObjectWriter(capacity: 0)
        writer.object { data in
            for (list, position) in start.omitted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                data.begin(named: list.rawValue)
                data.bytes.append(json: position)
            }
        }
        return reset + "event: omitted\ndata: \(String(decoding: writer.bytes, as: UTF8.self))\n\n"
    }

    private static func frames(of feed: Feed) throws -> Segments {
        // A line end within the text of an event would end the line of the frame.
        var frames = Segments(isOnOneLine: true)
        let encoder = Reply.encoder()
        for entry in feed.entries {
            frames.append("id: ".utf8)
            frames.append(entry.sequence)
            frames.append("\nevent: ".utf8)
            switch entry {
            case .event(let event):
                frames.append("event\ndata: ".utf8)
                frames.append(event)
            case .captured(let event):
                frames.append("\((event.captured?.form.list ?? .captured).rawValue)\ndata: ".utf8)
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
