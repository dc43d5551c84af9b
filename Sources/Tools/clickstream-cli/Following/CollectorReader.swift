import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// Reads the stored events of a source, and then the new ones of a running collector, each exactly once, even across lost connections.
struct CollectorReader: Sendable {
    let source: EventSource
    let query: EventQuery
    /// Maximum size of a buffered response: 128 MiB.
    var maxBodyBytes = 134_217_728

    /// Events of one page.
    static let pageSize = 500
    /// Sessions in an explanation.
    private static let shownSessions = 5
    /// Paths of reports, which a collector of an earlier version does not have.
    static let reports = "/api/report/"
    /// Paths of single rows, before the number or the id of one.
    private static let rows = ["/api/events/", "/api/sessions/", "/api/plan/events/"]
    /// Maximum bytes of the events that a command keeps in memory, about: 128 MiB.
    static let maxHeldBytes = 134_217_728
    /// Read timeout of a stream in milliseconds; the collector sends a comment every fifteen seconds.
    private static let silence: Int64 = 50_000
    /// Bounds of the pause before a reconnection, in milliseconds.
    private static let pauses: ClosedRange<Int64> = 250...10_000

    /// Position in the collector's events.
    struct Position: Sendable {
        /// Events up to here have been delivered.
        var cursor: Int64 = 0
        /// Events after ``cursor`` already delivered, in order; the stream repeats them.
        var repeated: [ReceivedEvent.Key] = []
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
        var events: ArraySlice<ReceivedEvent.Key>
        /// The store was emptied before or after these events, as the next frame shows.
        var isResetPending = false
    }

    // MARK: - Stored events

    /// Reads one resource, such as `/api/summary`.
    /// - Throws: ``CommandFailure`` with status 69 if no collector responds, 64 if it refuses the query, 78 if it refuses
    ///   the host name.
    // Inlined, it ends the optimizer of Swift 6.3.1 with a signal.
    @inline(never)
    func read(_ path: String, _ parameters: [(name: String, value: String)] = []) async throws -> JSONValue {
        let body = try await body(path, parameters)
        return try value(body[...])
    }

    /// Body of the response with a resource. Throws as ``read(_:_:)``.
    /// - Parameter silence: maximum milliseconds to wait for a collector, for a connection and between two pieces of the response; `nil`
    ///   for those of ``CollectorConnection``.
    func body(
        _ path: String,
        _ parameters: [(name: String, value: String)],
        silence: Int64? = nil
    ) async throws -> [UInt8] {
        let (status, body) = try await answer(path, parameters, silence)
        guard status == 200 else { throw refusal(status, body, path) }
        return body
    }

    /// Passes every stored event to `receive`, oldest first.
    /// - Parameters:
    ///   - last: minimum number of the newest events; `nil` for all. Earlier ones may precede them.
    ///   - limit: sequence number of the last event that is passed.
    @discardableResult
    func stored(
        last: Int? = nil,
        upTo limit: Int64 = .max,
        _ receive: (ReceivedEvent) async throws -> Void
    ) async throws -> Position {
        var position = Position()
        // Every event has a unique number, so that at most `cursor` events precede it.
        if let last, query.isOpen { position.cursor = max(0, try await count() - Int64(last)) }
        while true {
            var pages: [ReceivedPage] = []
            if query.readsEvents {
                pages.append(try await page("/api/events", query.parameters, after: position.cursor))
            }
            if query.readsCaptured {
                pages.append(try await page("/api/captured", query.formParameters, after: position.cursor))
            }
            if query.readsAudit { pages.append(try await page("/api/audit", query.parameters, after: position.cursor)) }
            // The lists are read in steps, up to the end of the shorter page.
            let end = pages.compactMap(\.next).min()
            var elements = pages.flatMap(\.elements)
            if pages.count > 1 {
                elements.sort { $0.sequence < $1.sequence }
                if let end { elements = Array(elements.prefix { $0.sequence <= end }) }
            }
            position.repeated = []
            for element in elements where element.sequence <= limit {
                // One event at a time is in memory as a value. An event that is kept does not keep the text of its page.
                let event = try event(Array(element.text)[...])
                position.repeated.append(event.key)
                try await receive(event)
            }
            guard let end, end < limit else { return position }
            position.cursor = end
        }
    }

    /// Explanation for a query that no stored event matches: the number of events, and some sessions if the query has one.
    func noMatch() async throws -> String {
        let all = try await count()
        let kind = query.form.map { "\($0.rawValue) " } ?? ""
        guard all > 0, !query.isOpen else {
            switch source {
            case .collector:
                return "no \(kind)events received by \(source.title); check that the app sends to it, and flushes"
            case .store:
                return
                    "no \(kind)events in \(source.title); check that this is the --store of the collector that apps send to"
            }
        }
        let noun = Plural.events(Int(all), query.form?.rawValue)
        var text = "no event matches \(query.options); \(source.title) has \(noun)"
        if query.filter.session != nil {
            let page = try await read("/api/sessions", [("limit", "\(Self.shownSessions)")])
            let ids = (page["sessions"]?.array ?? []).compactMap { $0["id"]?.string.map { Characters.reported($0) } }
            let more = page["next"]?.string == nil ? "" : ", …"
            text += ids.isEmpty ? ", without a session" : ", of the sessions \(ids.joined(separator: ", "))\(more)"
        }
        return text
    }

    private func event(_ text: ArraySlice<UInt8>) throws(CommandFailure) -> ReceivedEvent {
        do throws(JSONError) {
            return try ReceivedEvent(text: text)
        } catch {
            throw notACollector("an event is not a JSON object")
        }
    }

    private func page(
        _ path: String,
        _ parameters: [(name: String, value: String)],
        after cursor: Int64
    ) async throws -> ReceivedPage {
        var parameters = parameters + [("limit", "\(Self.pageSize)")]
        if cursor > 0 { parameters.append(("cursor", "\(cursor)")) }
        let body = try await body(path, parameters)
        do throws(JSONError) {
            return try ReceivedPage(body)
        } catch {
            throw notACollector(error.kind == .notAnArray ? "'events' is not an array" : "the response is not JSON")
        }
    }

    /// The number of stored events of the query's forms.
    func count() async throws -> Int64 {
        try await summaries().reduce(0) { $0 + Self.number("events", of: $1) }
    }

    /// Number in a summary. Greater ones than those of a store are reduced, so that sums do not overflow.
    private static func number(_ name: String, of summary: JSONValue) -> Int64 {
        min(max(0, summary[name]?.integer ?? 0), 1 << 60)
    }

    /// The collector's summaries of the query's forms, that of clickstream events first.
    func summaries() async throws -> [JSONValue] {
        var summaries: [JSONValue] = []
        if query.readsEvents { summaries.append(try await read("/api/summary")) }
        if query.readsAudit { summaries.append(try await read("/api/audit/summary")) }
        guard query.readsCaptured else { return summaries }
        let forms = try await read("/api/captured/summary").members ?? []
        return summaries + forms.filter { query.form == nil || query.form?.rawValue == $0.name }.map(\.value)
    }

    /// Numbers of all stored events of the query's forms.
    struct Totals: Sendable {
        var events: Int
        var badEvents: Int
        /// Sequence number up to which the events are counted.
        var last: Int64
    }

    /// Counts the stored events without reading them.
    /// - Returns: `nil` if the collector is of an earlier version, without this position, if events have arrived between
    ///   two summaries, or if the query excludes clickstream events, whose summary has the position.
    func totals() async throws -> Totals? {
        let summaries = try await summaries()
        guard let last = summaries.first?["last_seq"]?.integer else { return nil }
        if summaries.count > 1, try await read("/api/summary")["last_seq"]?.integer != last { return nil }
        func sum(_ member: String) -> Int { Int(summaries.reduce(0) { $0 + Self.number(member, of: $1) }) }
        return Totals(events: sum("events"), badEvents: sum("bad_events"), last: last)
    }

    private func answer(
        _ path: String,
        _ parameters: [(name: String, value: String)],
        _ silence: Int64?
    ) async throws -> (status: Int, body: [UInt8]) {
        let target = Self.target(path, parameters)
        var status = 0
        var body: [UInt8] = []
        switch source {
        case .collector(let address):
            do {
                try await CollectorConnection.send(
                    address.prefix + target,
                    of: address,
                    connectTimeout: min(silence ?? .max, CollectorConnection.connectTimeout),
                    silence: min(silence ?? .max, CollectorConnection.silence)
                ) { head, bytes in
                    status = head.status
                    body += bytes
                    return body.count <= maxBodyBytes
                }
            } catch let failure as CollectorConnection.Failure {
                throw Self.unreachable(address, failure.reason)
            }
        case .store(let file):
            (status, body) = try await file.reply(to: target, maxBytes: maxBodyBytes)
        }
        guard body.count <= maxBodyBytes else {
            throw CommandFailure(
                .inputOutput,
                "the response of \(source.title) to \(path) has more than \(maxBodyBytes / 1_048_576) MiB; select fewer events"
            )
        }
        return (status, body)
    }

    private static func target(_ path: String, _ parameters: [(name: String, value: String)]) -> String {
        path + (parameters.isEmpty ? "" : "?" + EventQuery.query(parameters))
    }

    /// Value of a response without events. No response of a collector is beyond the bounds.
    private func value(_ text: ArraySlice<UInt8>) throws(CommandFailure) -> JSONValue {
        let parsed: (value: JSONValue, omitted: Int)
        do throws(JSONError) {
            parsed = try JSONReader.parse(text, within: .conditions)
        } catch {
            throw notACollector("the response is not JSON")
        }
        guard parsed.omitted == 0 else { throw notACollector("the response has too many values") }
        return parsed.value
    }

    // MARK: - New events

    /// Delivers the content of the stream after `position`, until `receive` returns `false`.
    ///
    /// After a lost connection, reconnects with pauses of 0.25 to 10 seconds, and resumes at the same position.
    /// - Throws: ``CommandFailure`` if the server is not a collector.
    /// - Precondition: The source is a running collector.
    func follow(from position: Position, _ receive: (Update) async throws -> Bool) async throws {
        guard case .collector(let address) = source else {
            preconditionFailure("Invalid state: the file of a store has no stream")
        }
        var repeated = RepeatedEvents(events: position.repeated[...])
        var events = ServerSentEvents(lastID: "\(position.cursor)")
        var pause = Self.pauses.lowerBound
        var isLost = false
        var continues = true
        while true {
            do {
                let target = address.prefix + Self.target("/api/stream", query.formParameters)
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
        let text = Array(frame.data.utf8)[...]
        if frame.event == "request" { return [.request(try value(text))] }
        let event = try event(text)
        let key = event.key
        if let index = repeated.events.firstIndex(of: key) {
            // The collector has removed the events before it.
            repeated = RepeatedEvents(events: repeated.events[(index + 1)...])
            return []
        }
        // An event that was stored after the reading of its list, and before that of the other one.
        if !repeated.isResetPending, let first = repeated.events.first, key.sequence < first.sequence {
            return [.event(event)]
        }
        // Events arrive in stored order: skipped ones were removed.
        defer { repeated = RepeatedEvents(events: []) }
        return (repeated.isResetPending ? [.reset] : []) + [.event(event)]
    }

    // MARK: - Failures

    private static func unreachable(_ address: CollectorAddress, _ reason: String) -> CommandFailure {
        CommandFailure(
            .serverUnavailable,
            "no collector responds at \(address.url): \(Console.escaped(reason)); start one with 'clickstream-cli collect', "
                + "or pass another URL or set \(CollectorAddress.variable)"
        )
    }

    private func notACollector(_ reason: String) -> CommandFailure {
        let text =
            switch source {
            case .collector(let address):
                "the server at \(address.url) is not a collector of this version: \(reason); check the URL"
            case .store(let file): "cannot read the store \(file.path): \(reason)"
            }
        return CommandFailure(.serverUnavailable, text)
    }

    private func refusal(_ status: Int, _ body: [UInt8], _ path: String) -> CommandFailure {
        // The collector reports errors as {"error": …}. Another server may answer anything.
        let answer = try? JSONReader.parse(body)
        let said = answer?["error"]?.string.map { Console.escaped($0) }
        if answer?["code"]?.string == RefusalCode.hostNotAllowed.rawValue, let said {
            return CommandFailure(.configuration, "\(source.title) rejected the host name: \(said)")
        }
        if status == 400, let said {
            return CommandFailure(.usage, "\(source.title) rejected the query: \(said)")
        }
        if status >= 500, let said {
            return CommandFailure(.serverUnavailable, "\(source.title) failed: \(said)")
        }
        if status == 404, said != nil, path.hasPrefix(Self.reports) {
            return CommandFailure(
                .serverUnavailable,
                "\(source.title) is of an earlier version, without reports; update it, or stop it and read its "
                    + "store with --store FILE"
            )
        }
        if status == 404, let said, Self.rows.contains(where: { path.hasPrefix($0) }) {
            return CommandFailure(.inputMissing, said)
        }
        return notACollector("\(path) returned status \(status)")
    }
}
