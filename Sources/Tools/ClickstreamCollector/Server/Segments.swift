#if Collector
import ClickstreamCore
import ClickstreamJudges

/// Sequence of bytes and of texts still in the store, for the body of a reply. A long text is read in slices.
struct Segments: Sendable {
    private enum Segment: Sendable {
        case bytes([UInt8])
        case text(EventLocation, offset: Int)
    }

    /// Bytes of one slice of a text.
    private static let sliceBytes = 262_144
    /// Bytes from which a header is a segment of its own, whose storage all events of its batch share.
    private static let sharedBytes = 1_024

    private var queue: [Segment] = []
    /// Index of the next segment in ``queue``.
    private var position = 0
    /// Bytes after the last segment of ``queue``.
    private var tail = ObjectWriter(capacity: 0)
    /// True to replace line ends within texts by spaces, which is equivalent in JSON.
    private let isOnOneLine: Bool
    /// Header of the last event on one line, with the id of its request.
    private var header: (request: String, json: [UInt8])?

    init(isOnOneLine: Bool = false) {
        self.isOnOneLine = isOnOneLine
    }

    var isEmpty: Bool { position == queue.count && tail.bytes.isEmpty }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        tail.bytes.append(contentsOf: bytes)
    }

    mutating func append(_ number: Int64) {
        tail.bytes.append(json: number)
    }

    /// Appends an event in the format of the query API: its text unchanged, beside the findings. The caller separates events.
    mutating func append(_ event: StoredEvent) {
        tail.needsComma = false
        tail.beginObject()
        if let captured = event.captured {
            tail.member("form", captured.form.rawValue)
            tail.member("name", captured.name)
            if captured.form.list == .audit { tail.member("partition", orNull: captured.partition) }
        }
        tail.begin("event")
        append(textOf: event)
        if let header = event.captured?.header {
            tail.begin("header")
            append(header, of: event.requestID)
            if header.isCut { tail.member("header_cut", true) }
        }
        if let phrase = event.phrase { tail.member("phrase", phrase.text) }
        event.addResult(to: &tail)
        tail.endObject()
    }

    private mutating func append(_ header: CapturedHeader, of request: String) {
        if isOnOneLine, self.header?.request != request { self.header = (request, Self.onOneLine(header.json)) }
        let json = isOnOneLine ? self.header?.json ?? [] : header.json
        if json.count < Self.sharedBytes { return append(json) }
        endSegment()
        queue.append(.bytes(json))
    }

    private mutating func endSegment() {
        if tail.bytes.isEmpty { return }
        queue.append(.bytes(tail.bytes))
        tail.bytes = []
    }

    /// Appends the text of the event.
    mutating func append(textOf event: StoredEvent) {
        switch event.text {
        case .whole(let text), .excerpt(let text):
            append(isOnOneLine ? Self.onOneLine(text) : text)
        case .apart(let location, _):
            endSegment()
            queue.append(.text(location, offset: 0))
        }
    }

    /// Returns the next bytes; `nil` at the end.
    mutating func next(from store: Store) async throws -> [UInt8]? {
        guard position < queue.count else {
            defer { (queue, position, tail.bytes) = ([], 0, []) }
            return tail.bytes.isEmpty ? nil : tail.bytes
        }
        guard case .text(let location, let offset) = queue[position] else { return nextPart() }
        let slice = try await store.slice(of: location, from: offset, count: Self.sliceBytes)
        if offset + slice.count < location.range.count, !slice.isEmpty {
            queue[position] = .text(location, offset: offset + slice.count)
        } else {
            position += 1
        }
        return isOnOneLine ? Self.onOneLine(slice) : slice
    }

    /// Successive segments of bytes, up to about ``Reply/partBytes``.
    private mutating func nextPart() -> [UInt8] {
        var part: [UInt8] = []
        while position < queue.count, part.count < Reply.partBytes, case .bytes(let bytes) = queue[position] {
            if part.isEmpty { part = bytes } else { part += bytes }
            position += 1
        }
        return part
    }

    private static func onOneLine(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return text }
        return text.map { $0 == 0x0A || $0 == 0x0D ? UInt8(ascii: " ") : $0 }
    }
}

extension StoredEvent {
    /// The event in a few words; of a long event, by its excerpt. Reads the text once, and builds what the phrase needs.
    fileprivate var phrase: Phrase? {
        let json =
            switch text {
            case .whole(let json), .excerpt(let json), .apart(_, excerpt: let json): json
            }
        return EventMembers(json: json).flatMap { (captured?.form ?? .clickstream).phrase($0) }
    }

    /// Adds the members of a list element after the text of the event.
    fileprivate func addResult(to row: inout ObjectWriter) {
        row.member("status", status.rawValue)
        row.array("violations", of: violations) { list, violation in
            list.object { object in
                if let number = Int64(violation.code) {
                    object.member("code", number)
                } else {
                    object.member("code", violation.code)
                }
                object.member("severity", violation.severity.rawValue)
                object.member("subject", violation.subject)
                object.member("name", violation.name)
                object.member("message", violation.message)
            }
        }
        row.member("unlisted_violations", unlisted)
        row.member("request_id", requestID)
        row.member("seq", sequence)
        if case .excerpt = text {
            row.member("cut", true)
            row.member("event_bytes", bytes)
        }
        row.member("received_at", receivedAt.milliseconds)
    }
}
#endif
