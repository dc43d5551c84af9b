#if Collector
import ClickstreamCore
import ClickstreamJudges

/// Sequence of bytes and of texts still in the store, for the body of a reply. A long text is read in slices.
struct Segments: Sendable {
    private enum Segment: Sendable {
        case bytes([UInt8])
        case text(EventPlace, offset: Int)
    }

    /// Bytes of one slice.
    private static let sliceBytes = 262_144

    private var queue: [Segment] = []
    /// True to replace line ends within texts by spaces, which is equivalent in JSON.
    private let isOnOneLine: Bool

    init(isOnOneLine: Bool = false) {
        self.isOnOneLine = isOnOneLine
    }

    var isEmpty: Bool { queue.isEmpty }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        if case .bytes(var last)? = queue.last {
            // Removed first, so that the array is not copied.
            queue.removeLast()
            last.append(contentsOf: bytes)
            queue.append(.bytes(last))
        } else {
            queue.append(.bytes(Array(bytes)))
        }
    }

    /// Appends an event in the format of the query API: its text unchanged, beside the findings.
    mutating func append(_ event: StoredEvent) {
        append("{".utf8)
        if let captured = event.captured {
            append("\"form\":\"\(captured.form.rawValue)\",\"name\":".utf8)
            var name: [UInt8] = []
            JSONWriter.append(captured.name, to: &name)
            append(name)
            if captured.form == .audit {
                var partition: [UInt8] = []
                if let name = captured.partition { JSONWriter.append(name, to: &partition) }
                append(",\"partition\":".utf8)
                append(captured.partition == nil ? Array("null".utf8) : partition)
            }
            append(",".utf8)
        }
        append("\"event\":".utf8)
        append(textOf: event)
        if let header = event.captured?.header {
            append(",\"header\":".utf8)
            append(isOnOneLine ? Self.onOneLine(header.json) : header.json)
            if header.isCut { append(",\"header_cut\":true".utf8) }
        }
        append(event.tail)
    }

    /// Appends the text of the event.
    mutating func append(textOf event: StoredEvent) {
        switch event.text {
        case .whole(let text), .excerpt(let text):
            append(isOnOneLine ? Self.onOneLine(text) : text)
        case .apart(let place, _):
            queue.append(.text(place, offset: 0))
        }
    }

    /// Returns the next bytes; `nil` at the end.
    mutating func next(from store: Store) async throws -> [UInt8]? {
        guard let first = queue.first else { return nil }
        switch first {
        case .bytes(let bytes):
            queue.removeFirst()
            return bytes
        case .text(let place, let offset):
            let slice = try await store.slice(of: place, from: offset, count: Self.sliceBytes)
            if offset + slice.count < place.range.count, !slice.isEmpty {
                queue[0] = .text(place, offset: offset + slice.count)
            } else {
                queue.removeFirst()
            }
            return isOnOneLine ? Self.onOneLine(slice) : slice
        }
    }

    private static func onOneLine(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return text }
        return text.map { $0 == 0x0A || $0 == 0x0D ? UInt8(ascii: " ") : $0 }
    }
}

extension StoredEvent {
    /// Members of a list element after the text of the event.
    fileprivate var tail: [UInt8] {
        var bytes = Array(",\"status\":\"\(status.rawValue)\",\"violations\":".utf8)
        JSONObjectWriter.appendList(violations, &bytes) { violation, bytes in
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
        bytes.append(contentsOf: ",\"unlisted_violations\":\(unlisted),\"request_id\":".utf8)
        JSONWriter.append(requestID, to: &bytes)
        bytes.append(contentsOf: ",\"seq\":\(sequence)".utf8)
        if case .excerpt = text { bytes.append(contentsOf: ",\"cut\":true,\"event_bytes\":\(self.bytes)".utf8) }
        bytes.append(contentsOf: ",\"received_at\":\(receivedAt.milliseconds)}".utf8)
        return bytes
    }
}
#endif
