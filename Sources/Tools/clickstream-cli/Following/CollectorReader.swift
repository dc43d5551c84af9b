import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// Reads the stored and then the new events of a running collector, each exactly once, even across lost connections.
struct CollectorReader: Sendable {
    let address: CollectorAddress
    let query: EventQuery

    /// Events of one page.
    private static let pageSize = 500
    /// Sessions in an explanation.
    private static let shownSessions = 5
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
        var repeated: [JSONValue] = []
    }

    /// Content of the stream.
    enum Update: Sendable {
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
        case reconnected
    }

    /// Events that the stream will repeat.
    private struct RepeatedEvents {
        var events: ArraySlice<JSONValue>
        /// The store was emptied before or after these events, as the next frame shows.
        var isResetPending = false
    }

    // MARK: - Stored events

    /// Reads one resource, such as `/api/summary`.
    /// - Throws: ``CommandFailure`` with status 69 if no collector responds, 64 if it refuses the query, 78 if it refuses
    ///   the host name.
    func read(_ path: String, _ parameters: [(name: String, value: String)] = []) async throws -> JSONValue {
        do {
            let (status, body) = try await answer(path, parameters)
            return try value(status, body, path)
        } catch let failure as CollectorConnection.Failure {
            throw unreachable(failure.reason)
        }
    }

    /// Passes every stored event to `receive`, oldest first.
    /// - Parameter last: minimum number of the newest events; `nil` for all. Earlier ones may precede them.
    func stored(last: Int? = nil, _ receive: (ReceivedEvent) async throws -> Void) async throws -> Place {
        var place = Place()
        // Every event has a unique number, so that at most `cursor` events precede it.
        if let last, query.isOpen { place.cursor = max(0, try await count() - Int64(last)) }
        while true {
            var pages: [Page] = []
            if query.readsEvents { pages.append(try await page("/api/events", query.parameters, after: place.cursor)) }
            if query.readsCaptured {
                pages.append(try await page("/api/captured", query.formParameters, after: place.cursor))
            }
            if query.readsAudit { pages.append(try await page("/api/audit", query.parameters, after: place.cursor)) }
            // The lists are read in steps, up to the end of the shorter page.
            let end = pages.compactMap(\.next).min()
            var elements = pages.flatMap(\.elements)
            if pages.count > 1 {
                elements.sort { $0.sequence < $1.sequence }
                if let end { elements = Array(elements.prefix { $0.sequence <= end }) }
            }
            for element in elements { try await receive(ReceivedEvent(element)) }
            guard let end else {
                place.repeated = elements
                return place
            }
            place.cursor = end
        }
    }

    /// Explanation for a query that no stored event matches: the number of events, and some sessions if the query has one.
    func noMatch() async throws -> String {
        let all = try await count()
        let kind = query.form.map { "\($0.rawValue) " } ?? ""
        guard all > 0, !query.isOpen else {
            return "no \(kind)events received by the collector at \(address.url); check that the app sends to it, and "
                + "flushes"
        }
        let noun = Plural.events(Int(all), query.form?.rawValue)
        var text = "no event matches \(query.options); the collector at \(address.url) has \(noun)"
        if query.session != nil {
            let page = try await read("/api/sessions", [("limit", "\(Self.shownSessions)")])
            let ids = (page["sessions"]?.array ?? []).compactMap { $0["id"]?.string.map { Characters.reported($0) } }
            let more = page["next"]?.string == nil ? "" : ", …"
            text += ids.isEmpty ? ", without a session" : ", of the sessions \(ids.joined(separator: ", "))\(more)"
        }
        return text
    }

    /// Page of a list of events.
    private struct Page {
        var elements: [JSONValue]
        /// Cursor of the next page, which is the number of the last element; `nil` on the last page.
        var next: Int64?
    }

    private func page(
        _ path: String,
        _ parameters: [(name: String, value: String)],
        after cursor: Int64
    ) async throws -> Page {
        var parameters = parameters + [("limit", "\(Self.pageSize)")]
        if cursor > 0 { parameters.append(("cursor", "\(cursor)")) }
        let page = try await read(path, parameters)
        guard let elements = page["events"]?.array else { throw notACollector("'events' is not an array") }
        return Page(elements: elements, next: page["next"]?.string.flatMap { Int64($0) })
    }

    /// The number of stored events of the query's forms.
    private func count() async throws -> Int64 {
        var count: Int64 = 0
        if query.readsEvents { count += try await read("/api/summary")["events"]?.integer ?? 0 }
        if query.readsAudit { count += try await read("/api/audit/summary")["events"]?.integer ?? 0 }
        guard query.readsCaptured else { return count }
        let forms = try await read("/api/captured/summary").members ?? []
        for form in forms where query.form == nil || query.form?.rawValue == form.name {
            count += form.value["events"]?.integer ?? 0
        }
        return count
    }

    private func answer(
        _ path: String,
        _ parameters: [(name: String, value: String)]
    ) async throws -> (status: Int, body: [UInt8]) {
        var status = 0
        var body: [UInt8] = []
        try await CollectorConnection.send(target(path, parameters), of: address) { head, bytes in
            status = head.status
            body += bytes
            return body.count <= Self.longestAnswer
        }
        return (status, body)
    }

    private func target(_ path: String, _ parameters: [(name: String, value: String)]) -> String {
        address.prefix + path + (parameters.isEmpty ? "" : "?" + EventQuery.query(parameters))
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

    /// Delivers the content of the stream after `place`, until `receive` returns `false`.
    ///
    /// After a lost connection, reconnects with pauses of 0.25 to 10 seconds, and resumes at the same position.
    /// - Throws: ``CommandFailure`` if the server is not a collector.
    func follow(from place: Place, _ receive: (Update) async throws -> Bool) async throws {
        var repeated = RepeatedEvents(events: place.repeated[...])
        var events = ServerSentEvents(lastID: "\(place.cursor)")
        var pause = Self.pauses.lowerBound
        var isLost = false
        var continues = true
        while true {
            do {
                let target = target("/api/stream", query.formParameters)
                let headers = [("accept", "text/event-stream"), ("last-event-id", events.lastID ?? "0")]
                var refused: [UInt8] = []
                try await CollectorConnection.send(target, headers: headers, of: address, silence: Self.silence) {
                    head,
                    bytes in
                    guard head.status == 200 else {
                        refused += bytes
                        if bytes.isEmpty || refused.count > 65_536 {
                            throw refusal(head.status, refused, "/api/stream")
                        }
                        return true
                    }
                    if isLost {
                        isLost = false
                        continues = try await receive(.reconnected)
                        if !continues { return false }
                    }
                    pause = max(Self.pauses.lowerBound, min(events.retry ?? 0, Self.pauses.upperBound))
                    for frame in try events.receive(bytes) {
                        for update in try updates(of: frame, &repeated) {
                            continues = try await receive(update)
                            if !continues { return false }
                        }
                    }
                    continues = try await receive(.pause)
                    return continues
                }
                if !continues { return }
                throw CollectorConnection.Failure.cut("the collector closed the stream")
            } catch let failure as CollectorConnection.Failure {
                if !isLost, try await !receive(.lost(failure.reason)) { return }
                isLost = true
                // An incomplete frame is sent again.
                events = ServerSentEvents(lastID: events.lastID)
                try await SystemDependencies.time.sleep(milliseconds: pause)
                pause = min(2 * pause, Self.pauses.upperBound)
            } catch is ServerSentEvents.TooLong {
                throw notACollector("a single event is longer than \(ServerSentEvents.frameLimit) bytes")
            }
        }
    }

    /// Content of a frame; empty for repeated events, and for frames of later versions.
    private func updates(
        of frame: ServerSentEvents.Frame,
        _ repeated: inout RepeatedEvents
    ) throws(CommandFailure) -> [Update] {
        if frame.event == "reset" {
            repeated.isResetPending = !repeated.events.isEmpty
            return repeated.isResetPending ? [] : [.reset]
        }
        guard ["event", "captured", "audit", "request"].contains(frame.event) else { return [] }
        if frame.event == "captured", !query.readsCaptured { return [] }
        if frame.event == "audit", !query.readsAudit { return [] }
        let value: JSONValue
        do {
            value = try JSONReader.parse(Array(frame.data.utf8), maxDepth: JSONReader.deepestNesting)
        } catch {
            throw notACollector("the stream is not JSON")
        }
        if frame.event == "request" { return [.request(value)] }
        if let place = repeated.events.firstIndex(of: value) {
            // The collector has removed the events before it.
            repeated = RepeatedEvents(events: repeated.events[(place + 1)...])
            return []
        }
        // An event that was stored after the reading of its list, and before that of the other one.
        if !repeated.isResetPending, let first = repeated.events.first, value.sequence < first.sequence {
            return [.event(ReceivedEvent(value))]
        }
        // Events arrive in stored order: skipped ones were removed.
        defer { repeated = RepeatedEvents(events: []) }
        return (repeated.isResetPending ? [.reset] : []) + [.event(ReceivedEvent(value))]
    }

    // MARK: - Failures

    private func unreachable(_ reason: String) -> CommandFailure {
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
        // The collector reports errors as {"error": …}. Another server may answer anything.
        let answer = try? JSONReader.parse(body)
        let said = answer?["error"]?.string.map { Console.escaped($0) }
        if answer?["code"]?.string == RefusalCode.hostNotAllowed.rawValue, let said {
            return CommandFailure(.configuration, "the collector at \(address.url) rejected the host name: \(said)")
        }
        if status == 400, let said {
            return CommandFailure(.usage, "the collector at \(address.url) rejected the query: \(said)")
        }
        if status >= 500, let said {
            return CommandFailure(.serverUnavailable, "the collector at \(address.url) failed: \(said)")
        }
        return notACollector("\(path) returned status \(status)")
    }
}

extension JSONValue {
    /// Number of an event in the collector's JSON.
    fileprivate var sequence: Int64 { self["seq"]?.integer ?? 0 }
}
