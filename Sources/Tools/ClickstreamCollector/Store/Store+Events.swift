#if Collector
import ClickstreamCore
import GRDB

/// Stored event with its text, or with the location of a text that is too long to keep in memory.
struct StoredEvent: Sendable {
    enum Text: Sendable {
        case whole([UInt8])
        /// Shortened text; well-formed JSON.
        case excerpt([UInt8])
        /// Location of a long text, to be read in slices, and its beginning.
        case apart(EventLocation, excerpt: [UInt8])
    }

    var sequence: Int64
    var text: Text
    /// Bytes of the whole text.
    var bytes: Int
    var status: CollectedStatus
    var violations: [CollectedViolation]
    /// Number of findings that are not listed in ``violations``.
    var unlisted: Int
    var requestID: String
    var receivedAt: Timestamp
    /// Format, name and header of a captured event; `nil` for an event of the clickstream format.
    var captured: StoredCapture?
}

/// Options for the texts of events in a query, in bytes; `nil` for no limit.
struct EventTexts: Sendable, Hashable {
    /// Longer texts are returned as excerpts.
    var maxBytes: Int?
    /// Longer texts stay in the store, to be read in slices.
    var apart: Int?
}

/// Part of a page of events, in the order of arrival.
struct StoredEvents: Sendable {
    var events: [StoredEvent] = []
    /// True if no event follows.
    var isWhole = true
}

/// Query for the rows of a page of events.
struct EventSelection: Sendable {
    /// SQL of the columns of an event `e` and its request `r`.
    static let columns =
        "e.seq, e.start, e.length, e.is_bad, r.rid, r.received_at, r.seq, r.is_encoded, e.unlisted"

    var sql: String
    var arguments: StatementArguments
    /// Table of the findings; `nil` to read none.
    var findings: String? = "findings"
    /// Position after which the page begins.
    var after: Int64
    var newestFirst = false
    /// True if another query probably continues within the body of the last row.
    var isContinued = false
}

extension Store {
    func events(_ filter: EventFilter) async throws -> EventPage {
        let limit = filter.limit.clamped(to: EventFilter.limits)
        return try await readInTurn { [texts, pageBytes] database in
            let page = try Self.events(filter, limit: limit, bytes: pageBytes, texts, in: database)
            return EventPage(
                events: page.events.map { CollectedEvent($0) },
                next: page.isWhole ? nil : page.events.last?.sequence
            )
        }
    }

    /// Event with a sequence number.
    func event(_ sequence: Int64, _ form: EventTexts) async throws -> StoredEvent? {
        guard sequence > 0 else { return nil }
        return try await readInTurn { [texts] database in
            let filter = EventFilter(cursor: sequence - 1)
            let page = try Self.events(filter, limit: 1, bytes: 1, form: form, texts, in: database)
            return page.events.first.flatMap { $0.sequence == sequence ? $0 : nil }
        }
    }

    /// Slice of an event's text: at most `count` bytes from `offset`.
    func slice(of location: EventLocation, from offset: Int, count: Int) async throws -> [UInt8] {
        try await readInTurn { [texts] database in
            var reader = BodyTexts.Reader(texts, database)
            let text = try reader.text(at: location)
            let slice = [UInt8](text.dropFirst(offset).prefix(count))
            reader.stopWithinBody()
            return slice
        }
    }

    /// Matching events up to `limit` and a number of bytes, at least one.
    ///
    /// Successive pages inflate each body once, also if a page ends within it.
    /// - Throws: ``StoreDamage`` if a row contains a value that no collector writes, or if rows are out of order.
    static func events(
        _ filter: EventFilter,
        limit: Int,
        bytes: Int,
        newestFirst: Bool = false,
        form: EventTexts = EventTexts(),
        withFindings: Bool = true,
        _ texts: BodyTexts,
        in database: Database
    ) throws -> StoredEvents {
        guard var selection = try filter.selection(newestFirst: newestFirst, in: database) else {
            return StoredEvents()
        }
        if !withFindings { selection.findings = nil }
        return try events(selection, limit: limit, bytes: bytes, form: form, texts, in: database)
    }

    /// Selected events up to `limit` and a number of bytes, at least one.
    static func events(
        _ selection: EventSelection,
        limit: Int,
        bytes: Int,
        form: EventTexts = EventTexts(),
        _ texts: BodyTexts,
        in database: Database
    ) throws -> StoredEvents {
        let newestFirst = selection.newestFirst
        // Not cached: a client may combine the filters in thousands of ways, and no cached statement is ever removed.
        let rows = try Row.fetchCursor(
            database,
            sql: selection.sql + " LIMIT ?",
            arguments: selection.arguments + [limit + 1]
        )
        var findings = try selection.findings.map { try FindingReader(database, $0, newestFirst: newestFirst) }
        var reader = BodyTexts.Reader(texts, database)
        var page = StoredEvents()
        var remaining = bytes
        var last = newestFirst ? Int64.max : selection.after
        var request: EventRequest?
        var isApart = false
        while let row = try rows.next() {
            if page.events.count == limit || (remaining <= 0 && !page.events.isEmpty) {
                // The next page begins with this row, and reports a damaged one.
                let next = try? row.integer(6, "requests.seq", in: StoredRange.sequence)
                if isApart || next == request?.sequence { reader.stopWithinBody() } else { reader.passBody() }
                page.isWhole = false
                return page
            }
            let sequence = try row.integer(0, "events.seq", in: StoredRange.sequence)
            // Otherwise the cursor of the next page would move backwards.
            guard newestFirst ? sequence < last : sequence > last else { throw StoreDamage.overlap }
            last = sequence
            let own = try EventRequest.read(row, last: request, in: database)
            let violations = try findings?.violations(of: sequence) ?? []
            let event = try StoredEvent(row, own, violations, form, &reader)
            if case .apart = event.text { isApart = true }
            if request?.sequence != own.sequence { remaining -= own.header?.json.count ?? 0 }
            request = own
            remaining -= event.heldBytes
            page.events.append(event)
        }
        if isApart || selection.isContinued { reader.stopWithinBody() } else { reader.passBody() }
        return page
    }

    /// Newest matching events, each with its request, without the body.
    func newest(
        _ filter: EventFilter,
        limit: Int,
        bytes: Int,
        _ form: EventTexts
    ) async throws -> (events: [(StoredEvent, CollectedRequest)], isWhole: Bool) {
        try await readInTurn { [texts] database in
            let page = try Self.events(
                filter,
                limit: limit,
                bytes: bytes,
                newestFirst: true,
                form: form,
                texts,
                in: database
            )
            var known: (id: String, request: CollectedRequest)?
            let events = try page.events.compactMap { event in
                if known?.id != event.requestID {
                    let id = TextArgument(event.requestID)
                    let sql = "SELECT \(Self.requestColumns) FROM requests r WHERE r.rid = \(id.sql)"
                    let request = try Row.readFirst(database, sql, [id.value]) { try CollectedRequest($0, data: nil) }
                    known = request.map { (event.requestID, $0) }
                }
                return known.map { (event, $0.request) }
            }
            return (events, page.isWhole)
        }
    }
}

extension StoredEvent {
    fileprivate init(
        _ row: Row,
        _ request: EventRequest,
        _ violations: [CollectedViolation],
        _ form: EventTexts,
        _ reader: inout BodyTexts.Reader
    ) throws {
        let start = try row.count(1, "events.start")
        let length = try row.count(2, "events.length")
        let captured = try StoredCapture(row, header: request.header)
        let location = EventLocation(
            request: request.sequence,
            range: start..<(start + length),
            isContentEncoded: request.isContentEncoded,
            form: captured?.form
        )
        let whole = try reader.text(at: location)
        let text: Text =
            if let maxBytes = form.maxBytes, length > maxBytes {
                .excerpt(EventExcerpt.make(of: whole, maxBytes: maxBytes))
            } else if let apart = form.apart, length > apart {
                .apart(location, excerpt: EventExcerpt.make(of: whole, maxBytes: EventExcerpt.stringBytes))
            } else {
                .whole([UInt8](whole))
            }
        self.init(
            sequence: try row.integer(0, "events.seq", in: StoredRange.sequence),
            text: text,
            bytes: length,
            status: try row.boolean(3, "events.is_bad") ? .bad : .good,
            violations: violations,
            unlisted: try row.count(8, "events.unlisted"),
            requestID: request.id,
            receivedAt: request.receivedAt,
            captured: captured
        )
    }

    /// Bytes of the value in a reply, without the header, which events share. A text that stays in the store ends a piece.
    var heldBytes: Int {
        let found = violations.reduce(0) { $0 + 64 + $1.name.utf8.count + $1.message.utf8.count }
        return switch text {
        case .whole(let text), .excerpt(let text): text.count + found
        case .apart: bytes + found
        }
    }
}

extension StoredEvent {
    /// Text of an event that was read without limits.
    var wholeText: [UInt8] {
        switch text {
        case .whole(let text), .excerpt(let text): text
        case .apart: preconditionFailure("Invalid state: the text of a complete event was left in the store")
        }
    }
}

extension CollectedEvent {
    /// Converts an event with its whole text.
    init(_ event: StoredEvent) {
        self.init(
            sequence: event.sequence,
            json: String(decoding: event.wholeText, as: UTF8.self),
            status: event.status,
            violations: event.violations,
            unlistedViolations: event.unlisted,
            requestID: event.requestID,
            receivedAt: event.receivedAt
        )
    }
}

extension Comparable {
    func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
#endif
