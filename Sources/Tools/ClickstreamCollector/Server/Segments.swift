#if Collector
import ClickstreamCore
import ClickstreamJudges

/// Sequence of bytes and of texts still in the store, for the body of a reply. A long text is read in slices.
struct Segments: Sendable {
    private enum Segment: Sendable {
        case bytes([UInt8])
        case text(EventPlace, offset: Int)
    }

    /// Bytes of one slice of a text.
    private static let sliceBytes = 262_144
    /// Bytes from which a header is a segment of its own, whose storage all events of its batch share.
    private static let sharedBytes = 1_024

    private var queue: [Segment] = []
    /// Index of the next segment in ``queue``.
    private var position = 0
    /// Bytes after the last segment of ``queue``.
    private var tail: [UInt8] = []
    /// True to replace line ends within texts by spaces, which is equivalent in JSON.
    private let isOnOneLine: Bool
    /// Header of the last event on one line, with the id of its request.
    private var header: (request: String, json: [UInt8])?

    init(isOnOneLine: Bool = false) {
        self.isOnOneLine = isOnOneLine
    }

    var isEmpty: Bool { position == queue.count && tail.isEmpty }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        tail.append(contentsOf: bytes)
    }

    mutating func append(_ number: Int64) {
        JSONWriter.append(number, to: &tail)
    }

    /// Appends an event in the format of the query API: its text unchanged, beside the findings.
    mutating func append(_ event: StoredEvent) {
        var row = JSONObjectWriter(&tail)
        if let captured = event.captured {
            row.add("form", captured.form.rawValue, &tail)
            row.add("name", captured.name, &tail)
            if captured.form.list == .audit { row.add("partition", captured.partition, &tail) }
        }
        row.begin("event", &tail)
        append(textOf: event)
        if let header = event.captured?.header {
            row.begin("header", &tail)
            append(header, of: event.requestID)
            if header.isCut {
                row.begin("header_cut", &tail)
                JSONWriter.append(true, to: &tail)
            }
        }
        if let phrase = event.phrase { row.add("phrase", phrase.text, &tail) }
        event.addResult(to: &row, &tail)
        row.end(&tail)
    }

    private mutating func append(_ header: CapturedHeader, of request: String) {
        if isOnOneLine, self.header?.request != request { self.header = (request, Self.onOneLine(header.json)) }
        let json = isOnOneLine ? self.header?.json ?? [] : header.json
        if json.count < Self.sharedBytes { return append(json) }
        endSegment()
        queue.append(.bytes(json))
    }

    private mutating func endSegment() {
        if tail.isEmpty { return }
        queue.append(.bytes(tail))
        tail = []
    }

    /// Appends the text of the event.
    mutating func append(textOf event: StoredEvent) {
        switch event.text {
        case .whole(let text), .excerpt(let text):
            append(isOnOneLine ? Self.onOneLine(text) : text)
        case .apart(let place, _):
            endSegment()
            queue.append(.text(place, offset: 0))
        }
    }

    /// Returns the next bytes; `nil` at the end.
    mutating func next(from store: Store) async throws -> [UInt8]? {
        guard position < queue.count else {
            defer { (queue, position, tail) = ([], 0, []) }
            return tail.isEmpty ? nil : tail
        }
        guard case .text(let place, let offset) = queue[position] else { return nextPart() }
        let slice = try await store.slice(of: place, from: offset, count: Self.sliceBytes)
        if offset + slice.count < place.range.count, !slice.isEmpty {
            queue[position] = .text(place, offset: offset + slice.count)
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
    fileprivate func addResult(to row: inout JSONObjectWriter, _ bytes: inout [UInt8]) {
        row.add("status", status.rawValue, &bytes)
        row.add("violations", violations, &bytes) { violation, bytes in
            var object = JSONObjectWriter(&bytes)
            if let number = Int64(violation.code) {
                object.add("code", number, &bytes)
            } else {
                object.add("code", violation.code, &bytes)
            }
            object.add("severity", violation.severity.rawValue, &bytes)
            object.add("subject", violation.subject, &bytes)
            object.add("name", violation.name, &bytes)
            object.add("message", violation.message, &bytes)
            object.end(&bytes)
        }
        row.add("unlisted_violations", Int64(unlisted), &bytes)
        row.add("request_id", requestID, &bytes)
        row.add("seq", sequence, &bytes)
        if case .excerpt = text {
            row.begin("cut", &bytes)
            JSONWriter.append(true, to: &bytes)
            row.add("event_bytes", Int64(self.bytes), &bytes)
        }
        row.add("received_at", receivedAt.milliseconds, &bytes)
    }
}
#endif
