#if Tools
import ClickstreamCollector
import ClickstreamCore
import NIOCore

/// Reads the stored and then the new events of a running collector, each exactly once, even across lost connections.
struct CollectorReader: Sendable {
    let address: CollectorAddress
    let question: EventQuestion

    /// Events of one page.
    private static let pageSize = 500
    /// Maximum size of a buffered response: 128 MiB.
    private static let longestAnswer = 134_217_728
    /// Read timeout of a stream in seconds; the collector sends a comment every fifteen seconds.
    private static let silence: Int64 = 50
    /// Bounds of the pause before a reconnection, in milliseconds.
    private static let pauses: ClosedRange<Int64> = 250...10_000

    /// Position in the collector's events.
    struct Place: Sendable {
        /// Events up to here have been delivered.
        var cursor: Int64 = 0
        /// Events after ``cursor`` already delivered, in order; the stream repeats them.
        var told: [JSONValue] = []
    }

    /// Content of the stream.
    enum News: Sendable {
        case event(ReceivedEvent)
        /// A request was stored, with all its events: `/api/requests/{id}` without the body.
        case request(JSONValue)
        /// The collector's store was emptied.
        case reset
        /// All events available so far have been delivered.
        case pause
        /// The connection ended, with the reason. The reader reconnects.
        case lost(String)
        /// The connection is established again.
        case found
    }

    /// Events that the stream will repeat.
    private struct Told {
        var events: ArraySlice<JSONValue>
        /// The store was emptied before or after these events, as the next frame shows.
        var resetWaits = false
    }

    // MARK: - Stored events

    /// Reads one resource, such as `/api/summary`.
    /// - Throws: ``CommandFailure`` with status 69 if no collector responds, 64 if it refuses the query.
    func read(_ path: String, _ parameters: [(name: String, value: String)] = []) async throws -> JSONValue {
        do {
            let (status, body) = try await answer(path, parameters)
            return try value(status, body, path)
        } catch let failure as CollectorConnection.Failure {
            throw noAnswer(failure.reason)
        }
    }

    /// Passes every stored event to `tell`, oldest first.
    /// - Parameter last: minimum number of the newest events; `nil` for all. Earlier ones may precede them.
    func stored(last: Int? = nil, _ tell: (ReceivedEvent) async throws -> Void) async throws -> Place {
        var place = Place()
        if let last, question.isOpen {
            // Every event has a unique number, so that at most `cursor` events precede it.
            let events = try await read("/api/summary")["events"]?.integer ?? 0
            place.cursor = max(0, events - Int64(last))
        }
        while true {
            var parameters = question.parameters + [("limit", "\(Self.pageSize)")]
            if place.cursor > 0 { parameters.append(("cursor", "\(place.cursor)")) }
            let page = try await read("/api/events", parameters)
            guard let elements = page["events"]?.array else { throw notACollector("'events' is not an array") }
            for element in elements { try await tell(ReceivedEvent(element)) }
            guard let next = page["next"]?.string.flatMap({ Int64($0) }) else {
                place.told = elements
                return place
            }
            place.cursor = next
        }
    }

    private func answer(
        _ path: String,
        _ parameters: [(name: String, value: String)]
    ) async throws -> (status: Int, body: [UInt8]) {
        var status = 0
        var body: [UInt8] = []
        try await CollectorConnection.ask(target(path, parameters), of: address) { head, bytes in
            status = head.status
            body += bytes.readableBytesView
            return body.count <= Self.longestAnswer
        }
        return (status, body)
    }

    private func target(_ path: String, _ parameters: [(name: String, value: String)]) -> String {
        address.prefix + path + (parameters.isEmpty ? "" : "?" + EventQuestion.query(parameters))
    }

    private func value(_ status: Int, _ body: [UInt8], _ path: String) throws(CommandFailure) -> JSONValue {
        guard status == 200 else { throw refusal(status, body, path) }
        do {
            return try JSONReader.parse(body, maxDepth: JSONReader.deepestNesting)
        } catch {
            throw notACollector("the response is not JSON")
        }
    }

    // MARK: - New events

    /// Delivers the content of the stream after `place`, until `tell` returns `false`.
    ///
    /// After a lost connection, reconnects with pauses of 0.25 to 10 seconds, and resumes at the same position.
    /// - Throws: ``CommandFailure`` if the server is not a collector.
    func follow(from place: Place, _ tell: (News) async throws -> Bool) async throws {
        var told = Told(events: place.told[...])
        var events = ServerSentEvents(lastID: "\(place.cursor)")
        var pause = Self.pauses.lowerBound
        var isLost = false
        var goesOn = true
        while true {
            do {
                let target = target("/api/stream", question.parameters)
                let headers = [("accept", "text/event-stream"), ("last-event-id", events.lastID ?? "0")]
                var refused: [UInt8] = []
                try await CollectorConnection.ask(target, headers: headers, of: address, silence: Self.silence) {
                    head,
                    bytes in
                    guard head.status == 200 else {
                        refused += bytes.readableBytesView
                        if bytes.readableBytes == 0 || refused.count > 65_536 {
                            throw refusal(head.status, refused, "/api/stream")
                        }
                        return true
                    }
                    if isLost {
                        isLost = false
                        goesOn = try await tell(.found)
                        if !goesOn { return false }
                    }
                    pause = max(Self.pauses.lowerBound, min(events.retry ?? 0, Self.pauses.upperBound))
                    for frame in try events.receive(bytes.readableBytesView) {
                        for news in try news(of: frame, &told) {
                            goesOn = try await tell(news)
                            if !goesOn { return false }
                        }
                    }
                    goesOn = try await tell(.pause)
                    return goesOn
                }
                if !goesOn { return }
                throw CollectorConnection.Failure.cut("the collector closed the stream")
            } catch let failure as CollectorConnection.Failure {
                if !isLost, try await !tell(.lost(failure.reason)) { return }
                isLost = true
                // An incomplete frame is sent again.
                events = ServerSentEvents(lastID: events.lastID)
                try await SystemTime().sleep(milliseconds: pause)
                pause = min(2 * pause, Self.pauses.upperBound)
            } catch is ServerSentEvents.TooLong {
                throw notACollector("a single event is longer than \(ServerSentEvents.frameLimit) bytes")
            }
        }
    }

    /// Content of a frame; empty for repeated events, and for frames of later versions.
    private func news(
        of frame: ServerSentEvents.Frame,
        _ told: inout Told
    ) throws(CommandFailure) -> [News] {
        if frame.event == "reset" {
            told.resetWaits = !told.events.isEmpty
            return told.resetWaits ? [] : [.reset]
        }
        guard frame.event == "event" || frame.event == "request" else { return [] }
        let value: JSONValue
        do {
            value = try JSONReader.parse(Array(frame.data.utf8), maxDepth: JSONReader.deepestNesting)
        } catch {
            throw notACollector("the stream is not JSON")
        }
        if frame.event == "request" { return [.request(value)] }
        if let place = told.events.firstIndex(of: value) {
            // The collector has removed the events before it.
            told = Told(events: told.events[(place + 1)...])
            return []
        }
        // Events arrive in stored order: skipped ones were removed.
        defer { told = Told(events: []) }
        return (told.resetWaits ? [.reset] : []) + [.event(ReceivedEvent(value))]
    }

    // MARK: - Failures

    private func noAnswer(_ reason: String) -> CommandFailure {
        CommandFailure(
            .serverUnavailable,
            "no collector responds at \(address.url): \(Console.escaped(reason)); start one with 'clickstream-cli collect', "
                + "or pass another URL or set \(CollectorAddress.variable)"
        )
    }

    private func notACollector(_ reason: String) -> CommandFailure {
        CommandFailure(
            .serverUnavailable,
            "the server at \(address.url) is not a collector of this version: \(reason); check the URL"
        )
    }

    private func refusal(_ status: Int, _ body: [UInt8], _ path: String) -> CommandFailure {
        // The collector reports errors as {"error": …}.
        let said = (try? JSONReader.parse(body))?["error"]?.string.map { Console.escaped($0) }
        if status == 400, let said {
            return CommandFailure(.usage, "the collector at \(address.url) rejected the query: \(said)")
        }
        if status >= 500, let said {
            return CommandFailure(.serverUnavailable, "the collector at \(address.url) failed: \(said)")
        }
        return notACollector("\(path) returned status \(status)")
    }
}
#endif
