#if Tools
import ClickstreamCore
import ClickstreamTools

/// Reads the events of a request's body, by the content of the body and not by the request's parameters.
///
/// Costs a pass over the JSON text and one over each event, and a memory of the text's size and a fixed amount for each
/// event, whatever the bytes are.
struct UploadDecoder: Sendable {
    /// Bytes that a body may inflate to, both ways of compressing it together.
    var inflationLimit = Limits().inflatedBytes

    /// Findings of one request that are listed one by one; past them each event has one finding with the number of its
    /// mistakes. An event lists ``Rules/mostFindings`` at most.
    static let mostFindings = 20_000

    /// Parts of an event that are built to be judged. Deeper values have no rule; no event that keeps the rules has as many
    /// members or items.
    private static let bounds = JSONReader.Bounds(objectDepth: 3, arrayDepth: 2, container: 4_096, values: 65_536)

    func decode(_ envelope: Envelope) -> Upload {
        decode(envelope, within: .max) ?? Upload(envelope: envelope, content: UploadContent(rawBytes: 0))
    }

    /// As ``decode(_:)``, if the result takes no more than `memory` bytes; else `nil`, without having taken much more.
    func decode(_ envelope: Envelope, within memory: Int) -> Upload? {
        var content = UploadContent(rawBytes: envelope.body.count)
        let limit = min(inflationLimit, memory)
        do throws(ReceivedUpload.Flaw) {
            let body = try plainBody(envelope.body, isContentEncoded: envelope.isContentEncoded, limit: limit)
            if let hashCode = envelope.hashCode?.lowercased() {
                content.hashMatches = hashCode == SHA256.hashCode(of: body)
            }
            let rest = envelope.isContentEncoded ? max(0, limit - body.count) : limit
            var events = try ReceivedUpload.Events(body, inflationLimit: rest)
            if UploadContent.memory(bytes: events.bytes.count, events: events.count) > memory { return nil }
            read(&events, receivedAt: envelope.receivedAt, into: &content)
        } catch {
            if error.reason == .inflationLimit, limit < inflationLimit { return nil }
            content.flaw = error
        }
        return Upload(envelope: envelope, content: content)
    }

    /// Bytes of JSON text that a body says it holds: of gzip data the last member's count, which may be wrong.
    func claimedBytes(of envelope: Envelope) -> Int {
        let body = envelope.body
        return body.withUnsafeBytes { bytes in
            if envelope.isContentEncoded { return Self.claimedBytes(ofGzip: bytes, compressed: bytes.count) }
            guard let first = bytes.firstIndex(where: { $0 > 0x20 }), bytes[first] != UInt8(ascii: "["),
                let last = bytes.lastIndex(where: { $0 > 0x20 && $0 != UInt8(ascii: "=") })
            else { return bytes.count }
            // The last bytes of base64, from the beginning of a group.
            let start = max(first, first + ((last + 1 - first) / 4 - 6) * 4)
            let tail = Base64.decode(UnsafeRawBufferPointer(rebasing: bytes[start...last]), padding: .optional)
            return tail?.withUnsafeBytes { Self.claimedBytes(ofGzip: $0, compressed: bytes.count) } ?? bytes.count
        }
    }

    private static func claimedBytes(ofGzip bytes: UnsafeRawBufferPointer, compressed: Int) -> Int {
        guard let count = Gzip.claimedCount(of: bytes) else { return compressed }
        return max(count, compressed)
    }

    /// The body with a `Content-Encoding` undone, as the published server would have stored it.
    private func plainBody(
        _ body: [UInt8],
        isContentEncoded: Bool,
        limit: Int
    ) throws(ReceivedUpload.Flaw) -> [UInt8] {
        guard isContentEncoded else { return body }
        do throws(GzipError) {
            return try Gzip.inflate(body, limit: limit)
        } catch .limitExceeded {
            throw ReceivedUpload.Flaw(.inflationLimit, "the body inflates to more than \(limit) bytes")
        } catch {
            throw ReceivedUpload.Flaw(.gzip, "the body came under Content-Encoding: gzip, but \(error)")
        }
    }

    /// The body as the published server would have stored it. A body that is not what its encoding claims stays as it is.
    func stored(_ body: [UInt8], isContentEncoded: Bool) -> [UInt8] {
        // The reason stands with the request.
        (try? plainBody(body, isContentEncoded: isContentEncoded, limit: inflationLimit)) ?? body
    }

    /// The JSON text of a body that was read before; empty if it cannot be read any more.
    func text(of body: [UInt8], isContentEncoded: Bool) -> BodyText {
        // A body that came in under another limit is as readable as it was.
        let limit = Int(Int32.max) / 2
        guard let plain = try? plainBody(body, isContentEncoded: isContentEncoded, limit: limit),
            case .events(let events) = ReceivedUpload.Content(plain, inflationLimit: limit)
        else { return BodyText() }
        return BodyText(bytes: events.bytes, ranges: events.ranges)
    }

    private func read(_ events: inout ReceivedUpload.Events, receivedAt: Timestamp, into content: inout UploadContent) {
        // Moved: a second owner would make a copy of the text at the first change.
        swap(&content.bytes, &events.bytes)
        content.rawBytes = content.bytes.count
        content.events.reserveCapacity(events.count)
        var room = Self.mostFindings
        for range in events.ranges {
            let facts = content.bytes.withUnsafeBytes { EventScanner.facts(of: $0, in: range, receivedAt: receivedAt) }
            if let facts {
                content.append(facts)
                continue
            }
            let parsed = content.bytes.withUnsafeBytes { bytes in
                // It was taken apart as JSON, so it can be read as JSON; if not, that is no reason to lose it.
                try? JSONReader.parse(UnsafeRawBufferPointer(rebasing: bytes[range]), within: Self.bounds)
            }
            var event = JudgedEvent(
                parsed?.value ?? JSONValue(.null),
                receivedAt: receivedAt,
                mostListed: min(room, Rules.mostFindings)
            )
            event.unlisted += parsed?.omitted ?? 0
            room = max(0, room - event.findings.count)
            content.append(event, json: TextRange(range))
        }
    }
}
#endif
